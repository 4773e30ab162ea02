// Packed blocks to bytes and columns, as all products of AVX2 and later take them.
#ifndef OCTAVO_KERNELS_PACKED_AVX2_UNPACK_INL_H_
#define OCTAVO_KERNELS_PACKED_AVX2_UNPACK_INL_H_

#include <immintrin.h>

#include "kernels/packed-inl.h"
#include "kernels/packed_avx2_tile-inl.h"

namespace octavo {
namespace {

// Bytes ahead of use at which packed weights are fetched.
constexpr int kUnpackPrefetchBytes = 4352;

// What is unpacked at once: up to so many groups and k.
constexpr int64_t kBlockGroups = 10;
constexpr int64_t kBlockK = 1280;

// What a kind of weights is to the tile: unsigned numbers less a centre.
enum class Kind {
  kW4,     // q - 8
  kW8,     // two halves of 4 bits, 16 (high - 8) + (low - 8)
  kW8In7,  // within +-63: q + 64 - 64
};

OCTAVO_INLINE __m256i LoadBytes(const void* p) {
  return _mm256_load_si256(static_cast<const __m256i*>(p));
}
OCTAVO_INLINE void StoreBytes(void* p, __m256i v) {
  _mm256_store_si256(static_cast<__m256i*>(p), v);
}

OCTAVO_INLINE void UnpackScales(const std::byte* side, bool bf16, float* out) {
  const auto* scale = reinterpret_cast<const uint16_t*>(side);
  for (int c = 0; c < kPanelColumns; c += 8) {
    Store(out + c, bf16 ? WidenBF16(scale + c) : WidenF16(scale + c));
  }
}

// Scales, and offsets of `centre - zero` (the zeros as stored).
template <Kind kKind>
OCTAVO_INLINE void UnpackColumns(const std::byte* side, bool bf16, int centre, ColumnGroup* out) {
  UnpackScales(side, bf16, out->scale);
  const std::byte* zero = side + kGroupZeroOffset;
  for (int c = 0; c < kPanelColumns; c += 8) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(zero + c));
    const __m256i zeros =
        kKind == Kind::kW4 ? _mm256_cvtepu8_epi32(bytes) : _mm256_cvtepi8_epi32(bytes);
    Store(out->offset + c, _mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_set1_epi32(centre), zeros)));
  }
}

}  // namespace
}  // namespace octavo

#endif  // OCTAVO_KERNELS_PACKED_AVX2_UNPACK_INL_H_
