// A language file and a vision file in GGUF, together one checkpoint.
#ifndef OCTAVO_FORMATS_GGUF_CHECKPOINT_H_
#define OCTAVO_FORMATS_GGUF_CHECKPOINT_H_

#include <filesystem>
#include <memory>

#include "formats/checkpoint.h"

namespace octavo {

// True if a folder has files whose names end in .gguf.
bool HasGgufFiles(const std::filesystem::path& folder);

// `path`: a folder with one language file (architecture qwen2vl) and one vision file (clip, also
// called mmproj), or the language file itself with one vision file beside it.
// Tensors have the canonical names; attn_q, attn_k and attn_v of the vision file are one qkv again,
// the two halves of the patch embedding one. Q4_0, Q5_0 and Q8_0 are packed in groups of 32,
// exactly; other blocks are widened to f32, of which the log warns. Throws as Gguf::Open; kNotFound
// (one of the two is absent), kInvalidArgument (there are several), kDataLoss, kUnsupported (a
// tensor or an element type that the model has no use for). Source of names: ggml-org/llama.cpp
// gguf-py/gguf/constants.py, tools/mtmd/clip-impl.h.
std::unique_ptr<Checkpoint> OpenGgufCheckpoint(const std::filesystem::path& path);

// The vision file that OpenGgufCheckpoint takes with this language file. Throws as it does.
std::filesystem::path GgufVisionFileBeside(const std::filesystem::path& language_file);

}  // namespace octavo

#endif  // OCTAVO_FORMATS_GGUF_CHECKPOINT_H_
