#include "cli/cmd_serve.h"

#include <algorithm>
#include <cstdio>
#include <future>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "cli/model_lookup.h"
#include "octavo/engine.h"
#include "octavo/error.h"
#include "server/server.h"

namespace octavo {
namespace {

std::string ApiKey(const std::string& path) {
  if (path.empty()) return {};
  constexpr size_t kMaxBytes = 4096;
  std::string key = ReadFile(path, kMaxBytes);
  key.erase(std::min(key.find_first_of("\r\n"), key.size()));
  if (key.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat(PrintableName(path), ": the first line is empty, expected a key"));
  }
  return key;
}

bool IsLoopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.rfind("127.", 0) == 0;
}

}  // namespace

int RunServe(const ServeOptions& options) {
  ServerOptions server_options;
  server_options.http.host = options.host;
  server_options.http.port = options.port;
  server_options.http.max_body_bytes = static_cast<size_t>(options.max_body_mb) << 20;
  server_options.api_key = ApiKey(options.api_key_file);
  server_options.model_id = options.served_model_name;
  server_options.max_in_engine = 2 * options.max_running;  // pictures are ready before their turn

  // Before any other thread: they inherit that it alone sees the signals.
  std::promise<void> interrupted;
  const InterruptWatcher watcher([&interrupted] { interrupted.set_value(); });
  SetLogLevel(LogLevel::kWarning);
  EngineOptions engine_options = ToEngineOptions(options.model, FindModel(options.model.model_dir));
  engine_options.max_running = options.max_running;
  engine_options.prefix_cache_tokens = options.prefix_cache_tokens;
  engine_options.encoder_cache_tokens = options.encoder_cache_tokens;
  engine_options.max_pixels = options.max_pixels;
  const auto engine = Engine::Load(engine_options);
  Server server(*engine, server_options);
  const EngineInfo& info = engine->info();
  const bool is_v6 = options.host.find(':') != std::string::npos;
  std::fprintf(stderr, "octavo: %s (%s, %s, %d threads) on http://%s%s%s:%d\n",
               PrintableName(info.model_dir).c_str(), info.compute.c_str(), info.isa.c_str(),
               info.num_threads, is_v6 ? "[" : "", options.host.c_str(), is_v6 ? "]" : "",
               server.port());
  if (!IsLoopback(options.host) && server_options.api_key.empty()) {
    std::fprintf(stderr,
                 "octavo: anybody who can reach this address may use it; --api-key-file "
                 "asks for a key\n");
  }
  interrupted.get_future().wait();
  std::fprintf(stderr, "octavo: stopping; once more ends it at once\n");
  server.Stop(options.grace_seconds);
  return 0;
}

}  // namespace octavo
