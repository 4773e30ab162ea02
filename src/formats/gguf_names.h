// Which tensor of the model a tensor of a GGUF file is, or is a part of.
#ifndef OCTAVO_FORMATS_GGUF_NAMES_H_
#define OCTAVO_FORMATS_GGUF_NAMES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace octavo {

struct GgufPlace {
  std::string name;  // canonical: "visual.blocks.0.attn.qkv.weight"
  int part = 0;      // of q, k, v; of the two halves of the patch embedding
  int num_parts = 1;
};

// nullopt for names that the architecture does not have.
// Source: ggml-org/llama.cpp gguf-py/gguf/constants.py, tools/mtmd/clip-impl.h.
std::optional<GgufPlace> FindGgufPlace(std::string_view name);

// The names that a tensor of a model has in GGUF files, one for each of its parts in their order;
// empty if it has none there.
std::vector<std::string> GgufNamesOf(std::string_view canonical);

}  // namespace octavo

#endif  // OCTAVO_FORMATS_GGUF_NAMES_H_
