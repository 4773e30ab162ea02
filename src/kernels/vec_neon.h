// The Vec vocabulary with arm64 NEON: four lanes. See vec_scalar.h for the meanings.
#ifndef OCTAVO_KERNELS_VEC_NEON_H_
#define OCTAVO_KERNELS_VEC_NEON_H_

#include <arm_neon.h>

#include <cstdint>

#define OCTAVO_INLINE inline __attribute__((always_inline))

namespace octavo {
namespace {

using Vec = float32x4_t;
constexpr int kLanes = 4;
constexpr int kAccumulators = 24;

OCTAVO_INLINE Vec Zero() { return vdupq_n_f32(0); }
OCTAVO_INLINE Vec Set(float x) { return vdupq_n_f32(x); }
OCTAVO_INLINE Vec Load(const float* p) { return vld1q_f32(p); }
OCTAVO_INLINE void Store(float* p, Vec v) { vst1q_f32(p, v); }
OCTAVO_INLINE Vec LoadN(const float* p, int64_t n) {
  float lanes[kLanes] = {};
  for (int64_t i = 0; i < n; ++i) lanes[i] = p[i];
  return vld1q_f32(lanes);
}
OCTAVO_INLINE void StoreN(float* p, Vec v, int64_t n) {
  float lanes[kLanes];
  vst1q_f32(lanes, v);
  for (int64_t i = 0; i < n; ++i) p[i] = lanes[i];
}

OCTAVO_INLINE Vec Add(Vec a, Vec b) { return vaddq_f32(a, b); }
OCTAVO_INLINE Vec Sub(Vec a, Vec b) { return vsubq_f32(a, b); }
OCTAVO_INLINE Vec Mul(Vec a, Vec b) { return vmulq_f32(a, b); }
OCTAVO_INLINE Vec Div(Vec a, Vec b) { return vdivq_f32(a, b); }
OCTAVO_INLINE Vec Fma(Vec a, Vec b, Vec c) { return vfmaq_f32(c, a, b); }
OCTAVO_INLINE Vec Max(Vec a, Vec b) { return vmaxq_f32(a, b); }
OCTAVO_INLINE Vec Min(Vec a, Vec b) { return vminq_f32(a, b); }
OCTAVO_INLINE Vec Abs(Vec a) { return vabsq_f32(a); }
OCTAVO_INLINE Vec IfLess(Vec a, Vec b, Vec yes, Vec no) {
  return vbslq_f32(vcltq_f32(a, b), yes, no);
}
OCTAVO_INLINE Vec SquareRoot(Vec a) { return vsqrtq_f32(a); }
OCTAVO_INLINE Vec LowBitsToExponent(Vec a) {
  return vreinterpretq_f32_u32(vshlq_n_u32(vreinterpretq_u32_f32(a), 23));
}
OCTAVO_INLINE float SumLanes(Vec a) { return vaddvq_f32(a); }
OCTAVO_INLINE float MaxLanes(Vec a) { return vmaxvq_f32(a); }

OCTAVO_INLINE Vec WidenF16(const uint16_t* p) {
  return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)));
}
OCTAVO_INLINE Vec WidenBF16(const uint16_t* p) {
  return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16));
}
OCTAVO_INLINE Vec WidenI8(const int8_t* p) {
  uint32_t bytes;
  __builtin_memcpy(&bytes, p, sizeof(bytes));
  const int16x8_t halves = vmovl_s8(vreinterpret_s8_u32(vdup_n_u32(bytes)));
  return vcvtq_f32_s32(vmovl_s16(vget_low_s16(halves)));
}
OCTAVO_INLINE uint32x4_t LoadPairs(const uint16_t* p) {
  return vreinterpretq_u32_u16(vld1q_u16(p));
}
OCTAVO_INLINE Vec WidenEven(const uint16_t* p) {
  return vreinterpretq_f32_u32(vshlq_n_u32(LoadPairs(p), 16));
}
OCTAVO_INLINE Vec WidenOdd(const uint16_t* p) {
  return vreinterpretq_f32_u32(vandq_u32(LoadPairs(p), vdupq_n_u32(0xFFFF0000u)));
}
OCTAVO_INLINE Vec RoundBF16(Vec v) {
  const uint32x4_t bits = vreinterpretq_u32_f32(v);
  const uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
  const uint32x4_t rounded = vaddq_u32(bits, vaddq_u32(odd, vdupq_n_u32(0x7FFF)));
  const uint32x4_t quiet = vorrq_u32(bits, vdupq_n_u32(0x400000));
  const uint32x4_t number = vceqq_f32(v, v);
  return vreinterpretq_f32_u32(
      vandq_u32(vbslq_u32(number, rounded, quiet), vdupq_n_u32(0xFFFF0000u)));
}
OCTAVO_INLINE void StoreUpperHalves(uint16_t* p, Vec v) {
  vst1_u16(p, vshrn_n_u32(vreinterpretq_u32_f32(v), 16));
}

}  // namespace
}  // namespace octavo

#endif  // OCTAVO_KERNELS_VEC_NEON_H_
