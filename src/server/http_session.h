// One HTTP connection: its requests, its answers, its end. Inside the server only.
#ifndef OCTAVO_SERVER_HTTP_SESSION_H_
#define OCTAVO_SERVER_HTTP_SESSION_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "server/http_server.h"

namespace octavo {

class HttpSession;

// What sessions share. The server's thread only, but for the counter and posting to the context.
// Exchanges may outlive the server and hold this; what they post then is never run.
struct HttpShared : std::enable_shared_from_this<HttpShared> {
  HttpOptions options;
  HttpServer::Handler handler;
  std::set<HttpSession*> sessions;
  bool is_stopping = false;
  std::atomic<int> num_in_flight{0};
  std::function<void()> on_session_end;
  boost::asio::io_context context{1};  // the first to go: handlers in it own sessions
};

// One connection. Everything here runs on the server's thread.
class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(HttpShared* shared, boost::asio::ip::tcp::socket socket)
      : shared_(shared), stream_(std::move(socket)), heartbeat_timer_(shared->context) {
    shared_->sessions.insert(this);
  }
  ~HttpSession() {
    LeaveFlight();
    shared_->sessions.erase(this);
    if (shared_->on_session_end) shared_->on_session_end();
  }
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;

  // Reads the next request and hands it to the handler, in the background, until the end.
  void ReadRequest();
  // Ends the connection; an answer under way is lost.
  void Cut();
  void CutIfIdle() {
    if (!is_answering_) Cut();
  }

  // Those that were read so far: the number of the one that is being answered.
  uint64_t num_requests() const { return num_requests_; }
  // HttpExchange's calls, for the request that is being answered.
  void Send(HttpResponse response);
  void StartStream(const std::string& content_type, std::string heartbeat);
  void Write(std::string data);
  void EndStream();
  void OnDisconnect(std::function<void()> call);
  // Nobody will answer any more: what HttpExchange says of the last reference.
  void Abandon();

 private:
  using Message = boost::beast::http::response<boost::beast::http::string_body>;

  void ReadBody(std::chrono::steady_clock::time_point deadline);
  void OnReadError(boost::beast::error_code error);
  void Refuse(boost::beast::http::status status, std::string_view message, std::string_view code);
  void Handle();
  void WatchForEnd();
  void SendMessage(const std::shared_ptr<Message>& message);
  void Pump();
  void ArmHeartbeat();
  void FinishAnswer(bool keep_alive);
  void Linger(std::chrono::steady_clock::time_point deadline);
  void EnterFlight() {
    if (!std::exchange(is_in_flight_, true)) ++shared_->num_in_flight;
  }
  void LeaveFlight() {
    if (std::exchange(is_in_flight_, false)) --shared_->num_in_flight;
  }

  HttpShared* const shared_;
  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
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
  boost::asio::steady_timer heartbeat_timer_;
};

}  // namespace octavo

#endif  // OCTAVO_SERVER_HTTP_SESSION_H_
