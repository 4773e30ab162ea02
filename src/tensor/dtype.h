// Element types of checkpoint tensors: names as safetensors writes them, sizes.
#ifndef OCTAVO_TENSOR_DTYPE_H_
#define OCTAVO_TENSOR_DTYPE_H_

#include <cstddef>
#include <optional>
#include <string_view>

namespace octavo {

enum class DType { kF32, kF16, kBF16, kI64, kI32, kI16, kI8, kU8, kBool, kF8E4M3, kF8E5M2 };

size_t DTypeSize(DType dtype) noexcept;
// "F32", "BF16", "F8_E4M3", ...
std::string_view DTypeName(DType dtype) noexcept;
std::optional<DType> ParseDType(std::string_view name) noexcept;

}  // namespace octavo

#endif  // OCTAVO_TENSOR_DTYPE_H_
