// Attention in 16-bit integers in plain C++: the definition. A table whose processors have no
// multiply-add of int16 pairs runs these bodies, too.
#ifndef OCTAVO_KERNELS_ATTENTION_INT16_INL_H_
#define OCTAVO_KERNELS_ATTENTION_INT16_INL_H_

#include <cstdint>

#include "kernels/attention_int16.h"

namespace octavo {
namespace {
namespace int16_attention {

// 1.5 * 2^23: a number added to it lands, rounded to the nearest even integer, in the low bits.
constexpr float kMagic = 12582912.0f;
// 2^x for |x| <= 1/2 within 7.5e-5, minimax: powers are rounded to 13 bits afterwards.
constexpr float kPower[4] = {0x1.fff692p-1f, 0x1.62f31ap-1f, 0x1.f0de1cp-3f, 0x1.c3f760p-5f};
constexpr float kTop = 0x1.9ffe8ep+3f;  // log2(8191)
constexpr float kBottom = -24;          // lower powers round to zero
constexpr float kIntegers = 0x1p23f;    // added: the low 16 bits are the number, rounded

OCTAVO_INT16_INLINE uint32_t BitsOf(float x) { return __builtin_bit_cast(uint32_t, x); }
OCTAVO_INT16_INLINE float FromBits(uint32_t x) { return __builtin_bit_cast(float, x); }

// The second number where one of them is NaN, as the vector instruction does.
OCTAVO_INT16_INLINE float MaxOf(float a, float b) { return a > b ? a : b; }
OCTAVO_INT16_INLINE float MinOf(float a, float b) { return a < b ? a : b; }

// Magnitudes compare as their bits do, NaN highest.
OCTAVO_INT16_INLINE float LargerOf(float largest, float x) {
  const uint32_t size = BitsOf(x) & 0x7FFFFFFFu;
  return size > BitsOf(largest) ? FromBits(size) : largest;
}

// x within +-range, NaN as -range; to the nearest even integer.
OCTAVO_INT16_INLINE int16_t ToInt16(float x, float range) {
  const float clamped = MinOf(MaxOf(x, -range), range);
  return static_cast<int16_t>(static_cast<int32_t>(BitsOf(clamped + kMagic) - BitsOf(kMagic)));
}

// 2^x as an integer, for x of at most log2(8191).
OCTAVO_INT16_INLINE int32_t IntegerPower(float x) {
  x = MaxOf(x, kBottom);
  const float t = x + kMagic;
  const float r = x - (t - kMagic);
  float p = __builtin_fmaf(r, kPower[3], kPower[2]);
  p = __builtin_fmaf(p, r, kPower[1]);
  p = __builtin_fmaf(p, r, kPower[0]);
  const float power = FromBits(BitsOf(p) + (BitsOf(t) << 23));
  return static_cast<int32_t>(BitsOf(power + kIntegers) & 0xFFFFu);
}

// 2^x for x <= 0 within 1 ulp: PowerOfTwo of kernels-inl.h, with one rounding per multiply-add.
OCTAVO_INT16_INLINE float BlockPower(float x) {
  constexpr float kRounder = 12583039.0f;
  const float clamped = -127.0f > x ? -127.0f : x;  // NaN stays
  const float rounded = clamped + kRounder;
  const float r = clamped - (rounded - kRounder);
  float p = __builtin_fmaf(0x1.41fbbcp-13f, r, 0x1.5f3e54p-10f);
  p = __builtin_fmaf(p, r, 0x1.3b2d4cp-7f);
  p = __builtin_fmaf(p, r, 0x1.c6aee8p-5f);
  p = __builtin_fmaf(p, r, 0x1.ebfbdcp-3f);
  p = __builtin_fmaf(p, r, 0x1.62e430p-1f);
  p = __builtin_fmaf(p, r, 1.0f);
  return p * FromBits(BitsOf(rounded) << 23);
}

void SumRows(const HeadRows& x, float* sums) {
  for (int64_t c = 0; c < x.dim; ++c) sums[c] = 0;
  for (int64_t r = 0; r < x.rows; ++r) {
    for (int64_t c = 0; c < x.dim; ++c) sums[c] += x.data[r * x.stride + c];
  }
}

void LargestOfRows(const HeadRows& x, float* largest) {
  for (int64_t c = 0; c < x.dim; ++c) largest[c] = 0;
  for (int64_t r = 0; r < x.rows; ++r) {
    for (int64_t c = 0; c < x.dim; ++c) {
      largest[c] = LargerOf(largest[c], x.data[r * x.stride + c]);
    }
  }
}

void PackKeys(const HeadRows& k, const float* mean, int16_t* keys, float* scale) {
  const int64_t padded = Int16Dim(k.dim);
  const int64_t range = Int16ScoreRange(k.dim);
  float largest = 0;
  for (int64_t r = 0; r < k.rows; ++r) {
    for (int64_t c = 0; c < k.dim; ++c) {
      largest = LargerOf(largest, k.data[r * k.stride + c] - mean[c]);
    }
  }
  const Int16Scale s = Int16ScaleOf(largest, range);
  *scale = s.scale;
  for (int64_t r = 0; r < k.rows; ++r) {
    for (int64_t c = 0; c < padded; ++c) {
      const float x = c < k.dim ? (k.data[r * k.stride + c] - mean[c]) * s.inverse : 0.0f;
      keys[r * padded + c] = ToInt16(x, static_cast<float>(range));
    }
  }
}

void PackValues(const HeadRows& v, const float* inverse, int16_t* values) {
  const int64_t end = (v.rows + 15) / 16 * 16;
  for (int64_t c = 0; c < v.dim; ++c) {
    for (int64_t r = 0; r < end; ++r) {
      const float x = r < v.rows ? v.data[r * v.stride + c] * inverse[c] : 0.0f;
      values[c * kInt16Keys + r] = ToInt16(x, static_cast<float>(kInt16ValueRange));
    }
  }
}

void PackQueries(const HeadRows& q, float scale, int16_t* queries, float* scales) {
  const int64_t padded = Int16Dim(q.dim);
  const int64_t range = Int16ScoreRange(q.dim);
  for (int64_t r = 0; r < kInt16Lanes; ++r) {
    const bool exists = r < q.rows;
    float largest = 0;
    for (int64_t c = 0; exists && c < q.dim; ++c) {
      largest = LargerOf(largest, q.data[r * q.stride + c]);
    }
    const Int16Scale s = Int16ScaleOf(largest, range);
    scales[r] = s.scale * scale;
    for (int64_t c = 0; c < padded; ++c) {
      const float x = exists && c < q.dim ? q.data[r * q.stride + c] * s.inverse : 0.0f;
      queries[(c / 2 * kInt16Lanes + r) * 2 + c % 2] = ToInt16(x, static_cast<float>(range));
    }
  }
}

// Powers of one query's scores, relative to the highest of them, and their sum. The difference
// comes first: however large scores are, no power leaves its range, and the highest is 2^kTop.
OCTAVO_INT16_INLINE int32_t ToPowers(const Int16Block& b, int64_t lane, float scale, float highest,
                                     int32_t* powers) {
  int32_t sum = 0;
  for (int64_t k = 0; k < b.num_keys; ++k) {
    const auto score = static_cast<float>(b.scores[k * kInt16Lanes + lane]);
    powers[k] = IntegerPower(__builtin_fmaf(score - highest, scale, kTop));
    sum += powers[k];
  }
  return sum;
}

void Attend(const Int16Block& b) {
  const int64_t padded = Int16Dim(b.dim);
  for (int64_t lane = 0; lane < kInt16Lanes; ++lane) {
    int32_t highest = INT32_MIN;
    for (int64_t k = 0; k < b.num_keys; ++k) {
      int32_t score = 0;
      for (int64_t c = 0; c < padded; ++c) {
        score += b.keys[k * padded + c] * b.queries[(c / 2 * kInt16Lanes + lane) * 2 + c % 2];
      }
      b.scores[k * kInt16Lanes + lane] = score;
      highest = score > highest ? score : highest;
    }
    const float scale = b.query_scales[lane] * b.key_scale;
    int32_t powers[kInt16Keys];
    const auto sum =
        static_cast<float>(ToPowers(b, lane, scale, static_cast<float>(highest), powers));
    // Powers relative to the highest score of all blocks so far.
    const float block_maximum = static_cast<float>(highest) * scale;
    const float maximum = MaxOf(b.maximum[lane], block_maximum);
    const float correction = BlockPower(b.maximum[lane] - maximum);  // of what is there
    const float factor = BlockPower(block_maximum - maximum);        // of this block
    b.maximum[lane] = maximum;
    b.sum[lane] = __builtin_fmaf(b.sum[lane], correction, sum * factor);
    for (int64_t c = 0; c < b.dim; ++c) {
      int32_t total = 0;
      for (int64_t k = 0; k < b.num_keys; ++k) total += powers[k] * b.values[c * kInt16Keys + k];
      float* output = b.output + c * kInt16Lanes + lane;
      *output = __builtin_fmaf(*output, correction, static_cast<float>(total) * factor);
    }
  }
}

void Finish(const Int16Block& b, const float* value_scale, int64_t rows, float* out,
            int64_t out_stride) {
  for (int64_t i = 0; i < rows; ++i) {
    const float share = 1.0f / b.sum[i];
    for (int64_t c = 0; c < b.dim; ++c) {
      out[i * out_stride + c] = b.output[c * kInt16Lanes + i] * share * value_scale[c];
    }
  }
}

constexpr AttentionInt16Kernels Kernels() {
  AttentionInt16Kernels k{};
  k.sum_rows = SumRows;
  k.largest_of_rows = LargestOfRows;
  k.pack_keys = PackKeys;
  k.pack_values = PackValues;
  k.pack_queries = PackQueries;
  k.attend = Attend;
  k.finish = Finish;
  return k;
}

}  // namespace int16_attention
}  // namespace
}  // namespace octavo

#endif  // OCTAVO_KERNELS_ATTENTION_INT16_INL_H_
