// RoundedCheckpoint: a checkpoint seen as an export would write it, without a file. Matrices are
// made when they are asked for, so that a model of packed weights is loaded one by one and the
// weights as they were are never together in memory.
#ifndef OCTAVO_QUANTIZE_ROUNDED_CHECKPOINT_H_
#define OCTAVO_QUANTIZE_ROUNDED_CHECKPOINT_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread_pool.h"
#include "formats/checkpoint.h"
#include "quantize/export_plan.h"
#include "quantize/tensor_maker.h"

namespace octavo {

// Find and FindPacked use the pool: one thread at a time. The pool outlives the object.
class RoundedCheckpoint final : public Checkpoint {
 public:
  // Throws as PlanExport and LoadModelConfig do.
  RoundedCheckpoint(std::shared_ptr<const Checkpoint> source, const ExportOptions& options,
                    ThreadPool* pool);

  std::string Source() const override { return source_->Source(); }
  std::string Container() const override { return source_->Container(); }
  const std::vector<TensorInfo>& Tensors() const override { return tensors_; }
  std::optional<LoadedTensor> Find(std::string_view name) const override;
  // The bytes that WriteModel would write. Throws as TensorMaker::Make does.
  std::optional<PackedTensor> FindPacked(std::string_view name) const override;
  std::optional<std::string> TextFile(std::string_view name) const override {
    return source_->TextFile(name);
  }

 private:
  struct Entry {
    PlannedTensor planned;
    TensorInfo source;
    bool is_made = false;  // in another form than the source's
  };

  std::shared_ptr<const Checkpoint> source_;
  TensorMaker maker_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::vector<TensorInfo> tensors_;
};

}  // namespace octavo

#endif  // OCTAVO_QUANTIZE_ROUNDED_CHECKPOINT_H_
