#include "formats/synthetic_checkpoint.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "base/aligned_buffer.h"
#include "base/check.h"
#include "base/random.h"
#include "tensor/float16.h"

namespace octavo {
namespace {

// FNV-1a, 64 bits: the tensor's name chooses its stream of numbers.
uint64_t HashName(std::string_view name) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return hash;
}

bool EndsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

bool IsNormWeight(std::string_view name) {
  if (EndsWith(name, "ln_q.weight")) return true;
  constexpr std::string_view kWeight = ".weight";
  if (!EndsWith(name, kWeight)) return false;
  // norm.weight, norm1.weight, input_layernorm.weight: "norm" in the last part but one.
  name.remove_suffix(kWeight.size());
  const size_t dot = name.rfind('.');
  return name.substr(dot == std::string_view::npos ? 0 : dot + 1).find("norm") !=
         std::string_view::npos;
}

struct Range {
  float low;
  float high;
};

Range ValueRange(const TensorInfo& info) {
  if (info.shape.rank() <= 1)
    return IsNormWeight(info.name) ? Range{0.8f, 1.2f} : Range{-0.1f, 0.1f};
  const int64_t rows = info.shape[0];
  const int64_t row_elements = rows == 0 ? 1 : info.shape.num_elements() / rows;
  // A uniform distribution on +-a has the variance a^2 / 3.
  const auto bound =
      static_cast<float>(std::sqrt(3.0 / static_cast<double>(std::max<int64_t>(1, row_elements))));
  return {-bound, bound};
}

template <typename T, typename Convert>
void Fill(Random* random, Range range, int64_t count, const Convert& convert, std::byte* out) {
  for (int64_t i = 0; i < count; ++i) {
    const T value = convert(random->Uniform(range.low, range.high));
    std::memcpy(out + static_cast<size_t>(i) * sizeof(T), &value, sizeof(T));
  }
}

class SyntheticCheckpoint : public Checkpoint {
 public:
  SyntheticCheckpoint(std::vector<TensorInfo> tensors,
                      std::map<std::string, std::string> text_files, uint64_t seed)
      : tensors_(std::move(tensors)), text_files_(std::move(text_files)), seed_(seed) {
    for (size_t i = 0; i < tensors_.size(); ++i) {
      const DType dtype = tensors_[i].dtype;
      OCTAVO_CHECK(dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16,
                   tensors_[i].name, " ", DTypeName(dtype));
      OCTAVO_CHECK(index_.emplace(tensors_[i].name, i).second, tensors_[i].name, " twice");
    }
  }

  std::string Source() const override { return "synthetic"; }
  std::string Container() const override { return "synthetic"; }
  const std::vector<TensorInfo>& Tensors() const override { return tensors_; }

  std::optional<LoadedTensor> Find(std::string_view name) const override {
    const auto found = index_.find(std::string(name));
    if (found == index_.end()) return std::nullopt;
    const TensorInfo& info = tensors_[found->second];
    const int64_t count = info.shape.num_elements();
    auto buffer = std::make_shared<AlignedBuffer<std::byte>>(static_cast<size_t>(count) *
                                                             DTypeSize(info.dtype));
    Random random(seed_ ^ HashName(info.name));
    const Range range = ValueRange(info);
    switch (info.dtype) {
      case DType::kF16:
        Fill<Float16>(
            &random, range, count, [](float x) { return ToFloat16(x); }, buffer->data());
        break;
      case DType::kBF16:
        Fill<BFloat16>(
            &random, range, count, [](float x) { return ToBFloat16(x); }, buffer->data());
        break;
      default:
        Fill<float>(
            &random, range, count, [](float x) { return x; }, buffer->data());
    }
    return LoadedTensor{{buffer->data(), info.dtype, info.shape}, buffer};
  }

  std::optional<std::string> TextFile(std::string_view name) const override {
    const auto found = text_files_.find(std::string(name));
    if (found == text_files_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::vector<TensorInfo> tensors_;
  std::map<std::string, std::string> text_files_;
  uint64_t seed_;
  std::unordered_map<std::string, size_t> index_;
};

}  // namespace

std::unique_ptr<Checkpoint> MakeSyntheticCheckpoint(std::vector<TensorInfo> tensors,
                                                    std::map<std::string, std::string> text_files,
                                                    uint64_t seed) {
  return std::make_unique<SyntheticCheckpoint>(std::move(tensors), std::move(text_files), seed);
}

}  // namespace octavo
