// A matrix of 4-bit groups as AutoAWQ's "gemm" layout has it.
//
//   qweight  int32 [K, N / 8]   word (i, w) holds outputs 8 w .. 8 w + 7 of input i; from the low
//                               nibble on they are 0, 2, 4, 6, 1, 3, 5, 7
//   qzeros   int32 [K / g, N / 8]  zeros, in the same order
//   scales   f16   [K / g, N]
// w = (q - zero) * scale. Source: casper-hansen/AutoAWQ awq/modules/linear/gemm.py,
// awq/utils/packing_utils.py.
#ifndef OCTAVO_FORMATS_AWQ_MATRIX_H_
#define OCTAVO_FORMATS_AWQ_MATRIX_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensor/packed_layout.h"

namespace octavo {

struct AwqMatrix {
  std::vector<int32_t> qweight;
  std::vector<int32_t> qzeros;
  std::vector<uint16_t> scales;  // bits of f16
};

// Why AutoAWQ cannot hold a matrix of this layout, in a few words; null if it can.
const char* NotForAwq(const PackedLayout& layout) noexcept;

// The same numbers. REQUIRES: NotForAwq(layout) is null; data: PackedBytes(layout), of which no
// zero is over 15 (RoundToNearest makes none).
AwqMatrix ToAwqMatrix(const PackedLayout& layout, const std::byte* data);

// Zeros of 16 occur in files of GPTQ's first version; AutoAWQ has no room for them.
bool HasZerosBeyondAwq(const PackedLayout& layout, const std::byte* data) noexcept;

}  // namespace octavo

#endif  // OCTAVO_FORMATS_AWQ_MATRIX_H_
