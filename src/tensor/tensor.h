// TensorView: a read-only view of stored numbers (a checkpoint tensor): bytes, dtype, shape.
#ifndef OCTAVO_TENSOR_TENSOR_H_
#define OCTAVO_TENSOR_TENSOR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "tensor/dtype.h"

namespace octavo {

inline constexpr int kMaxRank = 5;  // the patch embedding is [embed_dim, channels, t, h, w]

// Row-major, slowest dimension first. Rank 0 is a scalar of one element.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> dims);
  // REQUIRES: dims.size() <= kMaxRank, every dimension >= 0.
  explicit Shape(std::span<const int64_t> dims);

  int rank() const { return rank_; }
  int64_t operator[](int i) const { return dims_[static_cast<size_t>(i)]; }
  // Product of the dimensions. REQUIRES: it fits (formats check that at load).
  int64_t num_elements() const;
  bool operator==(const Shape& other) const = default;
  // "[896, 128]"
  std::string ToString() const;

 private:
  std::array<int64_t, kMaxRank> dims_{};
  int rank_ = 0;
};

// The bytes are owned elsewhere (a mapped file, a buffer), little-endian, C order, and need not be
// aligned to the element size.
struct TensorView {
  const std::byte* data = nullptr;
  DType dtype = DType::kF32;
  Shape shape;

  size_t size_bytes() const { return static_cast<size_t>(shape.num_elements()) * DTypeSize(dtype); }
};

// Widens `count` elements that start at element `first` to f32, exactly.
// REQUIRES: dtype is F32, F16 or BF16.
void ToFloats(const TensorView& tensor, int64_t first, int64_t count, float* out);

}  // namespace octavo

#endif  // OCTAVO_TENSOR_TENSOR_H_
