// KernelTable: the microkernels of one instruction set, and the contract of each.
//
// Kernels are innermost loops: one thread, no allocation, no shapes, only counts. Every slot has a
// scalar twin that is the definition; select.h hands out the table that runs. Pointers need no more
// alignment than their element, counts may be zero, and inputs may be outputs only where said.
#ifndef OCTAVO_KERNELS_KERNEL_TABLE_H_
#define OCTAVO_KERNELS_KERNEL_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "kernels/attention_int16.h"
#include "kernels/packed_gemm.h"
#include "tensor/group_layout.h"

namespace octavo {

// One block of a matrix product, for r < rows, p < panels, c < 16:
//   t = sum over i < k, in ascending order from zero, of x[r][i] * w[p][i][c]
//   sums[r][p][c] = accumulate ? sums[r][p][c] * scale + t : t
// where scale is column_scale[p * 16 + c], or row_scale[r], or 1. One chain per element: its bits
// depend on k, the element types and the table, not on rows, panels or strides. Strides are in
// elements.
template <typename X, typename W>
struct GemmBlock {
  const X* x = nullptr;
  int64_t x_row_stride = 0;
  int64_t x_k_stride = 1;
  const W* w = nullptr;
  int64_t w_panel_stride = 0;
  int64_t w_k_stride = kPanelColumns;  // `gemm_*` of floats; others: contiguous in a panel
  float* sums = nullptr;
  int64_t sums_row_stride = 0;
  int64_t sums_panel_stride = kPanelColumns;
  int64_t rows = 0;
  int64_t k = 0;
  int64_t panels = 0;
  bool accumulate = false;
  const float* column_scale = nullptr;  // at most one of the two, with accumulate only
  const float* row_scale = nullptr;
};
using GemmF32 = GemmBlock<float, float>;
using GemmHalf = GemmBlock<float, uint16_t>;        // f16 or bf16 weights, f32 activations
using GemmBF16Dot = GemmBlock<uint16_t, uint16_t>;  // both bf16; x_k_stride is 1

// The online softmax of one block of keys, queries as lanes: scores [keys][16] of one panel become
// 2^(score - m) in place, m the running maximum of the lane. The caller has scaled by log2(e).
struct SoftmaxLanes {
  float* scores = nullptr;
  int64_t keys = 0;
  float* maximum = nullptr;     // [16], -inf before the first block
  float* sum = nullptr;         // [16], of the powers so far
  float* correction = nullptr;  // [16] out: 2^(old maximum - new maximum)
};

// The same for some queries, keys as lanes: scores [rows][row_stride], of each row the first
// `keys`; the other three have one number a row.
struct SoftmaxRows {
  float* scores = nullptr;
  int64_t row_stride = 0;
  int64_t rows = 0;
  int64_t keys = 0;
  float* maximum = nullptr;
  float* sum = nullptr;
  float* correction = nullptr;
};

// Keys or values of 8 bits.
struct ScaledI8 {
  const int8_t* q = nullptr;  // [rows][columns]
  int64_t rows = 0;
  int64_t columns = 0;
  const float* scales = nullptr;  // [rows] or [columns]
};

// A loop of nothing but one kind of arithmetic, to measure what the machine can do.
struct PeakLoop {
  void (*run)(int64_t iterations) = nullptr;  // null: the table has no such instruction
  double operations_per_iteration = 0;        // a multiply-add counts as two
};

struct KernelTable {
  const char* name;       // "scalar", "avx2", "avxvnni", "avx512", "neon"
  const char* overrides;  // "bf16 dot", or ""

  // Products. Weights of 16 bits are f16 [k][16], or bf16 in pairs [ceil(k/2)][16][2], the missing
  // half of an odd k zero. `stream_*` fetch weights ahead from memory and widen them on the way:
  // for few rows (decode steps).
  void (*gemm_f32)(const GemmF32&);
  void (*stream_f32)(const GemmF32&);
  void (*stream_f16)(const GemmHalf&);
  void (*stream_bf16)(const GemmHalf&);
  // Weights [k][w_k_stride], bf16 not in pairs; the bits of gemm_f32 with the same weights widened.
  void (*gemm_f16)(const GemmHalf&);
  void (*gemm_bf16)(const GemmHalf&);
  // bf16 x bf16 by pairs, f32 sums; any number of rows; rows of x are readable up to an even k, the
  // odd one out zero. Null where the CPU has no such instruction. Denormals count as zero.
  void (*gemm_bf16_dot)(const GemmBF16Dot&);

