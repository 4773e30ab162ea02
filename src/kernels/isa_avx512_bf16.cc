// The slots of the avx512 table that AVX512_BF16 adds.
#include "kernels/isa_tables.h"
#include "kernels/vec_avx512.h"
// Need the vocabulary above.
#include "kernels/gemm-inl.h"
#include "kernels/peak_x86-inl.h"

namespace octavo {
namespace {

// Pairs of bf16 by pairs of bf16.
struct DotBF16 {
  using X = uint16_t;
  using W = uint16_t;
  using Operand = __m512bh;
  static constexpr int kStep = 2;
  static constexpr int kParts = 1;
  static constexpr bool kStream = false;
  static OCTAVO_INLINE __m512bh Columns(const uint16_t* w, int vec, int) {
    return reinterpret_cast<__m512bh>(_mm512_loadu_si512(w + 2 * vec * kLanes));
  }
  static OCTAVO_INLINE __m512bh Value(const uint16_t* x) {
    int pair;
    __builtin_memcpy(&pair, x, sizeof(pair));
    return reinterpret_cast<__m512bh>(_mm512_set1_epi32(pair));
  }
  static OCTAVO_INLINE Vec MultiplyAdd(__m512bh x, __m512bh w, Vec sum) {
    return _mm512_dpbf16_ps(sum, x, w);
  }
};

struct StreamDotBF16 : DotBF16 {
  static constexpr bool kStream = true;
};

// Few rows mean that the weights come from memory.
void GemmBF16DotKernel(const GemmBF16Dot& b) {
  if (b.rows <= kTileRows) {
    Gemm<StreamDotBF16>(b);
  } else {
    Gemm<DotBF16>(b);
  }
}

void NarrowBF16Kernel(const float* in, int64_t count, uint16_t* out) {
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i),
                        reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(Load(in + i))));
  }
  if (i == count) return;
  const __m256i rest = reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(LoadN(in + i, count - i)));
  _mm256_mask_storeu_epi16(out + i, FirstLanes(count - i), rest);
}

#define BF16_CHAIN(i) "vdpbf16ps %%zmm14, %%zmm15, %%zmm" #i "\n\t"
OCTAVO_PEAK_LOOP(PeakBF16Dot, OCTAVO_TWELVE_CHAINS(BF16_CHAIN))

constexpr KernelTable Slots() {
  KernelTable t{};
  t.name = "avx512";
  t.gemm_bf16_dot = GemmBF16DotKernel;
  t.narrow_bf16 = NarrowBF16Kernel;
  t.peak_bf16_dot = {PeakBF16Dot, 12 * 64};
  return t;
}

}  // namespace

constexpr KernelTable kAvx512Bf16Slots = Slots();

}  // namespace octavo
