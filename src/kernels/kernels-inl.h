// Bodies of all kernels but the products, written once over the Vec vocabulary. Include a vec_*.h
// first.
#ifndef OCTAVO_KERNELS_KERNELS_INL_H_
#define OCTAVO_KERNELS_KERNELS_INL_H_

#include "kernels/gemm-inl.h"
#include "kernels/kernel_table.h"

namespace octavo {
namespace {

// out[i] = op(in[i]) for whole vectors, then for what is left.
template <class Op>
OCTAVO_INLINE void Map(const float* in, int64_t count, float* out, Op op) {
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) Store(out + i, op(Load(in + i)));
  if (i < count) StoreN(out + i, op(LoadN(in + i, count - i)), count - i);
}

// 1.5 * 2^23 + 127: a number added to it lands, rounded to the nearest integer n, in the low bits
// as n + 127, the exponent field of 2^n.
constexpr float kRounder = 12583039.0f;

// e^x within 2 ulp; 0 below -87.7 (where the result would be denormal), e^88 above 88, NaN for NaN.
// Cephes' expf: x = n ln 2 + r, |r| <= ln 2 / 2, and a polynomial of degree 6 in r.
OCTAVO_INLINE Vec Exp(Vec x) {
  const Vec clamped = Min(Set(88.0f), Max(Set(-88.1f), x));
  const Vec rounded = Fma(clamped, Set(1.44269504f), Set(kRounder));
  const Vec n = Sub(rounded, Set(kRounder));
  Vec r = Fma(n, Set(-0.693359375f), clamped);
  r = Fma(n, Set(2.12194440e-4f), r);
  Vec p = Fma(Set(1.9875691500e-4f), r, Set(1.3981999507e-3f));
  p = Fma(p, r, Set(8.3334519073e-3f));
  p = Fma(p, r, Set(4.1665795894e-2f));
  p = Fma(p, r, Set(1.6666665459e-1f));
  p = Fma(p, r, Set(5.0000001201e-1f));
  p = Add(Fma(p, Mul(r, r), r), Set(1.0f));
  return Mul(p, LowBitsToExponent(rounded));
}

// 2^x for x <= 0 within 1 ulp; exactly 1 at 0, exactly 0 below -126.5, NaN for NaN.
// Minimax polynomial of degree 6 for 2^r, |r| <= 1/2, error 2e-9.
OCTAVO_INLINE Vec PowerOfTwo(Vec x) {
  const Vec clamped = Max(Set(-127.0f), x);
  const Vec rounded = Add(clamped, Set(kRounder));
  const Vec r = Sub(clamped, Sub(rounded, Set(kRounder)));
  Vec p = Fma(Set(0x1.41fbbcp-13f), r, Set(0x1.5f3e54p-10f));
  p = Fma(p, r, Set(0x1.3b2d4cp-7f));
  p = Fma(p, r, Set(0x1.c6aee8p-5f));
  p = Fma(p, r, Set(0x1.ebfbdcp-3f));
  p = Fma(p, r, Set(0x1.62e430p-1f));
  p = Fma(p, r, Set(1.0f));
  return Mul(p, LowBitsToExponent(rounded));
}

OCTAVO_INLINE Vec Negate(Vec x) { return Sub(Zero(), x); }

// erfc(z) for z >= 0 within 2e-7 of its value near zero and 1e-5 of it far out.
// Source: Numerical Recipes (3rd ed., section 6.2.2), Chebyshev fit of log(erfc) in 1 / (1 + z/2).
OCTAVO_INLINE Vec Erfc(Vec z) {
  const Vec t = Div(Set(1.0f), Fma(z, Set(0.5f), Set(1.0f)));
  Vec p = Fma(Set(0.17087277f), t, Set(-0.82215223f));
  p = Fma(p, t, Set(1.48851587f));
  p = Fma(p, t, Set(-1.13520398f));
  p = Fma(p, t, Set(0.27886807f));
  p = Fma(p, t, Set(-0.18628806f));
  p = Fma(p, t, Set(0.09678418f));
  p = Fma(p, t, Set(0.37409196f));
  p = Fma(p, t, Set(1.00002368f));
  p = Fma(p, t, Set(-1.26551223f));
  return Mul(t, Exp(Sub(p, Mul(z, z))));
}

struct QuickGeluOp {
  OCTAVO_INLINE Vec operator()(Vec x) const {
    return Div(x, Add(Exp(Mul(x, Set(-1.702f))), Set(1.0f)));
  }
};

struct GeluOp {
  // x/2 erfc(-x / sqrt 2): for positive x from its mirror image, so that nothing cancels.
  OCTAVO_INLINE Vec operator()(Vec x) const {
    const Vec size = Abs(x);
    const Vec tail = Mul(Mul(size, Set(0.5f)), Erfc(Mul(size, Set(0.70710678f))));
    return IfLess(x, Zero(), Negate(tail), Sub(x, tail));
  }
};

struct RoundBF16Op {
  OCTAVO_INLINE Vec operator()(Vec x) const { return RoundBF16(x); }
};

void QuickGeluKernel(float* x, int64_t count) { Map(x, count, x, QuickGeluOp{}); }
void GeluKernel(float* x, int64_t count) { Map(x, count, x, GeluOp{}); }
void RoundBF16Kernel(const float* in, int64_t count, float* out) {
  Map(in, count, out, RoundBF16Op{});
}

OCTAVO_INLINE Vec Silu(Vec x) { return Div(x, Add(Exp(Negate(x)), Set(1.0f))); }

void SiluMultiplyKernel(float* gate, const float* up, int64_t count) {
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Store(gate + i, Mul(Silu(Load(gate + i)), Load(up + i)));
  }
  const int64_t rest = count - i;
  if (rest > 0) StoreN(gate + i, Mul(Silu(LoadN(gate + i, rest)), LoadN(up + i, rest)), rest);
}

