#include "quantize/write_awq.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/file.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "formats/awq_config.h"
#include "formats/awq_matrix.h"
#include "formats/safetensors_writer.h"
#include "octavo/error.h"
#include "quantize/tensor_maker.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWeight = ".weight";

std::string ModuleOf(const std::string& name) {
  OCTAVO_CHECK(name.size() > kWeight.size() && name.ends_with(kWeight), name);
  return name.substr(0, name.size() - kWeight.size());
}

// The tensors of the file in the order in which they are written.
std::vector<TensorInfo> TargetsOf(const std::vector<PlannedTensor>& plan,
                                  const Checkpoint& adjusted) {
  std::map<std::string_view, DType> dtypes;
  for (const TensorInfo& tensor : adjusted.Tensors()) dtypes[tensor.name] = tensor.dtype;
  std::vector<TensorInfo> targets;
  for (const PlannedTensor& planned : plan) {
    const OctavoTensor& tensor = planned.tensor;
    if (!tensor.is_matrix() || !tensor.layout.is_quantized()) {
      targets.push_back({tensor.name, dtypes.at(tensor.name), tensor.shape});
      continue;
    }
    if (const char* reason = NotForAwq(tensor.layout)) {
      throw Error(ErrorCode::kUnsupported,
                  StrCat(PrintableName(adjusted.Source(), 400), ": ", PrintableName(tensor.name),
                         " is ", tensor.layout.Describe(), ": ", reason));
    }
    const std::string module = ModuleOf(tensor.name);
    const int64_t n = tensor.layout.n;
    const int64_t k = tensor.layout.k;
    const int64_t groups = k / tensor.layout.group.group_size;
    targets.push_back({module + ".qweight", DType::kI32, Shape{k, n / 8}});
    targets.push_back({module + ".qzeros", DType::kI32, Shape{groups, n / 8}});
    targets.push_back({module + ".scales", DType::kF16, Shape{groups, n}});
  }
  return targets;
}

// Modules that AutoAWQ's loaders shall leave alone.
std::vector<std::string> NotConverted(const std::vector<PlannedTensor>& plan) {
  std::vector<std::string> modules = {"visual", "lm_head"};
  for (const PlannedTensor& planned : plan) {
    if (!planned.tensor.is_matrix() || planned.tensor.layout.is_quantized()) continue;
    if (PartOfTensor(planned.tensor.name) != ModelPart::kLanguage) continue;
    modules.push_back(ModuleOf(planned.tensor.name));
  }
  return modules;
}

void WriteTexts(const Checkpoint& checkpoint, const std::vector<PlannedTensor>& plan,
                int group_size, const fs::path& folder) {
  for (const std::string& name : ModelTextFiles()) {
    std::optional<std::string> text = checkpoint.TextFile(name);
    if (!text) continue;
    if (name == "config.json") {
      text = AwqConfigJson(*text, group_size, NotConverted(plan),
                           StrCat(PrintableName(checkpoint.Source(), 400), "/config.json"));
    }
    WriteFileAtomically(folder / name, *text);
  }
}

// Zeros of 16 come from files of GPTQ's first version only.
void RequireZerosOfAwq(const Checkpoint& checkpoint, const OctavoTensor& tensor,
                       const std::byte* packed) {
  if (!HasZerosBeyondAwq(tensor.layout, packed)) return;
  throw Error(ErrorCode::kUnsupported,
              StrCat(PrintableName(checkpoint.Source(), 400), ": ", PrintableName(tensor.name),
                     " has zeros of 16, AutoAWQ has room for 0 to 15"));
}

// What is kept is checked on its way, as what is made is.
void RequireFinite(const Checkpoint& checkpoint, const std::string& name,
                   const TensorView& tensor) {
  const std::string where =
      StrCat(PrintableName(checkpoint.Source(), 400), ": ", PrintableName(name));
  if (tensor.dtype != DType::kF32 && tensor.dtype != DType::kF16 && tensor.dtype != DType::kBF16) {
    throw Error(ErrorCode::kUnsupported,
                StrCat(where, " is ", DTypeName(tensor.dtype), ", expected F32, F16 or BF16"));
  }
  std::vector<float> values(4096);
  const int64_t all = tensor.shape.num_elements();
  for (int64_t begin = 0; begin < all; begin += std::ssize(values)) {
    const int64_t count = std::min<int64_t>(std::ssize(values), all - begin);
    ToFloats(tensor, begin, count, values.data());
    if (!std::all_of(values.begin(), values.begin() + count,
                     [](float value) { return std::isfinite(value); })) {
      throw Error(ErrorCode::kDataLoss, StrCat(where, " contains a NaN or an infinite number"));
    }
  }
}

}  // namespace

WrittenModel WriteAwqFolder(const Checkpoint& checkpoint, const ExportOptions& options,
                            const Adjustments& adjustments, const fs::path& folder,
                            ThreadPool* pool, const WriteProgress& progress) {
  OCTAVO_CHECK(options.for_awq && options.vision == MatrixForm::kKeep &&
               options.head == MatrixForm::kKeep);
  const ModelConfig config = LoadModelConfig(checkpoint);
  const std::vector<PlannedTensor> plan = PlanExport(config, checkpoint.Tensors(), options);
  std::map<std::string_view, const TensorInfo*> sources;
  for (const TensorInfo& tensor : checkpoint.Tensors()) sources[tensor.name] = &tensor;
  const AdjustedCheckpoint adjusted(checkpoint, adjustments);
  const std::vector<TensorInfo> targets = TargetsOf(plan, adjusted);
  WriteTexts(checkpoint, plan, options.group_size, folder);
  SafetensorsWriter writer(folder / "model.safetensors", targets);
  const TensorMaker maker(adjusted, pool);
  WrittenModel model;
  double all = 0;
  double done = 0;
  for (const PlannedTensor& planned : plan) {
    all += static_cast<double>(planned.tensor.shape.num_elements());
  }
  for (const PlannedTensor& planned : plan) {
    const OctavoTensor& tensor = planned.tensor;
    const TensorInfo& source = *sources.at(tensor.name);
    if (progress) progress(tensor.name, done / all);
    WrittenTensor& written = model.tensors.emplace_back();
    written.name = tensor.name;
    written.shape = tensor.shape;
    written.from = FormOfTensor(source);
    written.note = planned.note;
    const auto append = [&](std::span<const std::byte> bytes) {
      written.bytes += bytes.size();
      writer.Append(bytes);
    };
    if (tensor.is_matrix() && tensor.layout.is_quantized()) {
      const MadeTensor made = maker.Make(planned, source);
      written.to = tensor.layout.Describe();
      written.rounding = made.rounding;
      RequireZerosOfAwq(checkpoint, tensor, made.bytes.data());
      const AwqMatrix matrix = ToAwqMatrix(tensor.layout, made.bytes.data());
      append(std::as_bytes(std::span(matrix.qweight)));
      append(std::as_bytes(std::span(matrix.qzeros)));
      append(std::as_bytes(std::span(matrix.scales)));
    } else {
      const LoadedTensor rows = adjusted.Get(tensor.name);
      RequireFinite(checkpoint, tensor.name, rows.view);
      written.to = std::string(DTypeName(rows.view.dtype));
      append({rows.view.data, rows.view.size_bytes()});
    }
    model.source_bytes += StoredBytes(source);
    done += static_cast<double>(tensor.shape.num_elements());
  }
  writer.Commit();
  model.file_bytes = writer.file_bytes();
  return model;
}

}  // namespace octavo
