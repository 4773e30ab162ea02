#include "formats/quantized_matrix.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "tensor/float16.h"

namespace octavo {
namespace {

// Field of an AWQ word that holds output 8 w + k.
constexpr int kAwqField[8] = {0, 4, 1, 5, 2, 6, 3, 7};

uint32_t Word(const LoadedTensor& tensor, int64_t index) {
  uint32_t word = 0;
  std::memcpy(&word, tensor.view.data + index * 4, sizeof(word));
  return word;
}

// Adding one to every field of a word, as GPTQModel does: a carry goes into the next field.
uint32_t OnesOf(int bits) {
  return bits == 2 ? 0x55555555u : bits == 4 ? 0x11111111u : 0x01010101u;
}

float ScaleAt(const TensorView& scales, int64_t place) {
  float value = 0;
  ToFloats(scales, place, 1, &value);
  return value;
}

uint16_t Narrow(float value, DType dtype) {
  return dtype == DType::kF16 ? ToFloat16(value).bits : ToBFloat16(value).bits;
}
float Widen(uint16_t bits, DType dtype) {
  return dtype == DType::kF16 ? ToFloat(Float16{bits}) : ToFloat(BFloat16{bits});
}

}  // namespace

QuantizedMatrix::QuantizedMatrix(const Checkpoint& checkpoint, const QuantizationConfig& config,
                                 const std::string& module)
    : method_(config.method), bits_(config.bits), is_v2_(config.is_gptq_v2) {
  const auto part = [&](const char* name) { return checkpoint.Get(module + "." + name); };
  const auto find = [&](const char* name) { return checkpoint.Find(module + "." + name); };
  std::optional<LoadedTensor> order;
  if (method_ == QuantMethod::kCompressedTensors) {
    weight_ = part("weight_packed");
    scales_ = part("weight_scale");
    if (!config.is_symmetric) zeros_ = part("weight_zero_point");
    order = find("weight_g_idx");
    int64_t dims[2];
    const LoadedTensor shape = part("weight_shape");
    std::memcpy(dims, shape.view.data, sizeof(dims));
    n_ = dims[0];
    k_ = dims[1];
    num_groups_ = scales_.view.shape[1];
  } else {
    weight_ = part("qweight");
    scales_ = part("scales");
    zeros_ = part("qzeros");
    const Shape& shape = weight_.view.shape;
    const bool is_awq = method_ == QuantMethod::kAwq;
    if (!is_awq) order = find("g_idx");
    n_ = is_awq ? shape[1] * 8 : shape[1];
    k_ = is_awq ? shape[0] : shape[0] * (32 / bits_);
    num_groups_ = scales_.view.shape[0];
  }
  group_of_.resize(static_cast<size_t>(k_));
  if (order) {
    std::memcpy(group_of_.data(), order->view.data, group_of_.size() * sizeof(int32_t));
  } else {
    const int64_t size = config.group_size == 0 ? k_ : config.group_size;
    for (int64_t i = 0; i < k_; ++i) {
      group_of_[static_cast<size_t>(i)] = static_cast<int32_t>(i / size);
    }
  }
}

int QuantizedMatrix::Q(int64_t o, int64_t i) const {
  const int per_word = 32 / bits_;
  const uint32_t mask = (1u << bits_) - 1;
  switch (method_) {
    case QuantMethod::kAwq:
      return static_cast<int>(Word(weight_, i * (n_ / 8) + o / 8) >> (4 * kAwqField[o % 8]) & mask);
    case QuantMethod::kGptq:
      return static_cast<int>(
          Word(weight_, i / per_word * n_ + o) >> (bits_ * static_cast<int>(i % per_word)) & mask);
    case QuantMethod::kCompressedTensors:
      break;
  }
  const int64_t words = weight_.view.shape[1];
  return static_cast<int>(
      Word(weight_, o * words + i / per_word) >> (bits_ * static_cast<int>(i % per_word)) & mask);
}

int QuantizedMatrix::Zero(int64_t o, int64_t g) const {
  const int per_word = 32 / bits_;
  const uint32_t mask = (1u << bits_) - 1;
  const auto field = static_cast<int>(o % per_word);
  switch (method_) {
    case QuantMethod::kAwq:
      return static_cast<int>(Word(*zeros_, g * (n_ / 8) + o / 8) >> (4 * kAwqField[o % 8]) & mask);
    case QuantMethod::kGptq: {
      uint32_t word = Word(*zeros_, g * (n_ / per_word) + o / per_word);
      if (!is_v2_) word += OnesOf(bits_);
      return static_cast<int>(word >> (bits_ * field) & mask);
    }
    case QuantMethod::kCompressedTensors:
      break;
  }
  if (!zeros_) return 1 << (bits_ - 1);
  return static_cast<int>(Word(*zeros_, o / per_word * num_groups_ + g) >> (bits_ * field) & mask);
}

int64_t QuantizedMatrix::ScalePlace(int64_t o, int64_t g) const {
  return method_ == QuantMethod::kCompressedTensors ? o * num_groups_ + g : g * n_ + o;
}

// True if every scale is a number of that type.
bool QuantizedMatrix::ScalesAre(DType dtype) const {
  if (scales_.view.dtype == dtype) return true;
  for (int64_t i = 0; i < n_ * num_groups_; ++i) {
    const float scale = ScaleAt(scales_.view, i);
    if (Widen(Narrow(scale, dtype), dtype) != scale) return false;
  }
  return true;
}

std::optional<PackedLayout> QuantizedMatrix::Layout() const {
  GroupLayout group;
  group.bits = bits_ == 8 ? 8 : 4;
  group.group_size = 0;
  for (const int size : {128, 64, 32}) {
    if (k_ % size != 0) continue;
    bool is_regular = true;
    for (int64_t i = 0; i < k_ && is_regular; ++i) {
      is_regular =
          group_of_[static_cast<size_t>(i)] == group_of_[static_cast<size_t>(i / size * size)];
    }
    if (is_regular) {
      group.group_size = size;
      break;
    }
  }
  if (group.group_size == 0) return std::nullopt;
  if (ScalesAre(DType::kF16)) {
    group.scale_dtype = DType::kF16;
  } else if (ScalesAre(DType::kBF16)) {
    group.scale_dtype = DType::kBF16;
  } else {
    return std::nullopt;
  }
  const PackedLayout layout = PackedLayout::Quantized(group, n_, k_);
  if (InvalidPackedLayout(layout) != nullptr) return std::nullopt;
  return layout;
}

void QuantizedMatrix::Pack(const PackedLayout& layout, std::byte* out) const {
  const GroupLayout& group = layout.group;
  const int64_t size = group.group_size;
  const int64_t num_groups = k_ / size;
  std::vector<uint8_t> q(static_cast<size_t>(kPanelColumns * size));
  uint16_t scales[kPanelColumns];
  uint8_t zeros[kPanelColumns];
  for (int64_t i = 0; i < layout.num_panels() * num_groups; ++i) {
    const int64_t first = i / num_groups * kPanelColumns;
    const int64_t begin = i % num_groups * size;
    const int64_t g = group_of_[static_cast<size_t>(begin)];
    const int64_t columns = std::min<int64_t>(kPanelColumns, n_ - first);
    for (int64_t c = 0; c < columns; ++c) {
      for (int64_t j = 0; j < size; ++j) {
        q[static_cast<size_t>(c * size + j)] = static_cast<uint8_t>(Q(first + c, begin + j));
      }
      scales[c] = Narrow(ScaleAt(scales_.view, ScalePlace(first + c, g)), group.scale_dtype);
      zeros[c] = static_cast<uint8_t>(Zero(first + c, g));
    }
    WriteGroupBlock(group, {q.data(), size, scales, zeros, static_cast<int>(columns)},
                    out + GroupBlockOffset(group, k_, i / num_groups, i % num_groups));
  }
}

void QuantizedMatrix::Dequantize(float* out) const {
  for (int64_t o = 0; o < n_; ++o) {
    for (int64_t i = 0; i < k_; ++i) {
      const int64_t g = group_of_[static_cast<size_t>(i)];
      out[o * k_ + i] =
          static_cast<float>(Q(o, i) - Zero(o, g)) * ScaleAt(scales_.view, ScalePlace(o, g));
    }
  }
}

}  // namespace octavo
