// Products of up to four rows with packed weights as they come from memory (AVX2): decode steps,
// which read all weights once. Weights are unpacked in registers and fetched ahead.
#ifndef OCTAVO_KERNELS_PACKED_AVX2_STREAM_INL_H_
#define OCTAVO_KERNELS_PACKED_AVX2_STREAM_INL_H_

#include "kernels/packed_avx2_tile-inl.h"

namespace octavo {
namespace {

constexpr int kStreamTileRows = 4;

alignas(32) constexpr int16_t kMinus8[16] = {-8, -8, -8, -8, -8, -8, -8, -8,
                                             -8, -8, -8, -8, -8, -8, -8, -8};
alignas(32) constexpr uint8_t kLowHalves[32] = {15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
                                                15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
                                                15, 15, 15, 15, 15, 15, 15, 15, 15, 15};
alignas(32) constexpr uint8_t kSixtyFour[32] = {64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
                                                64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
                                                64, 64, 64, 64, 64, 64, 64, 64, 64, 64};

// Offsets in ActivationGroup, for the assembly.
static_assert(offsetof(ActivationGroup, scale) == 0 && offsetof(ActivationGroup, sum) == 4);
static_assert(offsetof(ActivationGroup, lane_sums) == 8);
static_assert(offsetof(ActivationGroup, part_lane_sums) == 12);

// One group of up to four rows.
struct StreamInput {
  const std::byte* block;  // or a later line of it
  const int8_t* x;
  int64_t x_stride;
  const ActivationGroup* groups;  // of row 0
  int64_t groups_stride;          // bytes
};

struct alignas(32) StreamSums {
  int32_t v[2 * kStreamTileRows][8];
};

// clang-format off
// Registers 0..7 sums, 8..11 weights, 12 activations, 13 products, 14 and 15 constants.
// ROWS(X): X(addresses of a row's activations, record and sums, its registers).
#define OCTAVO_ROWS1(X) X("(%[x0])", "(%[g0])", "(%[out0])", 0, 1)
#define OCTAVO_ROWS2(X) OCTAVO_ROWS1(X) \
  X("(%[x0],%[stride])", "(%[g0],%[g_stride])", "(%[out0],%[out_stride])", 2, 3)
#define OCTAVO_ROWS3(X) OCTAVO_ROWS2(X) \
  X("(%[x0],%[stride],2)", "(%[g0],%[g_stride],2)", "(%[out0],%[out_stride],2)", 4, 5)
#define OCTAVO_ROWS4(X) OCTAVO_ROWS3(X) X("(%[x3])", "(%[g3])", "(%[out3])", 6, 7)

#define OCTAVO_W4_ROW(at, lo, hi, a, b) \
  "vpbroadcastd " lo at ", %%ymm12\n\t" \
  "vpmaddubsw %%ymm12, %%ymm8, %%ymm13\n\t" \
  "vpaddw %%ymm13, %%ymm" #a ", %%ymm" #a "\n\t" \
  "vpmaddubsw %%ymm12, %%ymm9, %%ymm12\n\t" \
  "vpaddw %%ymm12, %%ymm" #b ", %%ymm" #b "\n\t" \
  "vpbroadcastd " hi at ", %%ymm12\n\t" \
  "vpmaddubsw %%ymm12, %%ymm10, %%ymm13\n\t" \
  "vpaddw %%ymm13, %%ymm" #a ", %%ymm" #a "\n\t" \
  "vpmaddubsw %%ymm12, %%ymm11, %%ymm12\n\t" \
  "vpaddw %%ymm12, %%ymm" #b ", %%ymm" #b "\n\t"
#define OCTAVO_W4_ROW_LINE0(at, record, out, a, b) OCTAVO_W4_ROW(at, "", "4", a, b)
#define OCTAVO_W4_ROW_LINE1(at, record, out, a, b) OCTAVO_W4_ROW(at, "8", "12", a, b)
// One line: 8 k. `ahead` is where to fetch.
#define OCTAVO_W4_LINE(ROWS, ROW, at, at32, ahead) \
  "prefetcht0 " ahead "(%[w])\n\t" \
  "vmovdqa " at "(%[w]), %%ymm8\n\t" \
  "vmovdqa " at32 "(%[w]), %%ymm9\n\t" \
  "vpsrlw $4, %%ymm8, %%ymm10\n\t" \
  "vpsrlw $4, %%ymm9, %%ymm11\n\t" \
  "vpand %%ymm15, %%ymm8, %%ymm8\n\t" \
  "vpand %%ymm15, %%ymm9, %%ymm9\n\t" \
  "vpand %%ymm15, %%ymm10, %%ymm10\n\t" \
  "vpand %%ymm15, %%ymm11, %%ymm11\n\t" \
  ROWS(ROW)
// Repeats 16 k, n times.
#define OCTAVO_W4_LOOP(ROWS) \
  "vmovdqa %[low], %%ymm15\n\t" \
  ".p2align 4\n" \
  "1:\n\t" \
  OCTAVO_W4_LINE(ROWS, OCTAVO_W4_ROW_LINE0, "", "32", "4352") \
  OCTAVO_W4_LINE(ROWS, OCTAVO_W4_ROW_LINE1, "64", "96", "4416") \
  "add $128, %[w]\n\t" \
  "add $16, %[x0]\n\t" \
  "add $16, %[x3]\n\t" \
  "dec %[n]\n\t" \
  "jnz 1b\n\t"

// Starts at -8 * lane sums, which stand `offset` bytes into the record.
#define OCTAVO_STREAM_START(offset, record, a, b) \
  "vpbroadcastd " offset record ", %%ymm" #a "\n\t" \
  "vpmullw %[minus8], %%ymm" #a ", %%ymm" #a "\n\t" \
  "vmovdqa %%ymm" #a ", %%ymm" #b "\n\t"
#define OCTAVO_START_GROUP(at, record, out, a, b) OCTAVO_STREAM_START("8", record, a, b)
#define OCTAVO_START_PART(at, record, out, a, b) OCTAVO_STREAM_START("12", record, a, b)
#define OCTAVO_STREAM_JOIN(at, record, out, a, b) \
  "vpmaddwd %[ones], %%ymm" #a ", %%ymm" #a "\n\t" \
  "vpmaddwd %[ones], %%ymm" #b ", %%ymm" #b "\n\t"
#define OCTAVO_STREAM_ADD_SUMS(at, record, out, a, b) \
  "vpaddd " #a "*32(%[sums]), %%ymm" #a ", %%ymm" #a "\n\t" \
  "vpaddd " #b "*32(%[sums]), %%ymm" #b ", %%ymm" #b "\n\t" \
  "vmovdqa %%ymm" #a ", " #a "*32(%[sums])\n\t" \
  "vmovdqa %%ymm" #b ", " #b "*32(%[sums])\n\t"
#define OCTAVO_STREAM_LOAD_SUMS(at, record, out, a, b) \
  "vmovdqa " #a "*32(%[sums]), %%ymm" #a "\n\t" \
  "vmovdqa " #b "*32(%[sums]), %%ymm" #b "\n\t"
// As OCTAVO_FINISH_ROW.
#define OCTAVO_STREAM_FINISH(at, record, out, a, b) \
  "vcvtdq2ps %%ymm" #a ", %%ymm" #a "\n\t" \
  "vcvtdq2ps %%ymm" #b ", %%ymm" #b "\n\t" \
  "vbroadcastss 4" record ", %%ymm13\n\t" \
  "vbroadcastss " record ", %%ymm12\n\t" \
  "vfmadd231ps 64(%[columns]), %%ymm13, %%ymm" #a "\n\t" \
  "vfmadd231ps 96(%[columns]), %%ymm13, %%ymm" #b "\n\t" \
  "vmulps (%[columns]), %%ymm12, %%ymm13\n\t" \
  "vmulps 32(%[columns]), %%ymm12, %%ymm12\n\t" \
  "vfmadd213ps " out ", %%ymm13, %%ymm" #a "\n\t" \
  "vfmadd213ps 32" out ", %%ymm12, %%ymm" #b "\n\t" \
  "vmovups %%ymm" #a ", " out "\n\t" \
  "vmovups %%ymm" #b ", 32" out "\n\t"

#define OCTAVO_W8_ROW(at, offset, a, b) \
  "vpbroadcastd " offset at ", %%ymm12\n\t" \
  "vpmaddubsw %%ymm12, %%ymm8, %%ymm13\n\t" \
  "vpmaddwd %%ymm14, %%ymm13, %%ymm13\n\t" \
  "vpaddd %%ymm13, %%ymm" #a ", %%ymm" #a "\n\t" \
  "vpmaddubsw %%ymm12, %%ymm9, %%ymm12\n\t" \
  "vpmaddwd %%ymm14, %%ymm12, %%ymm12\n\t" \
  "vpaddd %%ymm12, %%ymm" #b ", %%ymm" #b "\n\t"
#define OCTAVO_W8_ROW_LINE0(at, record, out, a, b) OCTAVO_W8_ROW(at, "", a, b)
#define OCTAVO_W8_ROW_LINE1(at, record, out, a, b) OCTAVO_W8_ROW(at, "4", a, b)
#define OCTAVO_W8_ROW_LINE2(at, record, out, a, b) OCTAVO_W8_ROW(at, "8", a, b)
#define OCTAVO_W8_ROW_LINE3(at, record, out, a, b) OCTAVO_W8_ROW(at, "12", a, b)
// One line: 4 k of weights within +-63, as unsigned ones less 64.
#define OCTAVO_W8_LINE(ROWS, ROW, at, at32, ahead) \
  "prefetcht0 " ahead "(%[w])\n\t" \
  "vpaddb " at "(%[w]), %%ymm15, %%ymm8\n\t" \
  "vpaddb " at32 "(%[w]), %%ymm15, %%ymm9\n\t" \
  ROWS(ROW)
#define OCTAVO_W8_LOOP(ROWS) \
  "vmovdqa %[sixty_four], %%ymm15\n\t" \
  "vmovdqa %[ones], %%ymm14\n\t" \
  ".p2align 4\n" \
  "1:\n\t" \
  OCTAVO_W8_LINE(ROWS, OCTAVO_W8_ROW_LINE0, "", "32", "4224") \
  OCTAVO_W8_LINE(ROWS, OCTAVO_W8_ROW_LINE1, "64", "96", "4288") \
  OCTAVO_W8_LINE(ROWS, OCTAVO_W8_ROW_LINE2, "128", "160", "4352") \
  OCTAVO_W8_LINE(ROWS, OCTAVO_W8_ROW_LINE3, "192", "224", "4416") \
  "add $256, %[w]\n\t" \
  "add $16, %[x0]\n\t" \
  "add $16, %[x3]\n\t" \
  "dec %[n]\n\t" \
  "jnz 1b\n\t"
#define OCTAVO_STREAM_ZERO(at, record, out, a, b) OCTAVO_ZERO1(a) OCTAVO_ZERO1(b)

#define OCTAVO_STREAM_WALK [w] "+&r"(w), [x0] "+&r"(x0), [x3] "+&r"(x3), [n] "+&r"(n)
#define OCTAVO_STREAM_ROWS_IN \
  [stride] "r"(in.x_stride), [g0] "r"(in.groups), [g3] "r"(g3), [g_stride] "r"(in.groups_stride)
#define OCTAVO_STREAM_POINTERS \
  const std::byte* w = in.block; \
  const int8_t* x0 = in.x; \
  const int8_t* x3 = in.x + 3 * in.x_stride; \
  const char* g3 = reinterpret_cast<const char*>(in.groups) + 3 * in.groups_stride; \

// The functions for one number of rows.
//   StreamW4Group, StreamW8Group: a whole group into rows of `to`
//   StreamW4Part: the 32 k of part `part`, added to sums; StreamFinish: the sums into rows of `to`
#define OCTAVO_STREAM_FUNCTIONS(R, ROWS) \
  template <> \
  struct Stream<R> { \
    static void W4Group(const StreamInput& in, int64_t n, const ColumnGroup& columns, \
                        const TileOutput& to) { \
      OCTAVO_STREAM_POINTERS \
      asm volatile(ROWS(OCTAVO_START_GROUP) OCTAVO_W4_LOOP(ROWS) ROWS(OCTAVO_STREAM_JOIN) \
                       ROWS(OCTAVO_STREAM_FINISH) \
                   : OCTAVO_STREAM_WALK \
                   : OCTAVO_STREAM_ROWS_IN, [columns] "r"(&columns), OCTAVO_TILE_OUT, \
                     [ones] "m"(kOnes16), [low] "m"(kLowHalves), [minus8] "m"(kMinus8) \
                   : "cc", "memory", OCTAVO_ALL_XMM); \
    } \
    static void W4Part(const StreamInput& in, int part, StreamSums* sums) { \
      OCTAVO_STREAM_POINTERS \
      int64_t n = 2; \
      const char* g0 = reinterpret_cast<const char*>(in.groups) + 4 * part; \
      g3 += 4 * part; \
      asm volatile(ROWS(OCTAVO_START_PART) OCTAVO_W4_LOOP(ROWS) ROWS(OCTAVO_STREAM_JOIN) \
                       ROWS(OCTAVO_STREAM_ADD_SUMS) \
                   : OCTAVO_STREAM_WALK \
                   : [stride] "r"(in.x_stride), [g0] "r"(g0), [g3] "r"(g3), \
                     [g_stride] "r"(in.groups_stride), [sums] "r"(sums->v), \
                     [ones] "m"(kOnes16), [low] "m"(kLowHalves), [minus8] "m"(kMinus8) \
                   : "cc", "memory", OCTAVO_ALL_XMM); \
    } \
    static void W8Group(const StreamInput& in, int64_t n, const ColumnGroup& columns, \
                        const TileOutput& to) { \
      OCTAVO_STREAM_POINTERS \
      asm volatile(ROWS(OCTAVO_STREAM_ZERO) OCTAVO_W8_LOOP(ROWS) ROWS(OCTAVO_STREAM_FINISH) \
                   : OCTAVO_STREAM_WALK \
                   : OCTAVO_STREAM_ROWS_IN, [columns] "r"(&columns), OCTAVO_TILE_OUT, \
                     [ones] "m"(kOnes16), [sixty_four] "m"(kSixtyFour) \
                   : "cc", "memory", OCTAVO_ALL_XMM); \
    } \
    static void Finish(const StreamInput& in, const StreamSums& sums, const ColumnGroup& columns, \
                       const TileOutput& to) { \
      const char* g3 = reinterpret_cast<const char*>(in.groups) + 3 * in.groups_stride; \
      asm volatile(ROWS(OCTAVO_STREAM_LOAD_SUMS) ROWS(OCTAVO_STREAM_FINISH) \
                   : \
                   : [g0] "r"(in.groups), [g3] "r"(g3), [g_stride] "r"(in.groups_stride), \
                     [sums] "r"(sums.v), [columns] "r"(&columns), OCTAVO_TILE_OUT \
                   : "cc", "memory", OCTAVO_ALL_XMM); \
    } \
  };
// clang-format on

template <int kRows>
struct Stream;
OCTAVO_STREAM_FUNCTIONS(1, OCTAVO_ROWS1)
OCTAVO_STREAM_FUNCTIONS(2, OCTAVO_ROWS2)
OCTAVO_STREAM_FUNCTIONS(3, OCTAVO_ROWS3)
OCTAVO_STREAM_FUNCTIONS(4, OCTAVO_ROWS4)

}  // namespace
}  // namespace octavo

#endif  // OCTAVO_KERNELS_PACKED_AVX2_STREAM_INL_H_
