// Flags of which model runs and how, which every command with a model has.
#ifndef OCTAVO_CLI_MODEL_FLAGS_H_
#define OCTAVO_CLI_MODEL_FLAGS_H_

#include <cstdint>
#include <string>

#include "octavo/engine.h"

namespace octavo {

// As they were given; EngineOptions says what they mean.
struct ModelFlags {
  // Change results.
  std::string model_dir = {};       // "": model_lookup.h
  std::string compute = {};         // "f32", "bf16", "int8", "int16"; "": the checkpoint's
  std::string attention = {};       // "f32", "int16"; "": by compute
  std::string kv_cache_dtype = {};  // "f32", "bf16", "f16", "int8"; "": by compute
  // Change speed and memory only.
  int num_threads = 0;
  int64_t memory_limit = 0;  // bytes; 0: EngineOptions' default
};

// With the model that was looked up; what the flags do not say is as EngineOptions has it.
EngineOptions ToEngineOptions(const ModelFlags& flags, const std::string& model_dir);

}  // namespace octavo

#endif  // OCTAVO_CLI_MODEL_FLAGS_H_
