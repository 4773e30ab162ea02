#include "server/http_server.h"

#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <optional>
#include <set>
#include <string_view>
#include <thread>

#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "base/log.h"
#include "base/str_cat.h"
#include "base/utf8.h"
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

class Session;

// What sessions share. The server's thread only, but for the counter and posting to the context.
// Exchanges may outlive the server and hold this; what they post then is never run.
struct Shared : std::enable_shared_from_this<Shared> {
  HttpOptions options;
  HttpServer::Handler handler;
  std::set<Session*> sessions;
  bool is_stopping = false;
  std::atomic<int> num_in_flight{0};
  std::function<void()> on_session_end;
  asio::io_context context{1};  // the first to go: handlers in it own sessions
};

// One connection. Everything here runs on the server's thread.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Shared* shared, Tcp::socket socket)
      : shared_(shared), stream_(std::move(socket)), heartbeat_timer_(shared->context) {
    shared_->sessions.insert(this);
  }
  ~Session() {
    LeaveFlight();
    shared_->sessions.erase(this);
    if (shared_->on_session_end) shared_->on_session_end();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void ReadRequest();
  // Ends the connection; an answer under way is lost.
  void Cut();
  void CutIfIdle() {
    if (!is_answering_) Cut();
  }

  uint64_t num_requests() const { return num_requests_; }
  void Send(HttpResponse response);
  void StartStream(const std::string& content_type, std::string heartbeat);
  void Write(std::string data);
  void EndStream();
  void Abandon();
  void OnDisconnect(std::function<void()> call);

 private:
  using Message = http::response<http::string_body>;

  void ReadBody(Clock::time_point deadline);
  void OnReadError(Code error);
  void Refuse(http::status status, std::string_view message, std::string_view code);
  void Handle();
  void WatchForEnd();
  void SendMessage(const std::shared_ptr<Message>& message);
  void Pump();
  void ArmHeartbeat();
  void FinishAnswer(bool keep_alive);
  void Linger(Clock::time_point deadline);
  void EnterFlight() {
    if (!std::exchange(is_in_flight_, true)) ++shared_->num_in_flight;
  }
  void LeaveFlight() {
    if (std::exchange(is_in_flight_, false)) --shared_->num_in_flight;
  }

  Shared* const shared_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  uint64_t num_requests_ = 0;  // tells the watch of one request from that of the next
  bool is_in_flight_ = false;
  bool is_answering_ = false;  // a handler has the request, or its answer is being sent
  bool is_answer_begun_ = false;
  bool is_cut_ = false;
  bool is_keep_alive_ = false;
  unsigned version_ = 11;
  std::function<void()> on_disconnect_;

  // Of a stream.
  std::string heartbeat_;
  std::deque<std::string> unsent_;
  size_t unsent_bytes_ = 0;
  bool is_stream_ = false;
  bool is_stream_ended_ = false;
  bool is_writing_ = false;
  asio::steady_timer heartbeat_timer_;
};

