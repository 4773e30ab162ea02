#include "vision/sample_depth.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/check.h"

namespace octavo {
namespace {

template <typename T>
T Load(const uint8_t* samples, size_t i) {
  T value;
  std::memcpy(&value, samples + i * sizeof(T), sizeof(T));
  return value;
}

// IEEE half: sign, 5 bits of exponent, 10 of fraction.
double HalfToDouble(uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int fraction = half & 1023;
  const double sign = half >> 15 == 0 ? 1 : -1;
  if (exponent == 31) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

double FloatSample(const uint8_t* samples, size_t i, int num_bits) {
  switch (num_bits) {
    case 16:
      return HalfToDouble(Load<uint16_t>(samples, i));
    case 32:
      return Load<float>(samples, i);
    default:
      return Load<double>(samples, i);
  }
}

uint32_t WholeSample(const uint8_t* samples, size_t i, int num_bits) {
  switch (num_bits) {
    case 8:
      return samples[i];
    case 16:
      return Load<uint16_t>(samples, i);
    case 32:
      return Load<uint32_t>(samples, i);
    default:
      break;
  }
  // Of any other width: at most 15 bits, out of the two or three bytes that they touch.
  const auto bits = static_cast<size_t>(num_bits);
  const size_t first_bit = i * bits;
  const size_t last_byte = (first_bit + bits - 1) / 8;
  uint32_t window = 0;
  for (size_t byte = first_bit / 8; byte <= last_byte; ++byte) window = window << 8 | samples[byte];
  const size_t num_behind = (last_byte + 1) * 8 - first_bit - bits;
  return window >> num_behind & ((1u << bits) - 1);
}

uint8_t CutAndClip(double value) {
  if (!(value > 0)) return 0;
  return value >= 255 ? 255 : static_cast<uint8_t>(value);
}

}  // namespace

bool IsKnownDepth(const SampleDepth& depth) {
  const int bits = depth.num_bits;
  if (depth.is_float) return bits == 16 || bits == 32 || bits == 64;
  return (bits >= 1 && bits <= 16) || bits == 32;
}

void FloatRange::Add(const uint8_t* samples, size_t num_samples, const SampleDepth& depth) {
  OCTAVO_CHECK(depth.is_float && IsKnownDepth(depth), depth.num_bits);
  for (size_t i = 0; i < num_samples; ++i) {
    const double value = FloatSample(samples, i, depth.num_bits);
    if (!std::isfinite(value)) continue;
    smallest_ = std::min(smallest_, value);
    largest_ = std::max(largest_, value);
  }
}

double FloatRange::low() const { return smallest_ >= 0 && largest_ <= 65535 ? 0 : smallest_; }

double FloatRange::high() const {
  if (!(smallest_ >= 0)) return largest_;
  for (const double limit : {1.0, 255.0, 65535.0}) {
    if (largest_ <= limit) return limit;
  }
  return largest_;
}

void SamplesTo8Bits(const uint8_t* samples, size_t num_samples, const SampleDepth& depth,
                    SampleRule rule, const FloatRange& range, uint8_t* out) {
  OCTAVO_CHECK(IsKnownDepth(depth), depth.num_bits);
  const int bits = depth.num_bits;
  if (depth.is_float) {
    const double low = range.low();
    const double span = range.high() - low;
    for (size_t i = 0; i < num_samples; ++i) {
      const double value = FloatSample(samples, i, bits);
      if (rule == SampleRule::kAsPillow) {
        out[i] = CutAndClip(value);
      } else if (std::isnan(value) || !(span > 0)) {
        out[i] = 255;
      } else {
        out[i] = CutAndClip((value - low) / span * 255 + 0.5);
      }
    }
    return;
  }
  if (bits == 8) {
    std::memcpy(out, samples, num_samples);
    return;
  }
  const uint64_t largest = (uint64_t{1} << bits) - 1;
  for (size_t i = 0; i < num_samples; ++i) {
    const uint64_t value = WholeSample(samples, i, bits);
    if (rule == SampleRule::kAsPillow && bits >= 16) {
      out[i] = static_cast<uint8_t>(depth.is_grey ? std::min<uint64_t>(value, 255)
                                                  : value >> (bits - 8));
    } else {
      out[i] = static_cast<uint8_t>((value * 255 + largest / 2) / largest);
    }
  }
}

void UnpackIndices(const uint8_t* samples, size_t num_samples, int num_bits, uint8_t* out) {
  OCTAVO_CHECK(num_bits >= 1 && num_bits <= 8, num_bits);
  for (size_t i = 0; i < num_samples; ++i) {
    out[i] = static_cast<uint8_t>(WholeSample(samples, i, num_bits));
  }
}

}  // namespace octavo
