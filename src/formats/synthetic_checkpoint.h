// SyntheticCheckpoint: seeded random weights of given shapes, made when they are asked for.
// For benches and tests; can be written as Hugging Face files by checkpoint_writer.
#ifndef OCTAVO_FORMATS_SYNTHETIC_CHECKPOINT_H_
#define OCTAVO_FORMATS_SYNTHETIC_CHECKPOINT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "formats/checkpoint.h"

namespace octavo {

// Values of a tensor depend on its name and the seed only. Matrices are uniform with variance
// 1/K (K the elements of a row: all dimensions but the first), so that activations keep their
// scale; one-dimensional tensors named
// *norm*.weight or *ln_q.weight are 1 +- 0.2, other one-dimensional ones +-0.1.
// `tensors` gives names, dtypes (F32, F16 or BF16) and shapes; `text_files` name to content.
std::unique_ptr<Checkpoint> MakeSyntheticCheckpoint(std::vector<TensorInfo> tensors,
                                                    std::map<std::string, std::string> text_files,
                                                    uint64_t seed);

}  // namespace octavo

#endif  // OCTAVO_FORMATS_SYNTHETIC_CHECKPOINT_H_