// Widening and narrowing. What does not fill a vector passes through a small buffer.
template <class Widen>
OCTAVO_INLINE void WidenAll(const uint16_t* in, int64_t count, float* out, Widen widen) {
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) Store(out + i, widen(in + i));
  if (i == count) return;
  uint16_t rest[kLanes] = {};
  for (int64_t j = i; j < count; ++j) rest[j - i] = in[j];
  StoreN(out + i, widen(rest), count - i);
}

struct WidenF16Op {
  OCTAVO_INLINE Vec operator()(const uint16_t* p) const { return WidenF16(p); }
};
struct WidenBF16Op {
  OCTAVO_INLINE Vec operator()(const uint16_t* p) const { return WidenBF16(p); }
};

void WidenF16Kernel(const uint16_t* in, int64_t count, float* out) {
  WidenAll(in, count, out, WidenF16Op{});
}
void WidenBF16Kernel(const uint16_t* in, int64_t count, float* out) {
  WidenAll(in, count, out, WidenBF16Op{});
}

// scale(r, c): of columns c to c + kLanes.
template <class Scale>
OCTAVO_INLINE void WidenI8All(const ScaledI8& in, float* out, Scale scale) {
  for (int64_t r = 0; r < in.rows; ++r) {
    const int8_t* q = in.q + r * in.columns;
    int64_t c = 0;
    for (; c + kLanes <= in.columns; c += kLanes) Store(out + c, Mul(WidenI8(q + c), scale(r, c)));
    if (c < in.columns) {
      const int64_t rest = in.columns - c;
      int8_t bytes[kLanes] = {};
      for (int64_t j = 0; j < rest; ++j) bytes[j] = q[c + j];
      StoreN(out + c, Mul(WidenI8(bytes), scale(r, c)), rest);
    }
    out += in.columns;
  }
}

void WidenI8RowsKernel(const ScaledI8& in, float* out) {
  WidenI8All(in, out, [&in](int64_t r, int64_t) { return Set(in.scales[r]); });
}
void WidenI8ColumnsKernel(const ScaledI8& in, float* out) {
  WidenI8All(in, out, [&in](int64_t, int64_t c) {
    const int64_t left = in.columns - c;
    return left >= kLanes ? Load(in.scales + c) : LoadN(in.scales + c, left);
  });
}

void WidenBF16PairsKernel(const uint16_t* in, int64_t k, float* out) {
  for (int64_t i = 0; i < k; i += 2) {
    for (int c = 0; c < kPanelColumns; c += kLanes) Store(out + c, WidenEven(in + 2 * c));
    if (i + 1 < k) {
      for (int c = 0; c < kPanelColumns; c += kLanes) {
        Store(out + kPanelColumns + c, WidenOdd(in + 2 * c));
      }
    }
    in += 2 * kPanelColumns;
    out += 2 * kPanelColumns;
  }
}

void NarrowBF16Kernel(const float* in, int64_t count, uint16_t* out) {
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) StoreUpperHalves(out + i, RoundBF16(Load(in + i)));
  if (i == count) return;
  uint16_t rest[kLanes];
  StoreUpperHalves(rest, RoundBF16(LoadN(in + i, count - i)));
  for (int64_t j = i; j < count; ++j) out[j] = rest[j - i];
}

