#include "tests/testing/edited_checkpoint.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "tensor/float16.h"

namespace octavo::testing {

EditedCheckpoint::EditedCheckpoint(std::shared_ptr<const Checkpoint> original)
    : original_(std::move(original)), tensors_(original_->Tensors()) {}

void EditedCheckpoint::ReplaceTextFile(const std::string& name, std::string content) {
  text_files_[name] = std::move(content);
}

void EditedCheckpoint::EditTextFile(const std::string& name, std::string_view from,
                                    std::string_view to) {
  std::string content = GetTextFile(name);
  const size_t place = content.find(from);
  OCTAVO_CHECK(place != std::string::npos, name, " has no ", from);
  content.replace(place, from.size(), to);
  text_files_[name] = std::move(content);
}

void EditedCheckpoint::EditTensor(const std::string& name, TensorEdit edit) {
  edits_[name] = std::move(edit);
  for (TensorInfo& tensor : tensors_) {
    if (tensor.name == name) tensor.packed.reset();
  }
}

void EditedCheckpoint::RemoveTensor(const std::string& name) {
  tensors_.erase(std::remove_if(tensors_.begin(), tensors_.end(),
                                [&](const TensorInfo& tensor) { return tensor.name == name; }),
                 tensors_.end());
}

void EditedCheckpoint::SetTensor(const std::string& name, DType dtype, const Shape& shape) {
  RemoveTensor(name);
  tensors_.push_back({name, dtype, shape});
  set_[name] = tensors_.back();
}

std::optional<LoadedTensor> EditedCheckpoint::Find(std::string_view name) const {
  const bool is_listed = std::any_of(tensors_.begin(), tensors_.end(),
                                     [&](const TensorInfo& tensor) { return tensor.name == name; });
  if (!is_listed) return std::nullopt;
  std::optional<LoadedTensor> tensor;
  if (const auto set = set_.find(name); set != set_.end()) {
    const TensorInfo& info = set->second;
    const size_t bytes = static_cast<size_t>(info.shape.num_elements()) * DTypeSize(info.dtype);
    const auto zeros = std::make_shared<std::vector<std::byte>>(bytes);
    tensor = LoadedTensor{{zeros->data(), info.dtype, info.shape}, zeros};
  } else {
    tensor = original_->Find(name);
  }
  const auto edit = edits_.find(name);
  if (tensor && edit != edits_.end()) return Edited(*tensor, edit->second);
  return tensor;
}

std::optional<PackedTensor> EditedCheckpoint::FindPacked(std::string_view name) const {
  const auto info = std::find_if(tensors_.begin(), tensors_.end(),
                                 [&](const TensorInfo& tensor) { return tensor.name == name; });
  if (info == tensors_.end() || !info->packed) return std::nullopt;
  return original_->FindPacked(name);
}

LoadedTensor EditedCheckpoint::Edited(const LoadedTensor& tensor, const TensorEdit& edit) const {
  const int64_t count = tensor.view.shape.num_elements();
  std::vector<float> values(static_cast<size_t>(count));
  ToFloats(tensor.view, 0, count, values.data());
  edit(&values);
  const auto bytes = std::make_shared<std::vector<std::byte>>(tensor.view.size_bytes());
  for (size_t i = 0; i < values.size(); ++i) {
    switch (tensor.view.dtype) {
      case DType::kBF16: {
        const BFloat16 x = ToBFloat16(values[i]);
        std::memcpy(bytes->data() + i * sizeof(x), &x, sizeof(x));
        break;
      }
      case DType::kF16: {
        const Float16 x = ToFloat16(values[i]);
        std::memcpy(bytes->data() + i * sizeof(x), &x, sizeof(x));
        break;
      }
      default:
        std::memcpy(bytes->data() + i * sizeof(float), &values[i], sizeof(float));
    }
  }
  return {{bytes->data(), tensor.view.dtype, tensor.view.shape}, bytes};
}

std::optional<std::string> EditedCheckpoint::TextFile(std::string_view name) const {
  const auto found = text_files_.find(name);
  if (found != text_files_.end()) return found->second;
  return original_->TextFile(name);
}

}  // namespace octavo::testing
