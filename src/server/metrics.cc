#include "server/metrics.h"

#include <string_view>

#include "base/memory_info.h"
#include "base/str_cat.h"

namespace octavo {
namespace {

class Writer {
 public:
  void Family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    text_ += StrCat("# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n");
  }
  void Value(int64_t value) { text_ += StrCat(name_, " ", value, "\n"); }
  void Value(std::string_view label, std::string_view word, int64_t value) {
    text_ += StrCat(name_, "{", label, "=\"", word, "\"} ", value, "\n");
  }
  void Seconds(std::string_view stage, int64_t microseconds) {
    text_ += StrCat(name_, "{stage=\"", stage, "\"} ", microseconds / 1000000, ".",
                    std::to_string(1000000 + microseconds % 1000000).substr(1), "\n");
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string_view name_;
  std::string text_;
};

}  // namespace

std::string MetricsText(const ServerMetrics& metrics) {
  Writer writer;
  writer.Family("octavo_requests_total", "counter", "Chat requests that have ended, by outcome.");
  writer.Value("outcome", "answered", metrics.requests_answered);
  writer.Value("outcome", "refused", metrics.requests_refused);
  writer.Value("outcome", "failed", metrics.requests_failed);
  writer.Value("outcome", "gone", metrics.requests_gone);
  writer.Family("octavo_requests_waiting", "gauge",
                "Chat requests that have not reached the engine.");
  writer.Value(metrics.requests_waiting);
  writer.Family("octavo_requests_running", "gauge", "Chat requests in the engine.");
  writer.Value(metrics.requests_running);
  writer.Family("octavo_tokens_total", "counter", "Tokens of answered requests.");
  writer.Value("kind", "prompt", metrics.prompt_tokens);
  writer.Value("kind", "completion", metrics.completion_tokens);
  writer.Family("octavo_decode_steps_total", "counter",
                "Steps of the model that chose the tokens of answered requests.");
  writer.Value(metrics.decode_steps);
  writer.Family("octavo_draft_tokens_total", "counter",
                "Guesses that these steps verified, and how many were right.");
  writer.Value("kind", "drafted", metrics.drafted_tokens);
  writer.Value("kind", "accepted", metrics.accepted_tokens);
  writer.Family("octavo_prefix_cache_hit_tokens_total", "counter",
                "Prompt tokens of answered requests that were in the prefix cache.");
  writer.Value(metrics.cached_tokens);
  writer.Family("octavo_stage_seconds_total", "counter", "Time of answered requests by stage.");
  writer.Seconds("queue", metrics.queue_microseconds);
  writer.Seconds("encode", metrics.encode_microseconds);
  writer.Seconds("prefill", metrics.prefill_microseconds);
  writer.Seconds("decode", metrics.decode_microseconds);
  writer.Family("process_resident_memory_bytes", "gauge", "Resident memory.");
  writer.Value(ResidentBytes());
  return writer.Take();
}

}  // namespace octavo