  // Conversion. Widening is exact; narrowing rounds to nearest even and keeps NaN.
  void (*widen_f16)(const uint16_t* in, int64_t count, float* out);
  void (*widen_bf16)(const uint16_t* in, int64_t count, float* out);
  void (*widen_bf16_pairs)(const uint16_t* in, int64_t k, float* out);  // a panel to [k][16]
  // Numbers of 8 bits with one scale to a row, or to a column: in, out [rows][columns]; each
  // product rounded once.
  void (*widen_i8_rows)(const ScaledI8&, float* out);
  void (*widen_i8_columns)(const ScaledI8&, float* out);
  void (*narrow_bf16)(const float* in, int64_t count, uint16_t* out);  // denormals may become zero
  void (*round_bf16)(const float* in, int64_t count, float* out);      // narrowed and widened again

  // Packed 4- and 8-bit weights (packed_gemm.h). All tables give the same bits. k is a multiple of
  // group_size; x is readable and q writable for k numbers, groups for k / group_size.
  void (*quantize_row)(const float* x, int64_t k, int group_size, int8_t* q,
                       ActivationGroup* groups);
  void (*gemm_w4a8)(const GemmPacked&);
  void (*gemm_w8a8)(const GemmPacked&);
  PackedA16Kernels packed_a16;
  // One block to f32 [group_size][16]: (q - zero) * scale, rounded once.
  void (*widen_w4)(const PackedGroups& block, float* out);
  void (*widen_w8)(const PackedGroups& block, float* out);

  // y[i] = (sums[i] + bias[i]) + y[i]; bias may be null, y is added only if `accumulate`.
  void (*finish_sums)(const float* sums, const float* bias, bool accumulate, int64_t count,
                      float* y);

  // Attention. Powers are within 2 ulp; 2^0 is 1 and 2^-inf is 0, exactly. Both forms give the same
  // bits: sums run over ascending keys from zero, then sum = sum * correction + block sum.
  void (*softmax_lanes)(const SoftmaxLanes&);
  void (*softmax_rows)(const SoftmaxRows&);
  AttentionInt16Kernels attention_int16;  // in 16-bit integers, the same bits in every table

  // Rows. y may be x. Sums in f32 in an order fixed by the table.
  void (*layer_norm)(const float* x, const float* weight, const float* bias, float eps,
                     int64_t count, float* y);
  void (*rms_norm)(const float* x, const float* weight, float eps, int64_t count, float* y);

  // In place.
  void (*quick_gelu)(float* x, int64_t count);  // x * sigmoid(1.702 x)
  void (*gelu)(float* x, int64_t count);        // x/2 (1 + erf(x / sqrt 2)), erf within 3e-7
  void (*silu_multiply)(float* gate, const float* up, int64_t count);
  // One head: x[j], x[half + j] turned by the angle of cos[j], sin[j], j < half.
  void (*rotary)(float* x, const float* cos, const float* sin, int64_t half);

  // Limits of the machine.
  PeakLoop peak_fp32_fma;
  PeakLoop peak_bf16_dot;
  PeakLoop peak_int8_dot;
  PeakLoop peak_int8_maddubs16;
  PeakLoop peak_int8_maddubs32;
  PeakLoop peak_int16_madd;
  PeakLoop peak_int16_dot;
  // Reads every byte; the result only keeps the loads alive. REQUIRES: bytes % 512 == 0.
  uint64_t (*read_memory)(const std::byte* data, size_t bytes);
};

}  // namespace octavo

#endif  // OCTAVO_KERNELS_KERNEL_TABLE_H_
