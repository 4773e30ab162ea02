// The products of packed_dot-inl.h with the definition of vpdpbusd, in AVX2, in its place.
#include "kernels/isa_emulated_dot.h"

#include "kernels/vec_avx2.h"
// Needs the vocabulary above.
#include "kernels/packed_dot-inl.h"
#include "kernels/packed_dot256-inl.h"

namespace octavo {
namespace {

// Four products of an unsigned and a signed byte fit 18 bits: no sum here can pass its range.
struct Definition {
  static OCTAVO_INLINE __m256i Add(__m256i sums, __m256i w, __m256i x) {
    const __m256i even = _mm256_madd_epi16(_mm256_and_si256(w, _mm256_set1_epi16(255)),
                                           _mm256_srai_epi16(_mm256_slli_epi16(x, 8), 8));
    const __m256i odd = _mm256_madd_epi16(_mm256_srli_epi16(w, 8), _mm256_srai_epi16(x, 8));
    return _mm256_add_epi32(sums, _mm256_add_epi32(even, odd));
  }
};

}  // namespace

constexpr KernelTable kEmulatedDotSlots =
    DotSlots<DotA8<Lines256, Definition>, DotA16<Lines256, MaddPairs>>("emulated_dot");

}  // namespace octavo
