// Synthetic checkpoints: the exact shapes of a published model with seeded random weights, for
// benches on machines that do not have the real one.
#ifndef OCTAVO_CLI_SYNTHETIC_MODEL_H_
#define OCTAVO_CLI_SYNTHETIC_MODEL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/checkpoint.h"

namespace octavo {

// Text files that a synthetic checkpoint carries, by name, in the order they are written.
const std::vector<std::string>& SyntheticTextFiles();

// `name`: "mineru2.5" (the 1.2 B architecture of MinerU2.5-2509 and Pro) or "tiny" (the same with
// two layers and small widths, for tests). Weights are made when asked for and take no memory until
// then. The tokenizer has the 256 bytes and the special tokens, so that the set loads anywhere.
// Throws kInvalidArgument for another name.
std::unique_ptr<Checkpoint> OpenSyntheticModel(std::string_view name, uint64_t seed);

}  // namespace octavo

#endif  // OCTAVO_CLI_SYNTHETIC_MODEL_H_
