#include "quantize/export_plan.h"

#include <map>

#include "base/str_cat.h"
#include "formats/awq_matrix.h"
#include "octavo/error.h"

namespace octavo {
namespace {

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// The largest group up to `most` that divides k; 0 if none does.
int GroupSizeFor(int64_t k, int most) {
  for (const int size : {128, 64, 32}) {
    if (size <= most && k % size == 0) return size;
  }
  return 0;
}

DType FloatDType(const TensorInfo& source) {
  return source.dtype == DType::kF16 || source.dtype == DType::kBF16 ? source.dtype : DType::kF32;
}

// Layout of a matrix [n, k]; says in *note why it is not the wish.
PackedLayout PlanMatrix(const TensorInfo& source, int64_t n, int64_t k, MatrixForm form,
                        const ExportOptions& options, std::string* note) {
  if (source.packed && source.packed->is_quantized()) {
    if (form == MatrixForm::kW4 || form == MatrixForm::kW8) *note = "quantised already";
    if (form == MatrixForm::kBF16 || form == MatrixForm::kF32) {
      return PackedLayout::Float(form == MatrixForm::kF32 ? DType::kF32 : DType::kBF16, n, k);
    }
    return *source.packed;
  }
  switch (form) {
    case MatrixForm::kKeep:
      break;
    case MatrixForm::kBF16:
      return PackedLayout::Float(DType::kBF16, n, k);
    case MatrixForm::kF32:
      return PackedLayout::Float(DType::kF32, n, k);
    case MatrixForm::kW4:
    case MatrixForm::kW8: {
      const int size = GroupSizeFor(k, options.group_size);
      if (size == 0) {
        *note = StrCat("no group of 32 or more divides its ", k, " inputs");
        break;
      }
      if (options.for_awq && size != options.group_size) {
        *note = StrCat("a group of ", options.group_size, " does not divide its ", k, " inputs");
        break;
      }
      GroupLayout group;
      group.bits = form == MatrixForm::kW4 ? 4 : 8;
      group.group_size = size;
      group.scale_dtype = DType::kF16;
      group.is_7bit = form == MatrixForm::kW8;
      const PackedLayout layout = PackedLayout::Quantized(group, n, k);
      if (const char* reason = NotForAwq(layout); options.for_awq && reason != nullptr) {
        *note = reason;
        break;
      }
      return layout;
    }
  }
  return PackedLayout::Float(FloatDType(source), n, k);
}

}  // namespace

ModelPart PartOfTensor(std::string_view name) {
  if (StartsWith(name, "visual.")) return ModelPart::kVision;
  if (name == "model.embed_tokens.weight" || name == "lm_head.weight") return ModelPart::kHead;
  return ModelPart::kLanguage;
}

std::vector<PlannedTensor> PlanExport(const ModelConfig& config,
                                      const std::vector<TensorInfo>& tensors,
                                      const ExportOptions& options) {
  std::map<std::string_view, const TensorInfo*> sources;
  for (const TensorInfo& tensor : tensors) sources[tensor.name] = &tensor;
  std::vector<PlannedTensor> plan;
  for (const TensorInfo& expected : ExpectedTensors(config)) {
    const auto found = sources.find(expected.name);
    if (found == sources.end()) {
      throw Error(ErrorCode::kNotFound, StrCat("no tensor '", expected.name, "'"));
    }
    const TensorInfo& source = *found->second;
    if (!(source.shape == expected.shape)) {
      throw Error(ErrorCode::kDataLoss,
                  StrCat(expected.name, " has shape ", source.shape.ToString(), ", expected ",
                         expected.shape.ToString()));
    }
    PlannedTensor& planned = plan.emplace_back();
    planned.tensor.name = expected.name;
    planned.tensor.shape = expected.shape;
    if (!planned.tensor.is_matrix()) continue;
    const ModelPart part = PartOfTensor(expected.name);
    const MatrixForm form = part == ModelPart::kVision ? options.vision
                            : part == ModelPart::kHead ? options.head
                                                       : options.language;
    const int64_t n = expected.shape[0];
    planned.tensor.layout =
        PlanMatrix(source, n, expected.shape.num_elements() / n, form, options, &planned.note);
  }
  return plan;
}

}  // namespace octavo
