// VisionAttention: the arithmetic of the vision tower's attention.
#ifndef OCTAVO_MODEL_VISION_ATTENTION_H_
#define OCTAVO_MODEL_VISION_ATTENTION_H_

#include <optional>
#include <string_view>

namespace octavo {

struct KernelTable;

// f32: exact up to f32 rounding, the mode that parity is gated on. int16: 16-bit integers with an
// error of about 0.1 % (ops/full_attention_int16.h), faster where the processor has no bf16 dot.
enum class VisionAttention { kF32, kInt16 };

// "f32", "int16", and back; nullopt for other words.
const char* VisionAttentionName(VisionAttention attention) noexcept;
std::optional<VisionAttention> ParseVisionAttention(std::string_view name) noexcept;

// What a model is run with if nobody says: f32 with f32 compute, else int16 where it is faster on
// common processors of the table.
VisionAttention DefaultVisionAttention(bool is_f32_compute, const KernelTable& kernels) noexcept;

}  // namespace octavo

#endif  // OCTAVO_MODEL_VISION_ATTENTION_H_
