// Writes a model as GGUF's two files, tensor by tensor: one of them is in memory at a time.
#ifndef OCTAVO_QUANTIZE_WRITE_GGUF_H_
#define OCTAVO_QUANTIZE_WRITE_GGUF_H_

#include <filesystem>

#include "quantize/write_model.h"

namespace octavo {

inline constexpr const char* kGgufLanguageFile = "model.gguf";
inline constexpr const char* kGgufVisionFile = "mmproj-model.gguf";

// The language file and the vision file of llama.cpp's kind for Qwen2-VL, and octavo.json where the
// model has one. Matrices of groups become Q8_0, Q4_0 or Q4_1 (formats/gguf_encode.h), others keep
// their dtype, vectors and the patch embedding are F32. The language file gets its name last.
// Throws as WriteModel and ParseGgufTokens do; kUnsupported (numbers that GGUF has no blocks for,
// naming the tensor).
WrittenModel WriteGgufFolder(const Checkpoint& checkpoint, const ExportOptions& options,
                             const Adjustments& adjustments, const std::filesystem::path& folder,
                             ThreadPool* pool, const WriteProgress& progress);

}  // namespace octavo

#endif  // OCTAVO_QUANTIZE_WRITE_GGUF_H_
