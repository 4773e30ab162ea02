// HTTP/1.1 over TCP: connections, limits, time-outs, streams, disconnects. With http_session.h the
// only user of Boost.
#ifndef OCTAVO_SERVER_HTTP_SERVER_H_
#define OCTAVO_SERVER_HTTP_SERVER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace octavo {

struct HttpRequest {
  std::string method;         // "GET"
  std::string path;           // "/v1/models": as sent, without the query
  std::string authorization;  // that header's value, or ""
  std::string body;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};  // beside type and length
};

// One request and the way to answer it: Send, or StartStream, any number of Write, EndStream.
// Safe from any thread; calls return at once. Once the client has gone they do nothing. Where the
// last reference goes before an answer was begun, the client gets status 500; where a stream was
// begun and not ended, the connection is cut, which tells the client that something is missing.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;
  virtual HttpRequest& request() = 0;
  virtual void Send(HttpResponse response) = 0;
  // Status 200, chunked. `heartbeat` is sent whenever nothing was written for the option's time.
  virtual void StartStream(const std::string& content_type, std::string heartbeat) = 0;
  virtual void Write(std::string data) = 0;
  virtual void EndStream() = 0;
  // `call` is called once, on the server's thread, if the client goes before the answer has ended;
  // soon, if it has gone. It must not block. A later call takes the place of an earlier one.
  virtual void OnDisconnect(std::function<void()> call) = 0;
};

struct HttpOptions {
  std::string host = "127.0.0.1";  // an address or a name
  int port = 0;                    // 0: any free one
  size_t max_body_bytes = size_t{64} << 20;
  size_t max_header_bytes = size_t{16} << 10;
  int max_connections = 1024;    // further ones wait in the system's queue
  double idle_seconds = 75;      // between two requests of a connection
  double receive_seconds = 30;   // without a byte of a header or body that has begun
  double request_seconds = 600;  // for a whole request to arrive
  double send_seconds = 60;      // for the client to take an answer, or what was written of one
  double heartbeat_seconds = 15;
  size_t max_unsent_bytes = size_t{8} << 20;  // of a stream; a client that lags more is cut off
};

// Accepts and answers on one thread of its own.
class HttpServer {
 public:
  // Called on the server's thread for every whole request; must not block. What it throws is
  // answered with status 500.
  using Handler = std::function<void(std::shared_ptr<HttpExchange>)>;

  // Listens when it returns. Throws kIo (the address is in use or not of this machine),
  // kInvalidArgument (unknown name, port out of range).
  HttpServer(const HttpOptions& options, Handler handler);
  // Cuts what is still open.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  // No more connections and requests; answers under way go on, then their connections close.
  void StopAccepting();
  // Connections whose request has arrived and whose answer has not ended. Safe from any thread.
  int num_in_flight() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace octavo

#endif  // OCTAVO_SERVER_HTTP_SERVER_H_
