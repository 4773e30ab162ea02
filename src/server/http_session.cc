#include "server/http_session.h"

#include <sys/socket.h>

#include <cerrno>
#include <exception>

#include "base/log.h"
#include "base/str_cat.h"
#include "octavo/error.h"

namespace octavo {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Tcp = asio::ip::tcp;
using Code = beast::error_code;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLingerTime{2};
constexpr size_t kLingerBytes = size_t{64} << 10;

std::chrono::milliseconds Milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
}

// An answer that no handler made: the request was no HTTP, or too large.
std::string ErrorBody(std::string_view message, std::string_view code) {
  return StrCat("{\"error\":{\"message\":\"", message,
                "\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"", code, "\"}}");
}

// The handler's side. Holds the connection open. What arrives late, when the connection serves its
// next request, is not for that one.
class Exchange : public HttpExchange {
 public:
  Exchange(std::shared_ptr<HttpShared> shared, std::shared_ptr<HttpSession> session,
           HttpRequest request)
      : shared_(std::move(shared)),
        session_(std::move(session)),
        number_(session_->num_requests()),
        request_(std::move(request)) {}
  // The session goes along, to end on its own thread.
  ~Exchange() override {
    asio::post(shared_->context, [session = std::move(session_), number = number_] {
      if (session->num_requests() == number) session->Abandon();
    });
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  HttpRequest& request() override { return request_; }
  void Send(HttpResponse response) override {
    Post([response = std::move(response)](HttpSession& session) mutable {
      session.Send(std::move(response));
    });
  }
  void StartStream(const std::string& content_type, std::string heartbeat) override {
    Post([content_type, heartbeat = std::move(heartbeat)](HttpSession& session) mutable {
      session.StartStream(content_type, std::move(heartbeat));
    });
  }
  void Write(std::string data) override {
    Post(
        [data = std::move(data)](HttpSession& session) mutable { session.Write(std::move(data)); });
  }
  void EndStream() override {
    Post([](HttpSession& session) { session.EndStream(); });
  }
  void OnDisconnect(std::function<void()> call) override {
    Post([call = std::move(call)](HttpSession& session) mutable {
      session.OnDisconnect(std::move(call));
    });
  }

 private:
  template <typename Action>
  void Post(Action action) {
    asio::post(shared_->context,
               [session = session_, number = number_, action = std::move(action)]() mutable {
                 if (session->num_requests() == number) action(*session);
               });
  }

  const std::shared_ptr<HttpShared> shared_;
  std::shared_ptr<HttpSession> session_;
  const uint64_t number_;
  HttpRequest request_;
};

}  // namespace

void HttpSession::ReadRequest() {
  if (shared_->is_stopping) return Cut();
  parser_.emplace();
  parser_->header_limit(static_cast<uint32_t>(shared_->options.max_header_bytes));
  parser_->body_limit(shared_->options.max_body_bytes);
  const double wait =
      num_requests_ == 0 ? shared_->options.receive_seconds : shared_->options.idle_seconds;
  stream_.expires_after(Milliseconds(wait));
  http::async_read_header(
      stream_, buffer_, *parser_, [self = shared_from_this()](Code error, size_t) {
        if (error) return self->OnReadError(error);
        const auto deadline = Clock::now() + Milliseconds(self->shared_->options.request_seconds);
        if (!beast::iequals(self->parser_->get()[http::field::expect], "100-continue")) {
          return self->ReadBody(deadline);
        }
        auto go_on = std::make_shared<http::response<http::empty_body>>(
            http::status::continue_, self->parser_->get().version());
        http::async_write(self->stream_, *go_on, [self, go_on, deadline](Code write_error, size_t) {
          if (write_error) return self->Cut();
          self->ReadBody(deadline);
        });
      });
}

void HttpSession::ReadBody(Clock::time_point deadline) {
  if (parser_->is_done()) return Handle();
  if (Clock::now() > deadline) return Cut();
  stream_.expires_after(Milliseconds(shared_->options.receive_seconds));
  http::async_read_some(stream_, buffer_, *parser_,
                        [self = shared_from_this(), deadline](Code error, size_t) {
                          if (error) return self->OnReadError(error);
                          self->ReadBody(deadline);
                        });
}

