#include "cli/model_flags.h"

namespace octavo {

EngineOptions ToEngineOptions(const ModelFlags& flags, const std::string& model_dir) {
  return {.model_dir = model_dir,
          .compute = flags.compute,
          .attention = flags.attention,
          .kv_cache_dtype = flags.kv_cache_dtype,
          .num_threads = flags.num_threads,
          .memory_limit_bytes = flags.memory_limit};
}

}  // namespace octavo
