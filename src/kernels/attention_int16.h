// Attention in 16-bit integers: the slots of a kernel table, and what each computes.
//
// One head, every query over every key. Scores are dot products of integers: the mean of all keys
// is taken off the keys (a shift of all scores of a query, which softmax does not see), a query row
// and a block of 128 keys have a scale each. Powers of two of the scores become integers up to
// 8192, relative to the highest score of their own block of keys; values have a scale per channel.
// Both sums are exact in 32 bits. Blocks are joined in f32, as an online softmax. The error is
// about 0.1 % of the result.
//
// All tables give the same bits: integers are exact, and every f32 operation (a multiply-add rounds
// once) stands in the same order. A number that is not finite makes those outputs not finite that
// it reaches.
#ifndef OCTAVO_KERNELS_ATTENTION_INT16_H_
#define OCTAVO_KERNELS_ATTENTION_INT16_H_

#include <cstdint>

namespace octavo {

inline constexpr int64_t kInt16Lanes = 64;  // queries that are worked on together
inline constexpr int64_t kInt16Keys = 128;  // keys of a block

// Powers are rounded from at most 8191 * (1 + 1e-4), values lie in +-2047.
inline constexpr int64_t kInt16PowerRange = 8192;
inline constexpr int64_t kInt16ValueRange = 2047;
static_assert(kInt16Keys * kInt16PowerRange * kInt16ValueRange < int64_t{1} << 31);

// Always inlined: no copy compiled with one table's flags is left for the linker to choose.
#define OCTAVO_INT16_INLINE inline __attribute__((always_inline))

// Queries and keys lie in +- this: the most, up to 4095, for which no dot product leaves 32 bits.
constexpr OCTAVO_INT16_INLINE int64_t Int16ScoreRange(int64_t head_dim) {
  int64_t range = 4095;
  while (head_dim * range * range >= int64_t{1} << 31) --range;
  return range;
}
static_assert(Int16ScoreRange(80) == 4095 && Int16ScoreRange(128) == 4095);

// Channels of a packed query or key: those past head_dim are zero.
constexpr OCTAVO_INT16_INLINE int64_t Int16Dim(int64_t head_dim) { return (head_dim + 7) / 8 * 8; }

// Numbers up to `largest` in size are `scale` times integers within +-range, rounded from the
// number times `inverse`. Below 2^-100 all count as zero; if `largest` is not finite, the scale is
// not.
struct Int16Scale {
  float scale;
  float inverse;
};
constexpr OCTAVO_INT16_INLINE Int16Scale Int16ScaleOf(float largest, int64_t range) {
  const auto most = static_cast<float>(range);
  if (largest < 0x1p-100f) return {0, 0};
  return {largest / most, largest < __builtin_inff() ? most / largest : 0};
}

// Rows of one head in a matrix of f32.
struct HeadRows {
  const float* data = nullptr;
  int64_t stride = 0;  // numbers from row to row
  int64_t rows = 0;
  int64_t dim = 0;
};

// One block of keys for kInt16Lanes queries. maximum, sum and output run on from block to block:
// -inf, 0 and 0 before the first.
struct Int16Block {
  const int16_t* queries = nullptr;     // as pack_queries leaves them
  const float* query_scales = nullptr;  // [64]
  const int16_t* keys = nullptr;        // [num_keys][Int16Dim]
  float key_scale = 0;
  const int16_t* values = nullptr;  // [dim][128], as pack_values leaves them
  int64_t num_keys = 0;             // 1 to 128
  int64_t dim = 0;                  // head_dim
  int32_t* scores = nullptr;        // [128][64] scratch
  float* maximum = nullptr;         // [64] highest score so far, times log2(e)
  float* sum = nullptr;             // [64] of powers
  float* output = nullptr;          // [dim][64], in units of the values' scales
};

struct AttentionInt16Kernels {
  // True where it beats attention in f32 on common processors of this table.
  bool is_preferred = false;

  // sums[c] = rows[0][c] + rows[1][c] + …, in this order, from zero.
  void (*sum_rows)(const HeadRows& x, float* sums) = nullptr;
  // largest[c] = highest |rows[r][c]|; NaN counts as the highest.
  void (*largest_of_rows)(const HeadRows& x, float* largest) = nullptr;

  // At most 128 rows: keys[r][c] = (k[r][c] - mean[c]) in the scale of them all, nearest even;
  // channels past dim are zero.
  void (*pack_keys)(const HeadRows& k, const float* mean, int16_t* keys, float* scale) = nullptr;
  // At most 128 rows: values[c][r] = v[r][c] * inverse[c], nearest even, [dim][128]; those behind
  // the last row are zero up to the next multiple of 16, and not written from there on.
  void (*pack_values)(const HeadRows& v, const float* inverse, int16_t* values) = nullptr;
  // At most 64 rows, each in its own scale: queries[c / 2][row][c % 2], [Int16Dim / 2][64][2], zero
  // where there is no number. scales[row] is that scale times `scale`, 0 behind the last row.
  void (*pack_queries)(const HeadRows& q, float scale, int16_t* queries, float* scales) = nullptr;

  void (*attend)(const Int16Block& block) = nullptr;
  // out[i][c] = (output[c][i] * (1 / sum[i])) * value_scale[c]; out has `rows` <= 64 rows.
  void (*finish)(const Int16Block& block, const float* value_scale, int64_t rows, float* out,
                 int64_t out_stride) = nullptr;
};

}  // namespace octavo

#endif  // OCTAVO_KERNELS_ATTENTION_INT16_H_
