#include "quantize/tensor_maker.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/check.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "octavo/error.h"
#include "tensor/float16.h"

namespace octavo {
namespace {

// Numbers that one thread widens at a time.
constexpr int64_t kGrain = 1 << 16;

// Where a tensor comes from, for messages.
struct Place {
  const Checkpoint& checkpoint;
  const std::string& name;

  std::string Words() const {
    return StrCat(PrintableName(checkpoint.Source(), 400), ": ", PrintableName(name), " ");
  }
  [[noreturn]] void ThrowNotFinite() const {
    throw Error(ErrorCode::kDataLoss, StrCat(Words(), "contains a NaN or an infinite number"));
  }
};

void RequireFloats(const Place& place, const TensorView& tensor) {
  if (tensor.dtype == DType::kF32 || tensor.dtype == DType::kF16 || tensor.dtype == DType::kBF16) {
    return;
  }
  throw Error(ErrorCode::kUnsupported,
              StrCat(place.Words(), "is ", DTypeName(tensor.dtype), ", expected F32, F16 or BF16"));
}

// All of a tensor, widened and checked.
AlignedBuffer<float> Floats(const Place& place, const TensorView& tensor, ThreadPool* pool) {
  const int64_t count = tensor.shape.num_elements();
  AlignedBuffer<float> values(static_cast<size_t>(count));
  std::atomic<bool> finite{true};
  pool->ParallelFor(count, kGrain, [&](int64_t begin, int64_t end, int) {
    ToFloats(tensor, begin, end - begin, values.data() + begin);
    for (int64_t i = begin; i < end; ++i) {
      if (!std::isfinite(values[static_cast<size_t>(i)])) finite = false;
    }
  });
  if (!finite) place.ThrowNotFinite();
  return values;
}

void PackFloats(const Place& place, const PackedLayout& layout, const TensorView& tensor,
                ThreadPool* pool, std::byte* out) {
  const DType dtype = layout.unpacked_dtype();
  // Also for matrices that keep their form: what is made is finite.
  const AlignedBuffer<float> floats = Floats(place, tensor, pool);
  AlignedBuffer<BFloat16> narrow;
  TensorView rows = tensor;
  if (tensor.dtype != dtype && dtype == DType::kF32) {
    rows.data = reinterpret_cast<const std::byte*>(floats.data());
  } else if (tensor.dtype != dtype) {
    OCTAVO_CHECK(dtype == DType::kBF16, DTypeName(dtype));
    narrow = AlignedBuffer<BFloat16>(floats.size());
    for (size_t i = 0; i < floats.size(); ++i) narrow[i] = ToBFloat16(floats[i]);
    rows.data = reinterpret_cast<const std::byte*>(narrow.data());
  }
  rows.dtype = dtype;
  const size_t panel_bytes = PackedPanelBytes(layout);
  pool->ParallelFor(layout.num_panels(), 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t p = begin; p < end; ++p) {
      PackFloatPanel(layout, rows, p, out + static_cast<size_t>(p) * panel_bytes);
    }
  });
}

template <typename T>
MadeTensor Own(AlignedBuffer<T> values) {
  const auto owner = std::make_shared<AlignedBuffer<T>>(std::move(values));
  return {std::as_bytes(std::as_const(*owner).span()), owner, std::nullopt};
}

// How far the packed matrix is from the one that it was made of. Sums in the order of the rows.
RoundingError ErrorOf(const PackedTensor& packed, const TensorView& weight, ThreadPool* pool) {
  const PackedLayout& layout = packed.layout;
  std::vector<RoundingError> errors(static_cast<size_t>(layout.n));
  pool->ParallelFor(layout.n, 16, [&](int64_t begin, int64_t end, int) {
    std::vector<float> before(static_cast<size_t>(layout.k));
    std::vector<float> after(before.size());
    for (int64_t r = begin; r < end; ++r) {
      RoundingError& error = errors[static_cast<size_t>(r)];
      ToFloats(weight, r * layout.k, layout.k, before.data());
      UnpackPackedRow(layout, packed.data, r, after.data());
      for (size_t i = 0; i < before.size(); ++i) {
        const auto w = static_cast<double>(before[i]);
        const double difference = static_cast<double>(after[i]) - w;
        error.squares += difference * difference;
        error.weight_squares += w * w;
        error.max_abs = std::max(error.max_abs, std::abs(difference));
      }
    }
  });
  RoundingError all;
  for (const RoundingError& error : errors) {
    all.squares += error.squares;
    all.weight_squares += error.weight_squares;
    all.max_abs = std::max(all.max_abs, error.max_abs);
  }
  return all;
}

}  // namespace

MadeTensor TensorMaker::Make(const PlannedTensor& planned, const TensorInfo& source) const {
  const OctavoTensor& target = planned.tensor;
  if (source.packed && target.is_matrix() && *source.packed == target.layout) {
    PackedTensor packed = *checkpoint_.FindPacked(target.name);
    return {{packed.data, PackedBytes(packed.layout)}, std::move(packed.owner), std::nullopt};
  }
  const Place place = {checkpoint_, target.name};
  const LoadedTensor tensor = checkpoint_.Get(target.name);
  RequireFloats(place, tensor.view);
  if (!target.is_matrix()) return Own(Floats(place, tensor.view, pool_));
  if (target.layout.is_quantized()) {
    // A search has rounded it.
    std::optional<PackedTensor> rounded = checkpoint_.FindPacked(target.name);
    if (rounded && rounded->layout == target.layout) {
      return {{rounded->data, PackedBytes(rounded->layout)},
              rounded->owner,
              ErrorOf(*rounded, tensor.view, pool_)};
    }
  }
  AlignedBuffer<std::byte> packed(PackedBytes(target.layout));
  std::optional<RoundingError> rounding;
  if (target.layout.is_quantized()) {
    rounding = RoundToNearest(target.layout, tensor.view, pool_, packed.data());
    if (!rounding->is_finite) place.ThrowNotFinite();
    if (!rounding->is_in_range) {
      throw Error(ErrorCode::kUnsupported,
                  StrCat(place.Words(), "has weights too large for scales in ",
                         DTypeName(target.layout.group.scale_dtype)));
    }
  } else {
    PackFloats(place, target.layout, tensor.view, pool_, packed.data());
  }
  MadeTensor made = Own(std::move(packed));
  made.rounding = rounding;
  return made;
}

}  // namespace octavo
