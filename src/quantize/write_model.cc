#include "quantize/write_model.h"

#include <map>
#include <system_error>
#include <utility>

#include "base/str_cat.h"
#include "base/utf8.h"
#include "formats/octavo_writer.h"
#include "octavo/error.h"
#include "quantize/tensor_maker.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

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

std::string FormOfTensor(const TensorInfo& tensor) {
  return tensor.packed ? tensor.packed->Describe() : std::string(DTypeName(tensor.dtype));
}

const std::vector<std::string>& ModelTextFiles() {
  static const std::vector<std::string> files = {
      "config.json",         "generation_config.json",  "preprocessor_config.json",
      "tokenizer.json",      "tokenizer_config.json",   "chat_template.json",
      "chat_template.jinja", "special_tokens_map.json", kModelCardFile};
  return files;
}

WrittenModel WriteModel(const Checkpoint& checkpoint, const ExportOptions& options,
                        const Adjustments& adjustments, const fs::path& path, ThreadPool* pool,
                        const WriteProgress& progress) {
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
  const AdjustedCheckpoint adjusted(checkpoint, adjustments);
  const TensorMaker maker(adjusted, pool);
  WrittenModel model;
  double done = 0;
  for (const PlannedTensor& planned : plan) {
    const OctavoTensor& tensor = planned.tensor;
    const TensorInfo& source = *sources.at(tensor.name);
    if (progress) progress(tensor.name, done / all);
    WrittenTensor& written = model.tensors.emplace_back();
    written.name = tensor.name;
    written.shape = tensor.shape;
    written.from = FormOfTensor(source);
    written.to = tensor.is_matrix() ? tensor.layout.Describe() : "F32";
    written.note = planned.note;
    const MadeTensor made = maker.Make(planned, source);
    written.bytes = made.bytes.size();
    written.rounding = made.rounding;
    writer.Append(made.bytes);
    model.source_bytes += StoredBytes(source);
    done += static_cast<double>(tensor.shape.num_elements());
  }
  writer.Commit();
  model.file_bytes = writer.file_bytes();
  return model;
}

}  // namespace octavo
