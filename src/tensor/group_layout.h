// GroupLayout: how a weight matrix of 4- or 8-bit numbers lies in memory, one form for every
// instruction set, for few rows and for many.
//
// w: [N, K], as in y = x w^T. Panels of 16 output columns; a panel is cut into groups of
// `group_size` consecutive k. One panel of one group is a block; blocks run [panel][group], without
// gaps, from a 64-byte boundary on. Each column of a block has a scale and a zero:
//   w = (q - zero) * scale
// as AutoAWQ, GPTQ and compressed-tensors define it. N is filled up to whole panels with scale 0,
// zero 0 and stored bytes 0.
//
// A block is lines of 64 bytes, then a side line. Column c owns bytes 4 c .. 4 c + 3 of a line.
//   bits 4  line l holds k = 8 l .. 8 l + 7: byte b has q[8 l + b] in its low half, q[8 l + 4 + b]
//   in
//           its high one; q is 0..15, zero 0..16 (GPTQ's first version reaches 16)
//   bits 8  line l holds k = 4 l .. 4 l + 3 as int8 q - 128; q and zero are 0..255
//   side    uint16 scale[16], f16 or bf16; uint8 zero[16] (bits 8: int8 zero - 128); 16 bytes 0
#ifndef OCTAVO_TENSOR_GROUP_LAYOUT_H_
#define OCTAVO_TENSOR_GROUP_LAYOUT_H_

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"

namespace octavo {

// Columns of a panel: weights, keys and queries are laid out [panel][k][16].
inline constexpr int kPanelColumns = 16;

inline constexpr int kGroupLineBytes = 64;
inline constexpr int kGroupSideBytes = 64;
inline constexpr int kGroupZeroOffset = 32;  // of the zeros in the side line; scales stand at 0

struct GroupLayout {
  int bits = 4;                     // 4 or 8
  int group_size = 128;             // 32, 64 or 128; divides K
  DType scale_dtype = DType::kF16;  // or kBF16
  // bits 8 only: every stored byte (q - 128) is within +-63 and every stored zero is 0, so that
  // sums of 16 bits hold pairs of products.
  bool is_7bit = false;

  bool operator==(const GroupLayout&) const = default;
};

// Why a matrix [n, k] cannot lie this way, in a few words with what was found; null if it can.
// Everything below REQUIRES such a matrix, and that its size fits (which this checks, too).
const char* InvalidGroupLayout(const GroupLayout& layout, int64_t n, int64_t k) noexcept;

// The side line begins at GroupSideOffset of its block.
int64_t GroupSideOffset(const GroupLayout& layout) noexcept;
int64_t GroupBlockBytes(const GroupLayout& layout) noexcept;
int64_t GroupMatrixBytes(const GroupLayout& layout, int64_t n, int64_t k) noexcept;
int64_t GroupBlockOffset(const GroupLayout& layout, int64_t k, int64_t panel,
                         int64_t group) noexcept;

// What a block says of column 0..15; i < group_size. q and zero as in the formula above.
int GroupQ(const GroupLayout& layout, const std::byte* block, int column, int i) noexcept;
int GroupZero(const GroupLayout& layout, const std::byte* block, int column) noexcept;
float GroupScale(const GroupLayout& layout, const std::byte* block, int column) noexcept;
// (q - zero) * scale, rounded once.
float GroupWeight(const GroupLayout& layout, const std::byte* block, int column, int i) noexcept;

// The content of a block: q[c * q_stride + i], scale and zero [columns]; columns <= 16, the others
// are filled up. Scales are the bits of scale_dtype.
struct GroupBlock {
  const uint8_t* q = nullptr;
  int64_t q_stride = 0;
  const uint16_t* scale = nullptr;
  const uint8_t* zero = nullptr;
  int columns = kPanelColumns;
};

// Writes GroupBlockBytes bytes. REQUIRES: values are in the ranges above.
void WriteGroupBlock(const GroupLayout& layout, const GroupBlock& block, std::byte* out) noexcept;

// True if every byte of the matrix keeps what is_7bit promises and, bits 4, if no zero is over 16.
// For files: kernels rely on it.
bool GroupValuesInRange(const GroupLayout& layout, int64_t n, int64_t k,
                        const std::byte* data) noexcept;

}  // namespace octavo

#endif  // OCTAVO_TENSOR_GROUP_LAYOUT_H_
