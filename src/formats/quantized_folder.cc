#include "formats/quantized_folder.h"

#include <map>
#include <set>
#include <utility>

#include "base/aligned_buffer.h"
#include "base/log.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "formats/quantized_matrix.h"
#include "formats/quantized_tensors.h"
#include "octavo/error.h"

namespace octavo {
namespace {

class QuantizedFolder final : public Checkpoint {
 public:
  QuantizedFolder(std::unique_ptr<Checkpoint> folder, const QuantizationConfig& config)
      : folder_(std::move(folder)), config_(config) {
    CheckQuantizedTensors(*folder_, config_);
    std::set<std::string> modules;
    for (const TensorInfo& info : folder_->Tensors()) {
      const std::optional<QuantizedPart> part = SplitQuantizedName(info.name, config_.method);
      if (!part) {
        tensors_.push_back(info);
      } else if (modules.insert(part->module).second) {
        AddModule(part->module);
      }
    }
    for (const std::string& module : modules) {
      if (folder_->Find(module + ".weight")) {
        throw Error(ErrorCode::kDataLoss,
                    StrCat(PrintableName(Source(), 400), ": '", PrintableName(module),
                           "' has a weight beside its quantised one"));
      }
    }
    WarnOfWidened();
  }

  std::string Source() const override { return folder_->Source(); }
  std::string Container() const override {
    return StrCat(folder_->Container(), ", ", config_.Describe());
  }
  const std::vector<TensorInfo>& Tensors() const override { return tensors_; }
  std::optional<std::string> TextFile(std::string_view name) const override {
    return folder_->TextFile(name);
  }

  std::optional<LoadedTensor> Find(std::string_view name) const override {
    const auto found = places_.find(name);
    if (found == places_.end()) {
      if (SplitQuantizedName(name, config_.method)) return std::nullopt;
      return folder_->Find(name);
    }
    const TensorInfo& info = tensors_[found->second];
    const QuantizedMatrix matrix = Open(info.name);
    auto rows =
        std::make_shared<AlignedBuffer<float>>(static_cast<size_t>(info.shape.num_elements()));
    matrix.Dequantize(rows->data());
    return LoadedTensor{{reinterpret_cast<const std::byte*>(rows->data()), DType::kF32, info.shape},
                        rows};
  }

  std::optional<PackedTensor> FindPacked(std::string_view name) const override {
    const auto found = places_.find(name);
    if (found == places_.end() || !tensors_[found->second].packed) return std::nullopt;
    const TensorInfo& info = tensors_[found->second];
    auto bytes = std::make_shared<AlignedBuffer<std::byte>>(PackedBytes(*info.packed));
    Open(info.name).Pack(*info.packed, bytes->data());
    return PackedTensor{*info.packed, bytes->data(), bytes};
  }

 private:
  static constexpr std::string_view kWeight = ".weight";

  QuantizedMatrix Open(const std::string& name) const {
    return {*folder_, config_, name.substr(0, name.size() - kWeight.size())};
  }

  void AddModule(const std::string& module) {
    const QuantizedMatrix matrix(*folder_, config_, module);
    TensorInfo info{module + std::string(kWeight), DType::kF32, Shape{matrix.n(), matrix.k()}};
    info.packed = matrix.Layout();
    if (!info.packed) {
      ++num_widened_;
      widened_bytes_ += StoredBytes(info);
      if (first_widened_.empty()) first_widened_ = info.name;
    }
    places_[info.name] = tensors_.size();
    tensors_.push_back(std::move(info));
  }

  void WarnOfWidened() const {
    if (num_widened_ == 0) return;
    Log(LogLevel::kWarning, StrCat(PrintableName(Source(), 400), ": ", num_widened_,
                                   " quantised matrices, first ", PrintableName(first_widened_),
                                   ", do not lie in regular groups (act-order) and take ",
                                   widened_bytes_ / 1'000'000, " MB as f32"));
  }

  std::unique_ptr<Checkpoint> folder_;
  const QuantizationConfig config_;
  std::vector<TensorInfo> tensors_;
  std::map<std::string, size_t, std::less<>> places_;  // of quantised matrices, in tensors_
  int num_widened_ = 0;
  size_t widened_bytes_ = 0;
  std::string first_widened_;
};

}  // namespace

std::unique_ptr<Checkpoint> OpenQuantized(std::unique_ptr<Checkpoint> folder,
                                          const QuantizationConfig& config) {
  return std::make_unique<QuantizedFolder>(std::move(folder), config);
}

}  // namespace octavo
