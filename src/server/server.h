// The server: which path is answered by what, and the way of a chat request through its queues.
#ifndef OCTAVO_SERVER_SERVER_H_
#define OCTAVO_SERVER_SERVER_H_

#include <cstddef>
#include <memory>
#include <string>

#include "octavo/engine.h"
#include "server/http_server.h"

namespace octavo {

struct ServerOptions {
  HttpOptions http = {};
  std::string api_key = {};   // "": none is asked for; /health never asks
  std::string model_id = {};  // "": the name of the model's folder
  // Requests in the engine at once. Further ones wait as the files that came, by priority and then
  // in order, which needs little memory.
  int max_in_engine = 16;
  size_t max_waiting_bytes = size_t{1} << 30;  // of bodies; beyond: status 503 with Retry-After
  double max_answer_seconds = 1800;            // then an answer ends as it is, with "length"
};

// | path                      | answer                                                    |
// |---------------------------|-----------------------------------------------------------|
// | GET /health               | 200 while requests are taken                              |
// | GET /v1/models            | the one model                                             |
// | POST /v1/chat/completions | OpenAI's chat, whole or as server-sent events             |
// | GET /metrics              | Prometheus text                                           |
// | others                    | 404 or 405 with OpenAI's error object                     |
//
// A client that goes away cancels its request, wherever that is. Answers do not depend on what else
// runs.
class Server {
 public:
  // The engine outlives the server. Listens when it returns. Throws as HttpServer does.
  Server(Engine& engine, const ServerOptions& options);
  // Stop(0).
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;
  // Takes no more requests, answers those it has for up to `grace_seconds`, then refuses the rest
  // with status 503. Once.
  void Stop(double grace_seconds);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace octavo

#endif  // OCTAVO_SERVER_SERVER_H_