void HttpSession::OnReadError(Code error) {
  if (error == http::error::body_limit) {
    return Refuse(http::status::payload_too_large,
                  StrCat("the body has more than ", shared_->options.max_body_bytes, " bytes"),
                  "body_too_large");
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return Refuse(http::status::request_header_fields_too_large,
                  StrCat("the header has more than ", shared_->options.max_header_bytes, " bytes"),
                  "header_too_large");
  }
  // What the parser found, not what the network did.
  if (error.category() == http::make_error_code(http::error::bad_method).category() &&
      error != http::error::end_of_stream && error != http::error::partial_message) {
    return Refuse(http::status::bad_request, StrCat("no HTTP request: ", error.message()),
                  "bad_request");
  }
  Cut();
}

void HttpSession::Refuse(http::status status, std::string_view message, std::string_view code) {
  is_answering_ = is_answer_begun_ = true;
  is_keep_alive_ = false;
  auto response = std::make_shared<Message>(status, 11);
  response->set(http::field::content_type, "application/json");
  response->body() = ErrorBody(message, code);
  SendMessage(response);
}

void HttpSession::Handle() {
  auto message = parser_->release();
  parser_.reset();
  ++num_requests_;
  EnterFlight();
  is_answering_ = true;
  is_answer_begun_ = is_stream_ = is_stream_ended_ = false;
  is_keep_alive_ = message.keep_alive();
  version_ = message.version();
  HttpRequest request;
  request.method = std::string(message.method_string());
  const std::string_view target(message.target().data(), message.target().size());
  request.path = std::string(target.substr(0, target.find('?')));
  request.authorization = std::string(message[http::field::authorization]);
  request.body = std::move(message.body());
  stream_.expires_never();
  WatchForEnd();
  // Where the handler throws, the exchange goes unanswered, which is status 500.
  try {
    shared_->handler(std::make_shared<Exchange>(shared_->shared_from_this(), shared_from_this(),
                                                std::move(request)));
  } catch (const std::exception&) {
    return;
  }
}