// The handler's side. Holds the connection open. What arrives late, when the connection serves its
// next request, is not for that one.
class Exchange : public HttpExchange {
 public:
  Exchange(std::shared_ptr<Shared> shared, std::shared_ptr<Session> session, HttpRequest request)
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
    Post([response = std::move(response)](Session& session) mutable {
      session.Send(std::move(response));
    });
  }
  void StartStream(const std::string& content_type, std::string heartbeat) override {
    Post([content_type, heartbeat = std::move(heartbeat)](Session& session) mutable {
      session.StartStream(content_type, std::move(heartbeat));
    });
  }
  void Write(std::string data) override {
    Post([data = std::move(data)](Session& session) mutable { session.Write(std::move(data)); });
  }
  void EndStream() override {
    Post([](Session& session) { session.EndStream(); });
  }
  void OnDisconnect(std::function<void()> call) override {
    Post([call = std::move(call)](Session& session) mutable {
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

  const std::shared_ptr<Shared> shared_;
  std::shared_ptr<Session> session_;
  const uint64_t number_;
  HttpRequest request_;
};

void Session::ReadRequest() {
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

void Session::ReadBody(Clock::time_point deadline) {
  if (parser_->is_done()) return Handle();
  if (Clock::now() > deadline) return Cut();
  stream_.expires_after(Milliseconds(shared_->options.receive_seconds));
  http::async_read_some(stream_, buffer_, *parser_,
                        [self = shared_from_this(), deadline](Code error, size_t) {
                          if (error) return self->OnReadError(error);
                          self->ReadBody(deadline);
                        });
}

void Session::OnReadError(Code error) {
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

void Session::Refuse(http::status status, std::string_view message, std::string_view code) {
  is_answering_ = is_answer_begun_ = true;
  is_keep_alive_ = false;
  auto response = std::make_shared<Message>(status, 11);
  response->set(http::field::content_type, "application/json");
  response->body() = ErrorBody(message, code);
  SendMessage(response);
}

void Session::Handle() {
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
void Session::WatchForEnd() {
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

void Session::Cut() {
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

void Session::OnDisconnect(std::function<void()> call) {
  if (is_cut_) return call();
  if (is_answering_) on_disconnect_ = std::move(call);
}

void Session::Abandon() {
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

void Session::Send(HttpResponse response) {
  if (is_cut_ || !is_answering_ || is_answer_begun_) return;
  is_answer_begun_ = true;
  auto message = std::make_shared<Message>(
      http::int_to_status(static_cast<unsigned>(response.status)), version_);
  message->set(http::field::content_type, response.content_type);
  for (const auto& [name, value] : response.headers) message->set(name, value);
  message->body() = std::move(response.body);
  SendMessage(message);
}

void Session::SendMessage(const std::shared_ptr<Message>& message) {
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

void Session::StartStream(const std::string& content_type, std::string heartbeat) {
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

void Session::Write(std::string data) {
  if (is_cut_ || !is_stream_ || is_stream_ended_ || data.empty()) return;
  unsent_bytes_ += data.size();
  if (unsent_bytes_ > shared_->options.max_unsent_bytes) return Cut();
  unsent_.push_back(std::move(data));
  Pump();
}

void Session::EndStream() {
  if (is_cut_ || !is_stream_ || is_stream_ended_) return;
  is_stream_ended_ = true;
  Pump();
}

// Sends what has gathered, one write at a time.
void Session::Pump() {
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

void Session::ArmHeartbeat() {
  if (heartbeat_.empty()) return;
  heartbeat_timer_.expires_after(Milliseconds(shared_->options.heartbeat_seconds));
  heartbeat_timer_.async_wait([self = shared_from_this()](Code error) {
    if (error || self->is_cut_ || !self->is_stream_ || self->is_writing_) return;
    self->Write(self->heartbeat_);
  });
}

void Session::FinishAnswer(bool keep_alive) {
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
void Session::Linger(Clock::time_point deadline) {
  if (is_cut_ || Clock::now() > deadline) return Cut();
  buffer_.clear();
  stream_.expires_at(deadline);
  stream_.async_read_some(buffer_.prepare(kLingerBytes),
                          [self = shared_from_this(), deadline](Code error, size_t) {
                            if (error) return self->Cut();
                            self->Linger(deadline);
                          });
}

}  // namespace

struct HttpServer::State {
  State(const HttpOptions& options, Handler handler) {
    shared->options = options;
    shared->handler = std::move(handler);
    shared->on_session_end = [this] {
      if (is_waiting_for_room) Accept();
    };
  }

  void Listen() {
    Code error;
    Tcp::resolver resolver(shared->context);
    const auto found =
        resolver.resolve(shared->options.host, std::to_string(shared->options.port), error);
    if (error) {
      throw Error(ErrorCode::kInvalidArgument,
                  StrCat("host ", PrintableName(shared->options.host), ": ", error.message()));
    }
    const Tcp::endpoint endpoint = *found.begin();
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      throw Error(ErrorCode::kIo, StrCat("cannot listen on ", PrintableName(shared->options.host),
                                         " port ", shared->options.port, ": ", error.message()));
    }
  }

  void Accept() {
    is_waiting_for_room = false;
    if (shared->is_stopping || !acceptor.is_open()) return;
    if (shared->sessions.size() >= static_cast<size_t>(shared->options.max_connections)) {
      is_waiting_for_room = true;
      return;
    }
    acceptor.async_accept([this](Code error, Tcp::socket socket) {
      if (error == asio::error::operation_aborted || shared->is_stopping) return;
      if (error) {  // no descriptor left, most likely: one may be free soon
        retry_timer.expires_after(std::chrono::milliseconds(100));
        retry_timer.async_wait([this](Code) { Accept(); });
        return;
      }
      Code ignored;
      socket.set_option(Tcp::no_delay(true), ignored);
      std::make_shared<Session>(shared.get(), std::move(socket))->ReadRequest();
      Accept();
    });
  }

  template <typename Action>
  void ForEachSession(Action action) {
    std::vector<std::shared_ptr<Session>> sessions;
    for (Session* session : shared->sessions) sessions.push_back(session->shared_from_this());
    for (const auto& session : sessions) action(*session);
  }

  const std::shared_ptr<Shared> shared = std::make_shared<Shared>();
  Tcp::acceptor acceptor{shared->context};
  asio::steady_timer retry_timer{shared->context};
  bool is_waiting_for_room = false;
  int port = 0;
  std::thread thread;
};

HttpServer::HttpServer(const HttpOptions& options, Handler handler)
    : state_(std::make_unique<State>(options, std::move(handler))) {
  if (options.port < 0 || options.port > 65535) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat("port ", options.port, ", expected 0 to 65535"));
  }
  state_->Listen();
  state_->port = state_->acceptor.local_endpoint().port();
  state_->Accept();
  state_->thread = std::thread([state = state_.get()] {
    const auto work = asio::make_work_guard(state->shared->context);
    while (!state->shared->context.stopped()) {
      // Only memory that has run out comes here; the connection concerned is lost, others go on.
      try {
        state->shared->context.run();
      } catch (const std::exception& error) {
        Log(LogLevel::kWarning, StrCat("http: ", error.what()));
      }
    }
  });
}

HttpServer::~HttpServer() {
  asio::post(state_->shared->context, [state = state_.get()] {
    Code ignored;
    state->shared->is_stopping = true;
    state->acceptor.close(ignored);
    state->retry_timer.cancel();
    state->ForEachSession([](Session& session) { session.Cut(); });
    // Handlers of what was cut run first.
    asio::post(state->shared->context, [state] { state->shared->context.stop(); });
  });
  state_->thread.join();
  state_->shared->on_session_end = nullptr;
}

int HttpServer::port() const { return state_->port; }

void HttpServer::StopAccepting() {
  asio::post(state_->shared->context, [state = state_.get()] {
    Code ignored;
    state->shared->is_stopping = true;
    state->acceptor.close(ignored);
    state->ForEachSession([](Session& session) { session.CutIfIdle(); });
  });
}

int HttpServer::num_in_flight() const { return state_->shared->num_in_flight; }

}  // namespace octavo
