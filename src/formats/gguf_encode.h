// Packed matrices as GGUF's blocks of 32.
//
//   8 bits, zero in the middle  Q8_0, the same numbers
//   4 bits, every zero 8        Q4_0, the same numbers
//   4 bits, other zeros         Q4_1: the same steps and scales; -zero * scale rounded to f16, as
//                               a block has a minimum there instead of a zero
// Source of the block layouts: formats/gguf_blocks.h.
#ifndef OCTAVO_FORMATS_GGUF_ENCODE_H_
#define OCTAVO_FORMATS_GGUF_ENCODE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "formats/gguf_tensor_type.h"
#include "tensor/packed_layout.h"

namespace octavo {

// The type of a float matrix or vector. REQUIRES: F32, F16 or BF16.
const GgufTensorType& GgufTypeOf(DType dtype) noexcept;

// Why GGUF has no blocks for a quantised matrix of this layout, in a few words; null if it may
// have.
const char* NotForGguf(const PackedLayout& layout) noexcept;

// The type for numbers that are known; null: 8 bits with zeros that Q8_0 has no room for.
// REQUIRES: NotForGguf(layout) is null.
const GgufTensorType* GgufTypeFor(const PackedLayout& layout, const std::byte* data) noexcept;

// The type that holds whatever rounding makes: Q8_0 (symmetric), Q4_1.
const GgufTensorType& GgufTypeForRounded(const PackedLayout& layout) noexcept;

// Rows [begin, begin + count) as blocks. REQUIRES: the type is one that the functions above gave
// for this matrix.
std::vector<std::byte> ToGgufBlocks(const PackedLayout& layout, const std::byte* data,
                                    const GgufTensorType& type, int64_t begin, int64_t count);

}  // namespace octavo

#endif  // OCTAVO_FORMATS_GGUF_ENCODE_H_
