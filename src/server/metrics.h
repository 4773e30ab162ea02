// What the server counts, and the text that Prometheus reads.
#ifndef OCTAVO_SERVER_METRICS_H_
#define OCTAVO_SERVER_METRICS_H_

#include <atomic>
#include <cstdint>
#include <string>

namespace octavo {

// Safe from any thread.
struct ServerMetrics {
  std::atomic<int64_t> requests_answered{0};
  std::atomic<int64_t> requests_refused{0};  // the request's fault: status 4xx
  std::atomic<int64_t> requests_failed{0};   // ours: status 5xx
  std::atomic<int64_t> requests_gone{0};     // the client went before the answer's end
  std::atomic<int64_t> requests_waiting{0};  // now
  std::atomic<int64_t> requests_running{0};  // now
  std::atomic<int64_t> prompt_tokens{0};
  std::atomic<int64_t> cached_tokens{0};  // of the prompts
  std::atomic<int64_t> completion_tokens{0};
  std::atomic<int64_t> decode_steps{0};        // that chose these
  std::atomic<int64_t> drafted_tokens{0};      // guesses that these steps verified
  std::atomic<int64_t> accepted_tokens{0};     // of these: were right
  std::atomic<int64_t> queue_microseconds{0};  // from arrival to the engine, all answered requests
  std::atomic<int64_t> encode_microseconds{0};
  std::atomic<int64_t> prefill_microseconds{0};
  std::atomic<int64_t> decode_microseconds{0};
};

// Text exposition format 0.0.4, with the resident memory of this process.
std::string MetricsText(const ServerMetrics& metrics);

}  // namespace octavo

#endif  // OCTAVO_SERVER_METRICS_H_
