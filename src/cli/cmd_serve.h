// octavo serve: one loaded model for many clients, over HTTP.
#ifndef OCTAVO_CLI_CMD_SERVE_H_
#define OCTAVO_CLI_CMD_SERVE_H_

#include <cstdint>
#include <string>

#include "cli/model_flags.h"

namespace octavo {

struct ServeOptions {
  std::string host = "127.0.0.1";
  int port = 8000;                // 0: any free one, which is told on stderr
  std::string api_key_file;       // its first line is the key; "": none is asked for
  std::string served_model_name;  // "": the name of the model's folder
  int max_running = 8;            // requests decoded together
  int max_body_mb = 64;
  int64_t prefix_cache_tokens = 8192;   // 0: nothing is kept for requests that begin alike
  int64_t encoder_cache_tokens = 8192;  // 0: no picture's embeddings are kept
  double grace_seconds = 30;            // for answers under way, when it is told to stop
  ModelFlags model;
  int64_t max_pixels = 0;  // of each picture; 0: the model's own
};

// Runs until SIGINT or SIGTERM, then ends what is under way within the grace. Says on stderr where
// it listens. Returns the exit code. Throws what loading and listening throw.
int RunServe(const ServeOptions& options);

}  // namespace octavo

#endif  // OCTAVO_CLI_CMD_SERVE_H_
