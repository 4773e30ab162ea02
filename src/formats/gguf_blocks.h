// The element types of GGUF tensors that octavo reads: to f32, and to groups where that is exact.
//
// Source: ggml-org/ggml src/ggml-common.h and src/ggml-quants.c (dequantize_row_*). d and m are f16
// numbers at the head of each block.
#ifndef OCTAVO_FORMATS_GGUF_BLOCKS_H_
#define OCTAVO_FORMATS_GGUF_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "formats/gguf_tensor_type.h"
#include "tensor/dtype.h"
#include "tensor/group_layout.h"

namespace octavo {

// True for F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K and Q6_K.
bool IsReadGgufType(const GgufTensorType& type) noexcept;

// F32, F16 and BF16 as octavo's own; nullopt for blocks.
std::optional<DType> GgufFloatType(const GgufTensorType& type) noexcept;

// Widens `count` elements, whole blocks, that begin at `blocks`.
// REQUIRES: IsReadGgufType(type), count is a multiple of its block_elements.
void DequantizeGguf(const GgufTensorType& type, const std::byte* blocks, int64_t count, float* out);

// Groups that hold numbers of this type exactly, for K a multiple of 32: Q4_0, Q5_0 and Q8_0, whose
// weights are d * (q - a constant). nullopt for the others: a minimum, or groups of 16.
std::optional<GroupLayout> GgufGroupLayout(const GgufTensorType& type) noexcept;

// One block of 32 elements as a column of a group: q[32], the bits of its f16 scale, its zero.
// REQUIRES: GgufGroupLayout(type).
void GgufGroupColumn(const GgufTensorType& type, const std::byte* block, uint8_t* q,
                     uint16_t* scale, uint8_t* zero);

}  // namespace octavo

#endif  // OCTAVO_FORMATS_GGUF_BLOCKS_H_
