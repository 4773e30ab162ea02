#include "tensor/tensor.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"
#include "tensor/float16.h"

namespace octavo {
namespace {

static_assert(std::endian::native == std::endian::little, "checkpoints are little-endian");

// Element i, wherever it lies: checkpoints need not align their data.
template <typename T>
T Read(const std::byte* data, int64_t i) {
  T value;
  std::memcpy(&value, data + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <typename T>
void Widen(const std::byte* data, int64_t count, float* out) {
  for (int64_t i = 0; i < count; ++i) out[i] = ToFloat(Read<T>(data, i));
}

}  // namespace

Shape::Shape(std::initializer_list<int64_t> dims)
    : Shape(std::span<const int64_t>(dims.begin(), dims.size())) {}

Shape::Shape(std::span<const int64_t> dims) : rank_(static_cast<int>(dims.size())) {
  OCTAVO_CHECK(dims.size() <= static_cast<size_t>(kMaxRank), dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    OCTAVO_CHECK(dims[i] >= 0, dims[i]);
    dims_[i] = dims[i];
  }
}

int64_t Shape::num_elements() const {
  int64_t product = 1;
  for (int i = 0; i < rank_; ++i) product *= (*this)[i];
  return product;
}

std::string Shape::ToString() const {
  std::string text = "[";
  for (int i = 0; i < rank_; ++i) {
    if (i > 0) text += ", ";
    text += std::to_string((*this)[i]);
  }
  return text + "]";
}

void ToFloats(const TensorView& tensor, int64_t first, int64_t count, float* out) {
  OCTAVO_DCHECK(first >= 0 && count >= 0 && first + count <= tensor.shape.num_elements(), first,
                " + ", count, " of ", tensor.shape.num_elements());
  const std::byte* data = tensor.data + first * static_cast<int64_t>(DTypeSize(tensor.dtype));
  switch (tensor.dtype) {
    case DType::kF32:
      if (count > 0) std::memcpy(out, data, static_cast<size_t>(count) * sizeof(float));
      return;
    case DType::kF16:
      Widen<Float16>(data, count, out);
      return;
    case DType::kBF16:
      Widen<BFloat16>(data, count, out);
      return;
    default:
      OCTAVO_CHECK(false, "dtype ", DTypeName(tensor.dtype));
  }
}

}  // namespace octavo
