#include "quantize/write_model.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <system_error>
#include <utility>

#include "base/aligned_buffer.h"
#include "base/check.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "formats/octavo_writer.h"
#include "octavo/error.h"
#include "tensor/float16.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

std::string FormOf(const TensorInfo& tensor) {
  return tensor.packed ? tensor.packed->Describe() : std::string(DTypeName(tensor.dtype));
}

class ModelWriter {
 public:
  ModelWriter(const Checkpoint& checkpoint, ThreadPool* pool)
      : checkpoint_(checkpoint), pool_(pool) {}

  // Calls `append` with the tensor's bytes as `planned` wants them.
  template <typename Append>
  void Make(const PlannedTensor& planned, const TensorInfo& source, WrittenTensor* written,
            const Append& append) {
    const OctavoTensor& target = planned.tensor;
    name_ = &target.name;
    if (source.packed && target.is_matrix() && *source.packed == target.layout) {
      const PackedTensor packed = *checkpoint_.FindPacked(target.name);
      append(std::span(packed.data, PackedBytes(packed.layout)));
      return;
    }
    const LoadedTensor tensor = checkpoint_.Get(target.name);
    RequireFloats(tensor.view);
    if (!target.is_matrix()) {
      append(std::as_bytes(Floats(tensor.view).span()));
      return;
    }
    AlignedBuffer<std::byte> packed(PackedBytes(target.layout));
    if (target.layout.is_quantized()) {
      const RoundingError error = RoundToNearest(target.layout, tensor.view, pool_, packed.data());
      if (!error.is_finite) ThrowNotFinite();
      if (!error.is_in_range) {
        throw Error(ErrorCode::kUnsupported, StrCat(Where(), "has weights too large for scales in ",
                                                    DTypeName(target.layout.group.scale_dtype)));
      }
      written->rounding = error;
    } else {
      PackFloats(target.layout, tensor.view, packed.data());
    }
    append(std::span<const std::byte>(packed.data(), packed.size()));
  }

 private:
  std::string Where() const {
    return StrCat(PrintableName(checkpoint_.Source(), 400), ": ", PrintableName(*name_), " ");
  }
  [[noreturn]] void ThrowNotFinite() const {
    throw Error(ErrorCode::kDataLoss, StrCat(Where(), "contains a NaN or an infinite number"));
  }

  void RequireFloats(const TensorView& tensor) const {
    if (tensor.dtype == DType::kF32 || tensor.dtype == DType::kF16 ||
        tensor.dtype == DType::kBF16) {
      return;
    }
    throw Error(ErrorCode::kUnsupported,
                StrCat(Where(), "is ", DTypeName(tensor.dtype), ", expected F32, F16 or BF16"));
  }

  // All of a tensor, widened and checked.
  AlignedBuffer<float> Floats(const TensorView& tensor) const {
    const int64_t count = tensor.shape.num_elements();
    AlignedBuffer<float> values(static_cast<size_t>(count));
    std::atomic<bool> finite{true};
    constexpr int64_t kGrain = 1 << 16;
    pool_->ParallelFor(count, kGrain, [&](int64_t begin, int64_t end, int) {
      ToFloats(tensor, begin, end - begin, values.data() + begin);
      for (int64_t i = begin; i < end; ++i) {
        if (!std::isfinite(values[static_cast<size_t>(i)])) finite = false;
      }
    });
    if (!finite) ThrowNotFinite();
    return values;
  }

  void PackFloats(const PackedLayout& layout, const TensorView& tensor, std::byte* out) const {
    const DType dtype = layout.unpacked_dtype();
    // Also for matrices that keep their form: what is written is finite.
    const AlignedBuffer<float> floats = Floats(tensor);
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
    pool_->ParallelFor(layout.num_panels(), 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t p = begin; p < end; ++p) {
        PackFloatPanel(layout, rows, p, out + static_cast<size_t>(p) * panel_bytes);
      }
    });
  }

  const Checkpoint& checkpoint_;
  ThreadPool* const pool_;
  const std::string* name_ = nullptr;
};

std::vector<std::pair<std::string, std::string>> ReadTexts(const Checkpoint& checkpoint) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const std::string& name : ModelTextFiles()) {
    if (auto text = checkpoint.TextFile(name)) texts.emplace_back(name, *std::move(text));
  }
  return texts;
}

void RequireAnotherPlace(const Checkpoint& checkpoint, const fs::path& path) {
  std::error_code ignored;
  if (!fs::equivalent(checkpoint.Source(), path, ignored)) return;
  throw Error(ErrorCode::kInvalidArgument,
              StrCat(PrintableName(path.native(), 400), ": is the model itself"));
}

}  // namespace

const std::vector<std::string>& ModelTextFiles() {
  static const std::vector<std::string> files = {
      "config.json",         "generation_config.json",  "preprocessor_config.json",
      "tokenizer.json",      "tokenizer_config.json",   "chat_template.json",
      "chat_template.jinja", "special_tokens_map.json", "octavo.json"};
  return files;
}

WrittenModel WriteModel(const Checkpoint& checkpoint, const ExportOptions& options,
                        const fs::path& path, ThreadPool* pool, const WriteProgress& progress) {
  RequireAnotherPlace(checkpoint, path);
  const ModelConfig config = LoadModelConfig(checkpoint);
  const std::vector<PlannedTensor> plan = PlanExport(config, checkpoint.Tensors(), options);
  std::map<std::string_view, const TensorInfo*> sources;
  for (const TensorInfo& tensor : checkpoint.Tensors()) sources[tensor.name] = &tensor;

  std::vector<OctavoTensor> targets;
  double all = 0;
  for (const PlannedTensor& planned : plan) {
    targets.push_back(planned.tensor);
    all += static_cast<double>(planned.tensor.shape.num_elements());
  }
  OctavoWriter writer(path, ReadTexts(checkpoint), std::move(targets));
  ModelWriter maker(checkpoint, pool);
  WrittenModel model;
  double done = 0;
  for (const PlannedTensor& planned : plan) {
    const OctavoTensor& tensor = planned.tensor;
    const TensorInfo& source = *sources.at(tensor.name);
    if (progress) progress(tensor.name, done / all);
    WrittenTensor& written = model.tensors.emplace_back();
    written.name = tensor.name;
    written.shape = tensor.shape;
    written.from = FormOf(source);
    written.to = tensor.is_matrix() ? tensor.layout.Describe() : "F32";
    written.note = planned.note;
    maker.Make(planned, source, &written, [&](std::span<const std::byte> bytes) {
      written.bytes = bytes.size();
      writer.Append(bytes);
    });
    model.source_bytes += StoredBytes(source);
    done += static_cast<double>(tensor.shape.num_elements());
  }
  writer.Commit();
  model.file_bytes = writer.file_bytes();
  return model;
}

}  // namespace octavo
