#include "vision/resize.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/check.h"

namespace octavo {
namespace {

// Pillow: 32 bits less 8 of the result and 2 for negative lobes. torch: the most it will choose.
constexpr int kMaxWeightBits = 22;

// What one output pixel reads of one axis: `count` inputs from `first`, weights from `weights`.
struct Taps {
  int first = 0;
  int count = 0;
  size_t weights = 0;
};

// Fixed-point filter of one axis. A weight w is stored as round(w 2^bits).
struct AxisFilter {
  int bits = kMaxWeightBits;
  std::vector<Taps> taps;
  std::vector<int32_t> weights;
};

// Keys' cubic with a = -0.5, written as both libraries do.
double Cubic(double x) {
  constexpr double kA = -0.5;
  x = std::fabs(x);
  if (x < 1.0) return ((kA + 2.0) * x - (kA + 3.0)) * x * x + 1;
  if (x < 2.0) return (((x - 5) * x + 8) * x - 4) * kA;
  return 0.0;
}

// Towards zero, as a cast in C. Both libraries round by adding a half and casting, which is not
// lround: it differs for some values just below a half and for negative ones.
int32_t Truncate(double value) { return static_cast<int32_t>(value); }

// Half away from zero, for values that fit.
int32_t RoundToFixed(double weight, int bits) {
  const double scaled = weight * static_cast<double>(int64_t{1} << bits);
  return Truncate(weight < 0 ? scaled - 0.5 : scaled + 0.5);
}

// The most bits with which the largest weight still fits int16. Source:
// HelperInterpBase::_compute_index_ranges_int16_weights of torch 2.13, UpSampleKernel.cpp.
int Int16WeightBits(double largest) {
  int bits = 0;
  while (bits < kMaxWeightBits &&
         Truncate(0.5 + largest * static_cast<double>(1 << (bits + 1))) < (1 << 15)) {
    ++bits;
  }
  return bits;
}

// Source: precompute_coeffs and normalize_coeffs_8bpc of Pillow, Resample.c; torch computes the
// same double weights.
AxisFilter MakeFilter(int in_size, int out_size, bool has_int16_weights) {
  const double scale = static_cast<double>(in_size) / out_size;
  const double filter_scale = std::max(scale, 1.0);
  const double inverse_scale = 1.0 / filter_scale;
  const double support = 2.0 * filter_scale;
  AxisFilter filter;
  filter.taps.reserve(static_cast<size_t>(out_size));
  std::vector<double> weights;
  double largest = 0.0;
  for (int out = 0; out < out_size; ++out) {
    const double center = (out + 0.5) * scale;
    const int first = std::max(0, Truncate(center - support + 0.5));
    const int last = std::min(in_size, Truncate(center + support + 0.5));
    const size_t start = weights.size();
    filter.taps.push_back({.first = first, .count = last - first, .weights = start});
    double sum = 0.0;
    for (int in = first; in < last; ++in) {
      weights.push_back(Cubic((in - center + 0.5) * inverse_scale));
      sum += weights.back();
    }
    for (size_t i = start; i < weights.size(); ++i) {
      if (sum != 0.0) weights[i] /= sum;
      largest = std::max(largest, weights[i]);
    }
  }
  if (has_int16_weights) filter.bits = Int16WeightBits(largest);
  filter.weights.reserve(weights.size());
  for (const double weight : weights) filter.weights.push_back(RoundToFixed(weight, filter.bits));
  return filter;
}

uint8_t ClipToByte(int32_t value) { return static_cast<uint8_t>(std::clamp(value, 0, 255)); }

// Accumulators cannot overflow: the absolute weights of one pixel sum to less than 1.6, so that
// |sum| < 1.6 * 255 * 2^22 < 2^31.
Image ResizeHorizontally(const Image& image, int width, bool has_int16_weights) {
  const AxisFilter filter = MakeFilter(image.width, width, has_int16_weights);
  const int bits = filter.bits;
  Image out(width, image.height);
  for (int y = 0; y < image.height; ++y) {
    const uint8_t* in_row = image.row(y);
    uint8_t* out_pixel = out.row(y);
    for (const Taps& taps : filter.taps) {
      const int32_t* weights = filter.weights.data() + taps.weights;
      const uint8_t* in = in_row + static_cast<size_t>(taps.first) * 3;
      int32_t r = 1 << (bits - 1);
      int32_t g = r;
      int32_t b = r;
      for (int i = 0; i < taps.count; ++i, in += 3) {
        r += in[0] * weights[i];
        g += in[1] * weights[i];
        b += in[2] * weights[i];
      }
      out_pixel[0] = ClipToByte(r >> bits);
      out_pixel[1] = ClipToByte(g >> bits);
      out_pixel[2] = ClipToByte(b >> bits);
      out_pixel += 3;
    }
  }
  return out;
}

// Bytes of a row that are worked on together; their accumulators stay in the first-level cache.
constexpr size_t kVerticalBlock = 1024;

// sums[i] += weight * in[i]. A whole number of vectors, so that no remainder loop is needed.
void AddWeighted(int32_t* __restrict sums, const uint8_t* __restrict in, int32_t weight,
                 size_t count) {
  for (size_t i = 0; i < count; ++i) sums[i] += in[i] * weight;
}

void StoreBytes(uint8_t* __restrict out, const int32_t* __restrict sums, int bits, size_t count) {
  for (size_t i = 0; i < count; ++i) out[i] = ClipToByte(sums[i] >> bits);
}

Image ResizeVertically(const Image& image, int height, bool has_int16_weights) {
  const AxisFilter filter = MakeFilter(image.height, height, has_int16_weights);
  Image out(image.width, height);
  const size_t row_bytes = static_cast<size_t>(image.width) * 3;
  alignas(64) int32_t sums[kVerticalBlock];
  for (int y = 0; y < height; ++y) {
    const Taps& taps = filter.taps[static_cast<size_t>(y)];
    const int32_t* weights = filter.weights.data() + taps.weights;
    for (size_t start = 0; start < row_bytes; start += kVerticalBlock) {
      const size_t count = std::min(kVerticalBlock, row_bytes - start);
      std::fill_n(sums, count, 1 << (filter.bits - 1));
      for (int i = 0; i < taps.count; ++i) {
        AddWeighted(sums, image.row(taps.first + i) + start, weights[i], count);
      }
      StoreBytes(out.row(y) + start, sums, filter.bits, count);
    }
  }
  return out;
}

// Pillow picks the order in C by the sizes alone; these rules reproduce 12.2 and 13.0 on every
// size tried.
bool IsVerticalFirst(const Image& image, int width, int height, ResampleRule rule) {
  switch (rule) {
    case ResampleRule::kPillow12:
      return image.height > 100 * int64_t{image.width};
    case ResampleRule::kPillow13:
      return height < image.height &&
             int64_t{image.height} - height > 2 * (int64_t{image.width} - width);
    default:
      return false;
  }
}

}  // namespace

Image Resize(const Image& image, int width, int height, ResampleRule rule) {
  OCTAVO_CHECK(!image.empty() && width >= 1 && height >= 1, image.width, "x", image.height, " to ",
               width, "x", height);
  const bool has_int16_weights = rule == ResampleRule::kTorchvision;
  const bool is_same_width = width == image.width;
  const bool is_same_height = height == image.height;
  if (is_same_width && is_same_height) return image;
  if (is_same_height) return ResizeHorizontally(image, width, has_int16_weights);
  if (is_same_width) return ResizeVertically(image, height, has_int16_weights);
  if (IsVerticalFirst(image, width, height, rule)) {
    return ResizeHorizontally(ResizeVertically(image, height, has_int16_weights), width,
                              has_int16_weights);
  }
  return ResizeVertically(ResizeHorizontally(image, width, has_int16_weights), height,
                          has_int16_weights);
}

}  // namespace octavo
