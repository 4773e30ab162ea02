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
  if (b.rows <= kStreamRows) {
    Gemm<StreamDotBF16>(b);
  } else {
    Gemm<DotBF16>(b);
  }
}

#define BF16_CHAIN(i) "vdpbf16ps %%zmm14, %%zmm15, %%zmm" #i "\n\t"
OCTAVO_PEAK_LOOP(PeakBF16Dot, OCTAVO_TWELVE_CHAINS(BF16_CHAIN))

constexpr KernelTable Slots() {
  KernelTable t{};
  t.name = "avx512";
  t.overrides = "bf16 dot";
  t.gemm_bf16_dot = GemmBF16DotKernel;
  t.peak_bf16_dot = {PeakBF16Dot, 12 * 64};
  return t;
}

}  // namespace

constexpr KernelTable kAvx512Bf16Slots = Slots();

}  // namespace octavo
