// A random-weight model of the real architecture in memory: whole file set, no download.
#ifndef OCTAVO_TESTS_TESTING_TINY_MODEL_H_
#define OCTAVO_TESTS_TESTING_TINY_MODEL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "formats/checkpoint.h"
#include "formats/synthetic_files.h"

namespace octavo::testing {

// Two layers each, odd sizes on purpose (no K is a multiple of 128). 287 ids have a token: 256
// bytes and 31 special tokens.
struct TinyModelSpec : SyntheticModelSpec {
  TinyModelSpec();
  DType dtype = DType::kF32;
  uint64_t seed = 1;
};

inline constexpr int32_t kTinyEosId = 258;  // <|im_end|>

std::unique_ptr<Checkpoint> MakeTinyModel(const TinyModelSpec& spec = {});

}  // namespace octavo::testing

#endif  // OCTAVO_TESTS_TESTING_TINY_MODEL_H_