void FinishSumsKernel(const float* sums, const float* bias, bool accumulate, int64_t count,
                      float* y) {
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Vec v = Load(sums + i);
    if (bias != nullptr) v = Add(v, Load(bias + i));
    if (accumulate) v = Add(v, Load(y + i));
    Store(y + i, v);
  }
  const int64_t rest = count - i;
  if (rest == 0) return;
  Vec v = LoadN(sums + i, rest);
  if (bias != nullptr) v = Add(v, LoadN(bias + i, rest));
  if (accumulate) v = Add(v, LoadN(y + i, rest));
  StoreN(y + i, v, rest);
}

void SoftmaxLanesKernel(const SoftmaxLanes& s) {
  for (int c = 0; c < kPanelColumns; c += kLanes) {
    float* scores = s.scores + c;
    const Vec before = Load(s.maximum + c);
    Vec maximum = before;
    for (int64_t i = 0; i < s.keys; ++i) maximum = Max(maximum, Load(scores + i * kPanelColumns));
    Vec sum = Zero();
    for (int64_t i = 0; i < s.keys; ++i) {
      const Vec p = PowerOfTwo(Sub(Load(scores + i * kPanelColumns), maximum));
      Store(scores + i * kPanelColumns, p);
      sum = Add(sum, p);
    }
    const Vec correction = PowerOfTwo(Sub(before, maximum));
    Store(s.maximum + c, maximum);
    Store(s.correction + c, correction);
    Store(s.sum + c, Fma(Load(s.sum + c), correction, sum));
  }
}

struct PowerOfDifferenceOp {
  Vec maximum;
  OCTAVO_INLINE Vec operator()(Vec x) const { return PowerOfTwo(Sub(x, maximum)); }
};

// One number computed as a lane of a vector is, for bits that equal those of SoftmaxLanesKernel.
OCTAVO_INLINE void StoreFirst(float* p, Vec v) {
  float lanes[kLanes];
  Store(lanes, v);
  *p = lanes[0];
}

// The scores of one row become powers; returns the new maximum.
OCTAVO_INLINE float RaiseRow(float* scores, int64_t keys, float before) {
  Vec highest = Set(before);
  int64_t i = 0;
  for (; i + kLanes <= keys; i += kLanes) highest = Max(highest, Load(scores + i));
  float maximum = MaxLanes(highest);
  for (; i < keys; ++i) maximum = scores[i] > maximum ? scores[i] : maximum;
  Map(scores, keys, scores, PowerOfDifferenceOp{Set(maximum)});
  return maximum;
}

// Sums of rows, each one chain, as a lane of SoftmaxLanesKernel is: side by side, as a chain alone
// waits for its own adder.
template <int kRows>
OCTAVO_INLINE void SumRows(const float* scores, int64_t row_stride, int64_t keys, float* sums) {
  float chains[kRows] = {};
  for (int64_t i = 0; i < keys; ++i) {
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) chains[r] += scores[r * row_stride + i];
  }
  for (int r = 0; r < kRows; ++r) sums[r] = chains[r];
}

void SoftmaxRowsKernel(const SoftmaxRows& s) {
  constexpr int kMost = 4;
  for (int64_t row = 0; row < s.rows; row += kMost) {
    const int64_t rows = s.rows - row < kMost ? s.rows - row : kMost;
    float* scores = s.scores + row * s.row_stride;
    float maximum[kMost];
    for (int64_t r = 0; r < rows; ++r) {
      maximum[r] = RaiseRow(scores + r * s.row_stride, s.keys, s.maximum[row + r]);
    }
    float sums[kMost];
    switch (rows) {
      case 1:
        SumRows<1>(scores, s.row_stride, s.keys, sums);
        break;
      case 2:
        SumRows<2>(scores, s.row_stride, s.keys, sums);
        break;
      case 3:
        SumRows<3>(scores, s.row_stride, s.keys, sums);
        break;
      default:
        SumRows<4>(scores, s.row_stride, s.keys, sums);
        break;
    }
    for (int64_t r = 0; r < rows; ++r) {
      const Vec correction = PowerOfTwo(Sub(Set(s.maximum[row + r]), Set(maximum[r])));
      s.maximum[row + r] = maximum[r];
      StoreFirst(s.correction + row + r, correction);
      StoreFirst(s.sum + row + r, Fma(Set(s.sum[row + r]), correction, Set(sums[r])));
    }
  }
}

// Sum over i of f(x[i]), in four chains of vectors and one for the rest.
template <class Term>
OCTAVO_INLINE float SumOf(const float* x, int64_t count, Term term) {
  Vec sums[4] = {Zero(), Zero(), Zero(), Zero()};
  int64_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    for (int j = 0; j < 4; ++j) sums[j] = Add(sums[j], term(Load(x + i + j * kLanes)));
  }
  for (; i + kLanes <= count; i += kLanes) sums[0] = Add(sums[0], term(Load(x + i)));
  float rest = 0;
  for (; i < count; ++i) {
    float value;
    StoreFirst(&value, term(Set(x[i])));
    rest += value;
  }
  return SumLanes(Add(Add(sums[0], sums[1]), Add(sums[2], sums[3]))) + rest;
}

