// The Vec vocabulary in plain C++: one lane. The definition that the other vec_*.h follow.
//
// Included by one isa_*.cc; everything is in an unnamed namespace, so that no object compiled with
// special flags offers a symbol to the linker.
#ifndef OCTAVO_KERNELS_VEC_SCALAR_H_
#define OCTAVO_KERNELS_VEC_SCALAR_H_

#include <cstdint>

#define OCTAVO_INLINE inline __attribute__((always_inline))

namespace octavo {
namespace {

using Vec = float;
constexpr int kLanes = 1;
constexpr int kAccumulators = 64;  // sums that a product keeps in registers, in Vecs

OCTAVO_INLINE Vec Zero() { return 0.0f; }
OCTAVO_INLINE Vec Set(float x) { return x; }
OCTAVO_INLINE Vec Load(const float* p) { return *p; }
OCTAVO_INLINE void Store(float* p, Vec v) { *p = v; }
// The first n lanes, 0 <= n < kLanes; loaded lanes past them are zero.
OCTAVO_INLINE Vec LoadN(const float*, int64_t) { return 0.0f; }
OCTAVO_INLINE void StoreN(float*, Vec, int64_t) {}

OCTAVO_INLINE Vec Add(Vec a, Vec b) { return a + b; }
OCTAVO_INLINE Vec Sub(Vec a, Vec b) { return a - b; }
OCTAVO_INLINE Vec Mul(Vec a, Vec b) { return a * b; }
OCTAVO_INLINE Vec Div(Vec a, Vec b) { return a / b; }
// a * b + c, in one rounding where the machine has it; here in two.
OCTAVO_INLINE Vec Fma(Vec a, Vec b, Vec c) { return a * b + c; }
// b if either is NaN (on arm64: NaN).
OCTAVO_INLINE Vec Max(Vec a, Vec b) { return a > b ? a : b; }
OCTAVO_INLINE Vec Min(Vec a, Vec b) { return a < b ? a : b; }
OCTAVO_INLINE Vec Abs(Vec a) { return __builtin_fabsf(a); }
// a < b ? yes : no, lane by lane.
OCTAVO_INLINE Vec IfLess(Vec a, Vec b, Vec yes, Vec no) { return a < b ? yes : no; }
OCTAVO_INLINE Vec SquareRoot(Vec a) { return __builtin_sqrtf(a); }
// The bits of each lane, shifted left by 23: its lowest eight bits become the exponent of
// 2^(n-127).
OCTAVO_INLINE Vec LowBitsToExponent(Vec a) {
  return __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, a) << 23);
}
OCTAVO_INLINE float SumLanes(Vec a) { return a; }
OCTAVO_INLINE float MaxLanes(Vec a) { return a; }

OCTAVO_INLINE float BitsToFloat(uint32_t bits) { return __builtin_bit_cast(float, bits); }
OCTAVO_INLINE Vec WidenF16(const uint16_t* p) {
  const uint32_t h = *p;
  const uint32_t sign = (h & 0x8000u) << 16;
  const uint32_t exponent = (h >> 10) & 0x1Fu;
  const uint32_t mantissa = h & 0x3FFu;
  if (exponent == 0x1F) return BitsToFloat(sign | 0x7F800000u | (mantissa << 13));
  if (exponent != 0) return BitsToFloat(sign | ((exponent + 112) << 23) | (mantissa << 13));
  const float magnitude = static_cast<float>(mantissa) * 0x1.0p-24f;
  return BitsToFloat(sign | __builtin_bit_cast(uint32_t, magnitude));
}
OCTAVO_INLINE Vec WidenBF16(const uint16_t* p) { return BitsToFloat(uint32_t{*p} << 16); }
OCTAVO_INLINE Vec WidenI8(const int8_t* p) { return static_cast<float>(*p); }
// kLanes pairs of bf16: the first and the second of each pair.
OCTAVO_INLINE Vec WidenEven(const uint16_t* p) { return BitsToFloat(uint32_t{p[0]} << 16); }
OCTAVO_INLINE Vec WidenOdd(const uint16_t* p) { return BitsToFloat(uint32_t{p[1]} << 16); }
// Rounded to bf16 (nearest even, NaN stays NaN), kept as f32.
OCTAVO_INLINE Vec RoundBF16(Vec v) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, v);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return BitsToFloat((bits | 0x400000u) & 0xFFFF0000u);
  return BitsToFloat((bits + 0x7FFFu + ((bits >> 16) & 1u)) & 0xFFFF0000u);
}
// Stores the upper halves of the lanes: bf16 numbers, if v comes from RoundBF16.
OCTAVO_INLINE void StoreUpperHalves(uint16_t* p, Vec v) {
  *p = static_cast<uint16_t>(__builtin_bit_cast(uint32_t, v) >> 16);
}

}  // namespace
}  // namespace octavo

#endif  // OCTAVO_KERNELS_VEC_SCALAR_H_
