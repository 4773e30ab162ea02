// Inner steps of packed products with AVX2, as blocks of assembly: with intrinsics g++ 12 moves the
// accumulators to and from memory, which halves the speed.
//
// All multiply unsigned weights by signed activations with vpmaddubsw and add in 16 bits. Such sums
// may pass the range of 16 bits on the way: addition wraps, so only the last value has to fit. They
// start at -centre * (sum of the lane's q), which makes of weights u the product with u - centre.
#ifndef OCTAVO_KERNELS_PACKED_AVX2_TILE_INL_H_
#define OCTAVO_KERNELS_PACKED_AVX2_TILE_INL_H_

#include <immintrin.h>

#include "kernels/packed_gemm.h"

namespace octavo {
namespace {

constexpr int kTileRows = 6;

// What one tile of rows has for one group. Rows past the last are 0.
struct alignas(64) TileGroup {
  float scale[8];
  float sum[8];
  int32_t start[8];        // two int16: where sums of the whole group start
  int32_t lane_magnitude;  // the greatest of the rows'
  int32_t unused[7];
};
static_assert(sizeof(TileGroup) == 128 && offsetof(TileGroup, start) == 64);

// The same by parts of 32 k.
struct alignas(32) TileParts {
  int32_t start[kGroupParts][8];
  uint16_t lane_norms[2][kGroupParts];  // the greatest of the rows'
};

// The 16 columns of a panel for one group.
struct alignas(32) ColumnGroup {
  float scale[kPanelColumns];
  float offset[kPanelColumns];  // times the sum of q is added to each dot product
};

// Sums of 32 bits of a tile, by row and half of the panel.
struct alignas(32) TileSums {
  int32_t v[2 * kTileRows][8];
};

alignas(32) constexpr int16_t kOnes16[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

// clang-format off
#define OCTAVO_ALL_XMM \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
  "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
#define OCTAVO_X12(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

// Registers 0..11 sums (row r has 2 r and 2 r + 1), 12 and 13 weights, 14 activations, 15 products.
// One row of a step of four k; `place` is the address of its four activations.
#define OCTAVO_TILE_ROW(place, a, b) \
  "vpbroadcastd " place ", %%ymm14\n\t" \
  "vpmaddubsw %%ymm14, %%ymm12, %%ymm15\n\t" \
  "vpaddw %%ymm15, %%ymm" #a ", %%ymm" #a "\n\t" \
  "vpmaddubsw %%ymm14, %%ymm13, %%ymm14\n\t" \
  "vpaddw %%ymm14, %%ymm" #b ", %%ymm" #b "\n\t"
// The same with sums of 32 bits.
#define OCTAVO_TILE_ROW32(place, a, b) \
  "vpbroadcastd " place ", %%ymm14\n\t" \
  "vpmaddubsw %%ymm14, %%ymm12, %%ymm15\n\t" \
  "vpmaddwd %[ones], %%ymm15, %%ymm15\n\t" \
  "vpaddd %%ymm15, %%ymm" #a ", %%ymm" #a "\n\t" \
  "vpmaddubsw %%ymm14, %%ymm13, %%ymm14\n\t" \
  "vpmaddwd %[ones], %%ymm14, %%ymm14\n\t" \
  "vpaddd %%ymm14, %%ymm" #b ", %%ymm" #b "\n\t"
#define OCTAVO_TILE_STEP(ROW, k) \
  "vmovdqa " #k "*64(%[w]), %%ymm12\n\t" \
  "vmovdqa " #k "*64+32(%[w]), %%ymm13\n\t" \
  ROW(#k "*4(%[x0])", 0, 1) ROW(#k "*4(%[x0],%[stride])", 2, 3) \
  ROW(#k "*4(%[x0],%[stride],2)", 4, 5) ROW(#k "*4(%[x3])", 6, 7) \
  ROW(#k "*4(%[x3],%[stride])", 8, 9) ROW(#k "*4(%[x3],%[stride],2)", 10, 11)
// Repeats 32 k, n times.
#define OCTAVO_TILE_LOOP(ROW) \
  ".p2align 5\n" \
  "1:\n\t" \
  OCTAVO_TILE_STEP(ROW, 0) OCTAVO_TILE_STEP(ROW, 1) OCTAVO_TILE_STEP(ROW, 2) \
  OCTAVO_TILE_STEP(ROW, 3) OCTAVO_TILE_STEP(ROW, 4) OCTAVO_TILE_STEP(ROW, 5) \
  OCTAVO_TILE_STEP(ROW, 6) OCTAVO_TILE_STEP(ROW, 7) \
  "add $512, %[w]\n\t" \
  "add $32, %[x0]\n\t" \
  "add $32, %[x3]\n\t" \
  "dec %[n]\n\t" \
  "jnz 1b\n\t"

#define OCTAVO_START_ROW(place, r, a, b) \
  "vpbroadcastd " #r "*4+" place ", %%ymm" #a "\n\t" \
  "vmovdqa %%ymm" #a ", %%ymm" #b "\n\t"
#define OCTAVO_START_AT(place) \
  OCTAVO_START_ROW(place, 0, 0, 1) OCTAVO_START_ROW(place, 1, 2, 3) \
  OCTAVO_START_ROW(place, 2, 4, 5) OCTAVO_START_ROW(place, 3, 6, 7) \
  OCTAVO_START_ROW(place, 4, 8, 9) OCTAVO_START_ROW(place, 5, 10, 11)
// From `start`, or from TileGroup::start.
#define OCTAVO_START OCTAVO_START_AT("0(%[start])")
#define OCTAVO_START_GROUPS OCTAVO_START_AT("64(%[rows])")
#define OCTAVO_ZERO1(i) "vpxor %%xmm" #i ", %%xmm" #i ", %%xmm" #i "\n\t"

// 16 to 32 bits, the two lanes added.
#define OCTAVO_JOIN1(i) "vpmaddwd %%ymm12, %%ymm" #i ", %%ymm" #i "\n\t"
#define OCTAVO_JOIN "vmovdqa %[ones], %%ymm12\n\t" OCTAVO_X12(OCTAVO_JOIN1)
#define OCTAVO_ADD_SUMS1(i) "vpaddd " #i "*32(%[sums]), %%ymm" #i ", %%ymm" #i "\n\t"
#define OCTAVO_STORE_SUMS1(i) "vmovdqa %%ymm" #i ", " #i "*32(%[sums])\n\t"
#define OCTAVO_LOAD_SUMS1(i) "vmovdqa " #i "*32(%[sums]), %%ymm" #i "\n\t"

// out = fma(sum + offset * sum of q, scale_w * scale_x, out), for one row.
#define OCTAVO_FINISH_ROW(r, place, half_place, a, b) \
  "vcvtdq2ps %%ymm" #a ", %%ymm" #a "\n\t" \
  "vcvtdq2ps %%ymm" #b ", %%ymm" #b "\n\t" \
  "vbroadcastss " #r "*4+32(%[rows]), %%ymm15\n\t" \
  "vbroadcastss " #r "*4(%[rows]), %%ymm14\n\t" \
  "vfmadd231ps %%ymm12, %%ymm15, %%ymm" #a "\n\t" \
  "vfmadd231ps %%ymm13, %%ymm15, %%ymm" #b "\n\t" \
  "vmulps (%[columns]), %%ymm14, %%ymm15\n\t" \
  "vmulps 32(%[columns]), %%ymm14, %%ymm14\n\t" \
  "vfmadd213ps " place ", %%ymm15, %%ymm" #a "\n\t" \
  "vfmadd213ps " half_place ", %%ymm14, %%ymm" #b "\n\t" \
  "vmovups %%ymm" #a ", " place "\n\t" \
  "vmovups %%ymm" #b ", " half_place "\n\t"
#define OCTAVO_FINISH_ROWS(ROW) \
  ROW(0, "(%[out0])", "32(%[out0])", 0, 1) \
  ROW(1, "(%[out0],%[out_stride])", "32(%[out0],%[out_stride])", 2, 3) \
  ROW(2, "(%[out0],%[out_stride],2)", "32(%[out0],%[out_stride],2)", 4, 5) \
  ROW(3, "(%[out3])", "32(%[out3])", 6, 7) \
  ROW(4, "(%[out3],%[out_stride])", "32(%[out3],%[out_stride])", 8, 9) \
  ROW(5, "(%[out3],%[out_stride],2)", "32(%[out3],%[out_stride],2)", 10, 11)
#define OCTAVO_FINISH \
  "vmovaps 64(%[columns]), %%ymm12\n\t" \
  "vmovaps 96(%[columns]), %%ymm13\n\t" \
  OCTAVO_FINISH_ROWS(OCTAVO_FINISH_ROW)
// The same where every offset is 0.
#define OCTAVO_FINISH_CENTRED_ROW(r, place, half_place, a, b) \
  "vcvtdq2ps %%ymm" #a ", %%ymm" #a "\n\t" \
  "vcvtdq2ps %%ymm" #b ", %%ymm" #b "\n\t" \
  "vbroadcastss " #r "*4(%[rows]), %%ymm14\n\t" \
  "vmulps %%ymm12, %%ymm14, %%ymm15\n\t" \
  "vmulps %%ymm13, %%ymm14, %%ymm14\n\t" \
  "vfmadd213ps " place ", %%ymm15, %%ymm" #a "\n\t" \
  "vfmadd213ps " half_place ", %%ymm14, %%ymm" #b "\n\t" \
  "vmovups %%ymm" #a ", " place "\n\t" \
  "vmovups %%ymm" #b ", " half_place "\n\t"
#define OCTAVO_FINISH_CENTRED \
  "vmovaps (%[columns]), %%ymm12\n\t" \
  "vmovaps 32(%[columns]), %%ymm13\n\t" \
  OCTAVO_FINISH_ROWS(OCTAVO_FINISH_CENTRED_ROW)

// Sums of 16 bits kept, and later added to those of 32 bits.
#define OCTAVO_KEEP1(i) "vmovdqa %%ymm" #i ", " #i "*32(%[kept])\n\t"
#define OCTAVO_ADD_KEPT2(i, j) \
  "vpmaddwd " #i "*32(%[kept]), %%ymm12, %%ymm13\n\t" \
  "vpmaddwd " #j "*32(%[kept]), %%ymm12, %%ymm14\n\t" \
  "vpaddd %%ymm13, %%ymm" #i ", %%ymm" #i "\n\t" \
  "vpaddd %%ymm14, %%ymm" #j ", %%ymm" #j "\n\t"
#define OCTAVO_ADD_KEPT \
  OCTAVO_ADD_KEPT2(0, 1) OCTAVO_ADD_KEPT2(2, 3) OCTAVO_ADD_KEPT2(4, 5) \
  OCTAVO_ADD_KEPT2(6, 7) OCTAVO_ADD_KEPT2(8, 9) OCTAVO_ADD_KEPT2(10, 11)

// Operands that walk: weights, the activations of rows 0 and 3, the count of 32 k.
#define OCTAVO_WALK \
  [w] "+&r"(w), [x0] "+&r"(x0), [x3] "+&r"(x3), [n] "+&r"(n)
// clang-format on

// Where a tile writes: rows of 16 sums.
struct TileOutput {
  float* out;
  int64_t stride_bytes;
  float* Row3() const noexcept {
    return reinterpret_cast<float*>(reinterpret_cast<char*>(out) + 3 * stride_bytes);
  }
};
#define OCTAVO_TILE_OUT [out0] "r"(to.out), [out3] "r"(to.Row3()), [out_stride] "r"(to.stride_bytes)

// Where a tile reads: unpacked weights [k / 4][16][4] and six rows of activations.
struct TileInput {
  const uint8_t* weights;
  const int8_t* x;
  int64_t x_stride;
};

// `groups` whole groups of parts * 32 k, each in one chain of sums of 16 bits, into six rows of
// `to`.
inline void TileGroupSums(const TileInput& in, int64_t groups, int64_t parts, const TileGroup* rows,
                          const ColumnGroup* columns, const TileOutput& to) noexcept {
  const uint8_t* w = in.weights;
  const int8_t* x0 = in.x;
  const int8_t* x3 = in.x + 3 * in.x_stride;
  int64_t n;
  asm volatile("2:\n\t"
               "mov %[parts], %[n]\n\t" OCTAVO_START_GROUPS OCTAVO_TILE_LOOP(OCTAVO_TILE_ROW)
                   OCTAVO_JOIN OCTAVO_FINISH "add $128, %[rows]\n\t"
                                             "add $128, %[columns]\n\t"
                                             "dec %[groups]\n\t"
                                             "jnz 2b\n\t"
               : [w] "+&r"(w), [x0] "+&r"(x0), [x3] "+&r"(x3), [n] "=&r"(n), [groups] "+&r"(groups),
                 [rows] "+&r"(rows), [columns] "+&r"(columns)
               : [stride] "r"(in.x_stride), [parts] "r"(parts), OCTAVO_TILE_OUT, [ones] "m"(kOnes16)
               : "cc", "memory", OCTAVO_ALL_XMM);
}

// n * 32 k of a group, which start at `start`; the sums go to `sums`.
inline void TilePartSums(const TileInput& in, int64_t n, const int32_t* start,
                         TileSums* sums) noexcept {
  const uint8_t* w = in.weights;
  const int8_t* x0 = in.x;
  const int8_t* x3 = in.x + 3 * in.x_stride;
  asm volatile(
      OCTAVO_START OCTAVO_TILE_LOOP(OCTAVO_TILE_ROW) OCTAVO_JOIN OCTAVO_X12(OCTAVO_STORE_SUMS1)
      : OCTAVO_WALK
      : [stride] "r"(in.x_stride), [start] "r"(start), [sums] "r"(sums->v), [ones] "m"(kOnes16)
      : "cc", "memory", OCTAVO_ALL_XMM);
}

// The same, added to `sums`.
inline void TileAddPartSums(const TileInput& in, int64_t n, const int32_t* start,
                            TileSums* sums) noexcept {
  const uint8_t* w = in.weights;
  const int8_t* x0 = in.x;
  const int8_t* x3 = in.x + 3 * in.x_stride;
  asm volatile(
      OCTAVO_START OCTAVO_TILE_LOOP(OCTAVO_TILE_ROW) OCTAVO_JOIN OCTAVO_X12(OCTAVO_ADD_SUMS1)
          OCTAVO_X12(OCTAVO_STORE_SUMS1)
      : OCTAVO_WALK
      : [stride] "r"(in.x_stride), [start] "r"(start), [sums] "r"(sums->v), [ones] "m"(kOnes16)
      : "cc", "memory", OCTAVO_ALL_XMM);
}

// What sums become floats with.
struct TileScales {
  const TileGroup* rows;
  const ColumnGroup* columns;
};

// The last n * 32 k of a group whose other sums are in `sums`, into six rows of `to`.
inline void TileLastPart(const TileInput& in, int64_t n, const int32_t* start, const TileSums& sums,
                         const TileScales& scales, const TileOutput& to) noexcept {
  const uint8_t* w = in.weights;
  const int8_t* x0 = in.x;
  const int8_t* x3 = in.x + 3 * in.x_stride;
  asm volatile(OCTAVO_START OCTAVO_TILE_LOOP(OCTAVO_TILE_ROW)
                   OCTAVO_JOIN OCTAVO_X12(OCTAVO_ADD_SUMS1) OCTAVO_FINISH:OCTAVO_WALK
               : [stride] "r"(in.x_stride), [start] "r"(start), [sums] "r"(sums.v),
                 [rows] "r"(scales.rows), [columns] "r"(scales.columns),
                 OCTAVO_TILE_OUT, [ones] "m"(kOnes16)
               : "cc", "memory", OCTAVO_ALL_XMM);
}

// A group in `cuts` sums of 16 bits, two or more, of kParts * 32 k each, which start at
// start[cut][row]. With kCentred offsets count as 0. Into six rows of `to`.
template <int kParts, bool kCentred>
inline void TileCutSums(const TileInput& in, int64_t cuts, const int32_t (*start)[8],
                        const TileScales& scales, const TileOutput& to) noexcept {
  const uint8_t* w = in.weights;
  const int8_t* x0 = in.x;
  const int8_t* x3 = in.x + 3 * in.x_stride;
  TileSums kept_sums[kGroupParts - 1];
  TileSums* kept = kept_sums;
  int64_t n;
  // The first jump leaves for the last cut; the second loop takes the kept ones back.
#define OCTAVO_CUTS(FINISH)                                                                      \
  asm volatile("2:\n\t"                                                                          \
               "mov %[parts], %[n]\n\t" OCTAVO_START OCTAVO_TILE_LOOP(                           \
                   OCTAVO_TILE_ROW) "add $32, %[start]\n\t"                                      \
                                    "dec %[cuts]\n\t"                                            \
                                    "jz 3f\n\t" OCTAVO_X12(                                      \
                                        OCTAVO_KEEP1) "add $384, %[kept]\n\t"                    \
                                                      "jmp 2b\n"                                 \
                                                      "3:\n\t" OCTAVO_JOIN ".p2align 4\n"        \
                                                      "4:\n\t"                                   \
                                                      "sub $384, %[kept]\n\t" OCTAVO_ADD_KEPT    \
                                                      "cmp %[kept], %[first]\n\t"                \
                                                      "jne 4b\n\t" FINISH                        \
               : [w] "+&r"(w), [x0] "+&r"(x0), [x3] "+&r"(x3), [n] "=&r"(n), [cuts] "+&r"(cuts), \
                 [start] "+&r"(start), [kept] "+&r"(kept)                                        \
               : [stride] "r"(in.x_stride), [parts] "i"(kParts), [first] "r"(kept_sums),         \
                 [rows] "r"(scales.rows), [columns] "r"(scales.columns),                         \
                 OCTAVO_TILE_OUT, [ones] "m"(kOnes16)                                            \
               : "cc", "memory", OCTAVO_ALL_XMM)
  if (kCentred) {
    OCTAVO_CUTS(OCTAVO_FINISH_CENTRED);
  } else {
    OCTAVO_CUTS(OCTAVO_FINISH);
  }
}

// A whole group with sums of 32 bits, which hold whatever weights up to 127 give; they are not
// centred, columns.offset has to see to that. Into six rows of `to`.
inline void TileSums32(const TileInput& in, int64_t n, const TileGroup& rows,
                       const ColumnGroup& columns, const TileOutput& to) noexcept {
  const uint8_t* w = in.weights;
  const int8_t* x0 = in.x;
  const int8_t* x3 = in.x + 3 * in.x_stride;
  asm volatile(OCTAVO_X12(OCTAVO_ZERO1) OCTAVO_TILE_LOOP(OCTAVO_TILE_ROW32) OCTAVO_FINISH
:OCTAVO_WALK
               : [stride] "r"(in.x_stride), [rows] "r"(&rows), [columns] "r"(&columns),
                 OCTAVO_TILE_OUT, [ones] "m"(kOnes16)
               : "cc", "memory", OCTAVO_ALL_XMM);
}

}  // namespace
}  // namespace octavo

#endif  // OCTAVO_KERNELS_PACKED_AVX2_TILE_INL_H_