struct Identity {
  OCTAVO_INLINE Vec operator()(Vec x) const { return x; }
};
struct SquaredDistance {
  Vec mean;
  OCTAVO_INLINE Vec operator()(Vec x) const {
    const Vec d = Sub(x, mean);
    return Mul(d, d);
  }
};

OCTAVO_INLINE float InverseDeviation(float sum_of_squares, float eps, int64_t count) {
  float result;
  StoreFirst(&result,
             Div(Set(1.0f), SquareRoot(Set(sum_of_squares / static_cast<float>(count) + eps))));
  return result;
}

void LayerNormKernel(const float* x, const float* weight, const float* bias, float eps,
                     int64_t count, float* y) {
  const float mean = SumOf(x, count, Identity{}) / static_cast<float>(count);
  const Vec m = Set(mean);
  const Vec scale = Set(InverseDeviation(SumOf(x, count, SquaredDistance{m}), eps, count));
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const Vec normed = Mul(Sub(Load(x + i), m), scale);
    Store(y + i, Fma(normed, Load(weight + i), Load(bias + i)));
  }
  const int64_t rest = count - i;
  if (rest == 0) return;
  const Vec normed = Mul(Sub(LoadN(x + i, rest), m), scale);
  StoreN(y + i, Fma(normed, LoadN(weight + i, rest), LoadN(bias + i, rest)), rest);
}

void RmsNormKernel(const float* x, const float* weight, float eps, int64_t count, float* y) {
  const Vec scale = Set(InverseDeviation(SumOf(x, count, SquaredDistance{Zero()}), eps, count));
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Store(y + i, Mul(Mul(Load(x + i), scale), Load(weight + i)));
  }
  const int64_t rest = count - i;
  if (rest > 0) {
    StoreN(y + i, Mul(Mul(LoadN(x + i, rest), scale), LoadN(weight + i, rest)), rest);
  }
}

void RotaryKernel(float* x, const float* cos, const float* sin, int64_t half) {
  int64_t j = 0;
  for (; j + kLanes <= half; j += kLanes) {
    const Vec a = Load(x + j);
    const Vec b = Load(x + half + j);
    const Vec c = Load(cos + j);
    const Vec s = Load(sin + j);
    Store(x + j, Sub(Mul(a, c), Mul(b, s)));
    Store(x + half + j, Add(Mul(b, c), Mul(a, s)));
  }
  const int64_t rest = half - j;
  if (rest == 0) return;
  const Vec a = LoadN(x + j, rest);
  const Vec b = LoadN(x + half + j, rest);
  const Vec c = LoadN(cos + j, rest);
  const Vec s = LoadN(sin + j, rest);
  StoreN(x + j, Sub(Mul(a, c), Mul(b, s)), rest);
  StoreN(x + half + j, Add(Mul(b, c), Mul(a, s)), rest);
}

// The slots that every table fills from these bodies. Sets no product that needs its own
// instruction and no limit of the machine.
constexpr KernelTable VecTable(const char* name) {
  KernelTable t{};
  t.name = name;
  t.overrides = "";
  t.gemm_f32 = Gemm<ReadF32>;
  t.stream_f32 = Gemm<StreamF32>;
  t.stream_f16 = Gemm<StreamF16>;
  t.stream_bf16 = Gemm<StreamBF16>;
  t.gemm_f16 = Gemm<ReadF16>;
  t.gemm_bf16 = Gemm<ReadBF16>;
  t.widen_f16 = WidenF16Kernel;
  t.widen_bf16 = WidenBF16Kernel;
  t.widen_bf16_pairs = WidenBF16PairsKernel;
  t.widen_i8_rows = WidenI8RowsKernel;
  t.widen_i8_columns = WidenI8ColumnsKernel;
  t.narrow_bf16 = NarrowBF16Kernel;
  t.round_bf16 = RoundBF16Kernel;
  t.finish_sums = FinishSumsKernel;
  t.softmax_lanes = SoftmaxLanesKernel;
  t.softmax_rows = SoftmaxRowsKernel;
  t.layer_norm = LayerNormKernel;
  t.rms_norm = RmsNormKernel;
  t.quick_gelu = QuickGeluKernel;
  t.gelu = GeluKernel;
  t.silu_multiply = SiluMultiplyKernel;
  t.rotary = RotaryKernel;
  return t;
}

}  // namespace
}  // namespace octavo

#endif  // OCTAVO_KERNELS_KERNELS_INL_H_
