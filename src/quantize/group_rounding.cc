#include "quantize/group_rounding.h"

#include <algorithm>
#include <cmath>

#include "tensor/float16.h"

namespace octavo {
namespace {

constexpr int k4BitMost = 15;
constexpr int k7BitMost = 63;
constexpr int k8BitMiddle = 128;

uint16_t ScaleBits(float scale, DType dtype) {
  return dtype == DType::kF16 ? ToFloat16(scale).bits : ToBFloat16(scale).bits;
}
float ScaleValue(uint16_t bits, DType dtype) {
  return dtype == DType::kF16 ? ToFloat(Float16{bits}) : ToFloat(BFloat16{bits});
}

// q - zero as a float. Quotients are bounded first (a scale that was rounded down makes large
// ones); 1.5 * 2^23 then rounds to integers, ties to the even one, without a call.
float Steps(const GroupRange& range, float w) {
  constexpr float kRounder = 12582912.0f;
  constexpr float kBound = 1024.0f;
  float steps = range.scale > 0 ? w / range.scale : 0.0f;
  steps = steps < kBound ? steps : kBound;
  steps = steps > -kBound ? steps : -kBound;
  steps = (steps + kRounder) - kRounder;
  const auto least = static_cast<float>(range.least - range.zero);
  const auto most = static_cast<float>(range.most - range.zero);
  steps = steps > least ? steps : least;
  return steps < most ? steps : most;
}

}  // namespace

GroupRange FindGroupRange(const GroupLayout& layout, const float* w, int size) noexcept {
  float lo = 0;
  float hi = 0;
  for (int i = 0; i < size; ++i) {
    lo = w[i] < lo ? w[i] : lo;
    hi = w[i] > hi ? w[i] : hi;
  }
  const bool is_4bit = layout.bits == 4;
  GroupRange range;
  range.least = is_4bit ? 0 : k8BitMiddle - k7BitMost;
  range.most = is_4bit ? k4BitMost : k8BitMiddle + k7BitMost;
  range.zero = is_4bit ? 0 : k8BitMiddle;
  const float wish = is_4bit ? (hi - lo) / static_cast<float>(k4BitMost)
                             : std::max(hi, -lo) / static_cast<float>(k7BitMost);
  range.scale_bits = ScaleBits(wish, layout.scale_dtype);
  range.scale = ScaleValue(range.scale_bits, layout.scale_dtype);
  if (is_4bit && range.scale > 0 && std::isfinite(range.scale)) {
    range.zero = static_cast<int>(
        std::clamp(std::nearbyint(-lo / range.scale), 0.0f, static_cast<float>(k4BitMost)));
  }
  return range;
}

void RoundGroup(const GroupRange& range, const float* w, int size, uint8_t* q) noexcept {
  for (int i = 0; i < size; ++i) {
    q[i] = static_cast<uint8_t>(static_cast<int>(Steps(range, w[i])) + range.zero);
  }
}

void RoundGroupToFloats(const GroupRange& range, const float* w, int size,
                        float* rounded) noexcept {
  for (int i = 0; i < size; ++i) rounded[i] = Steps(range, w[i]) * range.scale;
}

}  // namespace octavo
