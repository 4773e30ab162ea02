#include "quantize/rounded_checkpoint.h"

#include <utility>

#include "model/config.h"

namespace octavo {
namespace {

// Whether the plan wants other numbers, or the same in packed order where a file has rows.
bool IsOtherForm(const OctavoTensor& target, const TensorInfo& source) {
  if (!target.is_matrix()) return false;
  if (source.packed) return !(*source.packed == target.layout);
  return target.layout.is_quantized() || target.layout.unpacked_dtype() != source.dtype;
}

}  // namespace

RoundedCheckpoint::RoundedCheckpoint(std::shared_ptr<const Checkpoint> source,
                                     const ExportOptions& options, ThreadPool* pool)
    : source_(std::move(source)), maker_(*source_, pool) {
  std::map<std::string_view, const TensorInfo*> infos;
  for (const TensorInfo& info : source_->Tensors()) infos[info.name] = &info;
  const ModelConfig config = LoadModelConfig(*source_);
  for (PlannedTensor& planned : PlanExport(config, source_->Tensors(), options)) {
    const TensorInfo& info = *infos.at(planned.tensor.name);
    TensorInfo& tensor = tensors_.emplace_back(info);
    const bool is_made = IsOtherForm(planned.tensor, info);
    if (is_made) {
      tensor.dtype = planned.tensor.layout.unpacked_dtype();
      tensor.packed = planned.tensor.layout;
    }
    const std::string name = planned.tensor.name;
    entries_.emplace(name, Entry{std::move(planned), info, is_made});
  }
}

std::optional<LoadedTensor> RoundedCheckpoint::Find(std::string_view name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return std::nullopt;
  const Entry& entry = found->second;
  if (!entry.is_made) return source_->Find(name);
  const PackedTensor packed = *FindPacked(name);
  return Unpack(packed, entry.source.shape, packed.layout.unpacked_dtype());
}

std::optional<PackedTensor> RoundedCheckpoint::FindPacked(std::string_view name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return std::nullopt;
  const Entry& entry = found->second;
  if (!entry.is_made) return source_->FindPacked(name);
  MadeTensor made = maker_.Make(entry.planned, entry.source);
  return PackedTensor{entry.planned.tensor.layout, made.bytes.data(), std::move(made.owner)};
}

}  // namespace octavo