// Looks, while a request is answered, whether the client has gone. One that sends its next request
// early has not, and is no longer watched.
void HttpSession::WatchForEnd() {
  stream_.socket().async_wait(
      Tcp::socket::wait_read, [self = shared_from_this(), number = num_requests_](Code error) {
        if (error || number != self->num_requests_ || !self->is_answering_) return;
        char byte = 0;
        const auto count =
            ::recv(self->stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        const bool has_gone = count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
        if (has_gone) self->Cut();
      });
}

void HttpSession::Cut() {
  if (std::exchange(is_cut_, true)) return;
  Code ignored;
  heartbeat_timer_.cancel();
  stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
  stream_.close();
  LeaveFlight();
  is_answering_ = false;
  unsent_.clear();
  unsent_bytes_ = 0;
  if (on_disconnect_) std::exchange(on_disconnect_, nullptr)();
}

void HttpSession::OnDisconnect(std::function<void()> call) {
  if (is_cut_) return call();
  if (is_answering_) on_disconnect_ = std::move(call);
}

void HttpSession::Abandon() {
  if (is_cut_ || !is_answering_) return;
  if (!is_answer_begun_) {
    HttpResponse response;
    response.status = 500;
    response.body =
        "{\"error\":{\"message\":\"the request was dropped\",\"type\":"
        "\"internal_error\",\"param\":null,\"code\":\"internal_error\"}}";
    return Send(std::move(response));
  }
  if (is_stream_ && !is_stream_ended_) Cut();
}

void HttpSession::Send(HttpResponse response) {
  if (is_cut_ || !is_answering_ || is_answer_begun_) return;
  is_answer_begun_ = true;
  auto message = std::make_shared<Message>(
      http::int_to_status(static_cast<unsigned>(response.status)), version_);
  message->set(http::field::content_type, response.content_type);
  for (const auto& [name, value] : response.headers) message->set(name, value);
  message->body() = std::move(response.body);
  SendMessage(message);
}

void HttpSession::SendMessage(const std::shared_ptr<Message>& message) {
  const bool keep_alive = is_keep_alive_ && !shared_->is_stopping;
  message->set(http::field::server, "octavo");
  message->keep_alive(keep_alive);
  message->prepare_payload();
  stream_.expires_after(Milliseconds(shared_->options.send_seconds));
  http::async_write(stream_, *message,
                    [self = shared_from_this(), message, keep_alive](Code error, size_t) {
                      if (error) return self->Cut();
                      self->FinishAnswer(keep_alive);
                    });
}

void HttpSession::StartStream(const std::string& content_type, std::string heartbeat) {
  if (is_cut_ || !is_answering_ || is_answer_begun_) return;
  is_answer_begun_ = is_stream_ = is_writing_ = true;
  heartbeat_ = std::move(heartbeat);
  using Header = http::response<http::empty_body>;
  auto header = std::make_shared<Header>(http::status::ok, version_);
  header->set(http::field::server, "octavo");
  header->set(http::field::content_type, content_type);
  header->set(http::field::cache_control, "no-store");
  header->set("X-Accel-Buffering", "no");  // nginx passes each event on at once
  header->keep_alive(is_keep_alive_ && !shared_->is_stopping);
  // Clients of HTTP/1.0 know no chunks: to them the connection's end is the stream's.
  if (version_ >= 11) header->chunked(true);
  auto serializer = std::make_shared<http::response_serializer<http::empty_body>>(*header);
  stream_.expires_after(Milliseconds(shared_->options.send_seconds));
  http::async_write_header(stream_, *serializer,
                           [self = shared_from_this(), header, serializer](Code error, size_t) {
                             if (error) return self->Cut();
                             self->is_writing_ = false;
                             self->Pump();
                           });
}

void HttpSession::Write(std::string data) {
  if (is_cut_ || !is_stream_ || is_stream_ended_ || data.empty()) return;
  unsent_bytes_ += data.size();
  if (unsent_bytes_ > shared_->options.max_unsent_bytes) return Cut();
  unsent_.push_back(std::move(data));
  Pump();
}

void HttpSession::EndStream() {
  if (is_cut_ || !is_stream_ || is_stream_ended_) return;
  is_stream_ended_ = true;
  Pump();
}

// Sends what has gathered, one write at a time.
void HttpSession::Pump() {
  if (is_cut_ || is_writing_) return;
  if (unsent_.empty() && !is_stream_ended_) return ArmHeartbeat();
  auto data = std::make_shared<std::string>();
  for (const std::string& part : unsent_) *data += part;
  unsent_.clear();
  unsent_bytes_ = 0;
  const bool is_last = is_stream_ended_;
  if (version_ >= 11) {
    std::string chunk;
    if (!data->empty()) {
      char size[20];
      std::snprintf(size, sizeof(size), "%zx\r\n", data->size());
      chunk = StrCat(size, *data, "\r\n");
    }
    if (is_last) chunk += "0\r\n\r\n";
    *data = std::move(chunk);
  }
  is_writing_ = true;
  heartbeat_timer_.cancel();
  stream_.expires_after(Milliseconds(shared_->options.send_seconds));
  asio::async_write(stream_, asio::buffer(*data),
                    [self = shared_from_this(), data, is_last](Code error, size_t) {
                      if (error) return self->Cut();
                      self->is_writing_ = false;
                      self->stream_.expires_never();
                      if (!is_last) return self->Pump();
                      self->FinishAnswer(self->version_ >= 11 && self->is_keep_alive_ &&
                                         !self->shared_->is_stopping);
                    });
}

void HttpSession::ArmHeartbeat() {
  if (heartbeat_.empty()) return;
  heartbeat_timer_.expires_after(Milliseconds(shared_->options.heartbeat_seconds));
  heartbeat_timer_.async_wait([self = shared_from_this()](Code error) {
    if (error || self->is_cut_ || !self->is_stream_ || self->is_writing_) return;
    self->Write(self->heartbeat_);
  });
}

void HttpSession::FinishAnswer(bool keep_alive) {
  LeaveFlight();
  is_answering_ = is_stream_ = false;
  on_disconnect_ = nullptr;
  heartbeat_timer_.cancel();
  if (keep_alive) return ReadRequest();
  Code ignored;
  stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
  Linger(Clock::now() + kLingerTime);
}

// A connection closed with bytes unread is reset, and the client may lose the answer: so what it
// still sends is read, for a while.
void HttpSession::Linger(Clock::time_point deadline) {
  if (is_cut_ || Clock::now() > deadline) return Cut();
  buffer_.clear();
  stream_.expires_at(deadline);
  stream_.async_read_some(buffer_.prepare(kLingerBytes),
                          [self = shared_from_this(), deadline](Code error, size_t) {
                            if (error) return self->Cut();
                            self->Linger(deadline);
                          });
}

}  // namespace octavo
