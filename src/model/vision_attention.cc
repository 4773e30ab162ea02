#include "model/vision_attention.h"

#include "ops/full_attention_int16.h"

namespace octavo {

const char* VisionAttentionName(VisionAttention attention) noexcept {
  return attention == VisionAttention::kInt16 ? "int16" : "f32";
}

std::optional<VisionAttention> ParseVisionAttention(std::string_view name) noexcept {
  for (const VisionAttention attention : {VisionAttention::kF32, VisionAttention::kInt16}) {
    if (name == VisionAttentionName(attention)) return attention;
  }
  return std::nullopt;
}

VisionAttention DefaultVisionAttention(bool is_f32_compute, const KernelTable& kernels) noexcept {
  if (is_f32_compute || !ops::PrefersInt16Attention(kernels)) return VisionAttention::kF32;
  return VisionAttention::kInt16;
}

}  // namespace octavo
