// EditedCheckpoint: a checkpoint with some files or tensors changed, without touching the disk.
#ifndef OCTAVO_TESTS_TESTING_EDITED_CHECKPOINT_H_
#define OCTAVO_TESTS_TESTING_EDITED_CHECKPOINT_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/checkpoint.h"

namespace octavo::testing {

// Changes the numbers of one tensor, widened to f32; the tensor keeps its dtype.
using TensorEdit = std::function<void(std::vector<float>* values)>;

// Const and safe from any thread.
class EditedCheckpoint final : public Checkpoint {
 public:
  explicit EditedCheckpoint(std::shared_ptr<const Checkpoint> original);

  // Setup, before use.
  void ReplaceTextFile(const std::string& name, std::string content);
  // Replaces `from`, which must occur, by `to` in a text file.
  void EditTextFile(const std::string& name, std::string_view from, std::string_view to);
  void EditTensor(const std::string& name, TensorEdit edit);
  void RemoveTensor(const std::string& name);
  // Adds or replaces a tensor of zeros.
  void SetTensor(const std::string& name, DType dtype, const Shape& shape);

  std::string Source() const override { return original_->Source(); }
  std::string Container() const override { return original_->Container(); }
  const std::vector<TensorInfo>& Tensors() const override { return tensors_; }
  std::optional<LoadedTensor> Find(std::string_view name) const override;
  // Only of matrices that are as they were.
  std::optional<PackedTensor> FindPacked(std::string_view name) const override;
  std::optional<std::string> TextFile(std::string_view name) const override;

 private:
  LoadedTensor Edited(const LoadedTensor& tensor, const TensorEdit& edit) const;

  std::shared_ptr<const Checkpoint> original_;
  std::vector<TensorInfo> tensors_;
  std::map<std::string, std::string, std::less<>> text_files_;
  std::map<std::string, TensorEdit, std::less<>> edits_;
  std::map<std::string, TensorInfo, std::less<>> set_;
};

}  // namespace octavo::testing

#endif  // OCTAVO_TESTS_TESTING_EDITED_CHECKPOINT_H_
