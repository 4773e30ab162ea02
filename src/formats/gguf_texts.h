// The text files that a Hugging Face checkpoint has, made from the metadata of GGUF files.
#ifndef OCTAVO_FORMATS_GGUF_TEXTS_H_
#define OCTAVO_FORMATS_GGUF_TEXTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "formats/gguf.h"

namespace octavo {

// What tensors know better than metadata.
struct GgufFacts {
  bool has_head = false;     // an output.weight: embeddings are not tied
  int64_t vocab_size = 0;    // rows of token_embd.weight
  int64_t vision_width = 0;  // columns and rows of the first layer's fc1: converters write a wrong
  int64_t vision_mlp = 0;    // clip.vision.feed_forward_length
};

// config.json, generation_config.json, preprocessor_config.json and tokenizer.json of a language
// file and a vision file. Limits on pixels that the vision file does not name are MinerU2.5's.
// `where` names the files in messages. Throws kDataLoss (a key absent or of another type),
// kUnsupported (another tokenizer, projector or activation).
// Sources: ggml-org/llama.cpp gguf-py/gguf/constants.py, tools/mtmd/clip-impl.h.
std::map<std::string, std::string> GgufTextFiles(const Gguf& language, const Gguf& vision,
                                                 const GgufFacts& facts, std::string_view where);

}  // namespace octavo

#endif  // OCTAVO_FORMATS_GGUF_TEXTS_H_
