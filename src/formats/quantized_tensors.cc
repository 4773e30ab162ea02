#include "formats/quantized_tensors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>

#include "base/str_cat.h"
#include "base/utf8.h"
#include "octavo/error.h"

namespace octavo {
namespace {

// The quantised tensors of one linear layer, by the part of the name that follows the module's.
using Module = std::map<std::string, TensorInfo>;

class ModuleChecker {
 public:
  ModuleChecker(const Checkpoint& checkpoint, const QuantizationConfig& config)
      : checkpoint_(checkpoint), config_(config) {}

  void Check(const std::string& name, const Module& module) {
    name_ = name;
    module_ = &module;
    switch (config_.method) {
      case QuantMethod::kAwq:
        CheckAwq();
        return;
      case QuantMethod::kGptq:
        CheckGptq();
        return;
      case QuantMethod::kCompressedTensors:
        CheckCompressedTensors();
        return;
    }
  }

 private:
  [[noreturn]] void Damaged(const std::string& part, const std::string& what) const {
    throw Error(ErrorCode::kDataLoss, StrCat(PrintableName(checkpoint_.Source(), 400), ": tensor '",
                                             PrintableName(name_ + "." + part), "': ", what));
  }

  const TensorInfo& Part(const std::string& part) const {
    const auto found = module_->find(part);
    if (found == module_->end()) Damaged(part, "absent, but the layer is quantised");
    return found->second;
  }
  bool Has(const char* part) const { return module_->count(part) != 0; }

  void ExpectDType(const std::string& part, DType dtype) const {
    const TensorInfo& info = Part(part);
    if (info.dtype != dtype) {
      Damaged(part, StrCat("dtype ", DTypeName(info.dtype), ", expected ", DTypeName(dtype)));
    }
  }
  void ExpectFloat(const std::string& part, DType dtype) const {
    if (dtype != DType::kF16 && dtype != DType::kBF16 && dtype != DType::kF32) {
      Damaged(part, StrCat("dtype ", DTypeName(dtype), ", expected F16, BF16 or F32"));
    }
  }
  void ExpectShape(const std::string& part, const Shape& shape) const {
    const TensorInfo& info = Part(part);
    if (!(info.shape == shape)) {
      Damaged(part, StrCat("shape ", info.shape.ToString(), ", expected ", shape.ToString()));
    }
  }
  // A matrix of int32 with at least one element.
  const Shape& Packed(const std::string& part) const {
    ExpectDType(part, DType::kI32);
    const Shape& shape = Part(part).shape;
    if (shape.rank() != 2 || shape[0] < 1 || shape[1] < 1) {
      Damaged(part, StrCat("shape ", shape.ToString(), ", expected a matrix"));
    }
    return shape;
  }

  int64_t NumGroups(const std::string& part, int64_t num_inputs) const {
    const int64_t group_size = config_.group_size == 0 ? num_inputs : config_.group_size;
    if (num_inputs % group_size != 0) {
      Damaged(part, StrCat(num_inputs, " inputs are no whole number of groups of ", group_size));
    }
    return num_inputs / group_size;
  }

  void ExpectScales(const std::string& part, const Shape& shape) const {
    ExpectShape(part, shape);
    ExpectFloat(part, Part(part).dtype);
    const LoadedTensor tensor = checkpoint_.Get(name_ + "." + part);
    std::array<float, 1024> chunk;
    const int64_t count = shape.num_elements();
    for (int64_t begin = 0; begin < count; begin += static_cast<int64_t>(chunk.size())) {
      const int64_t length = std::min<int64_t>(static_cast<int64_t>(chunk.size()), count - begin);
      ToFloats(tensor.view, begin, length, chunk.data());
      for (int64_t i = 0; i < length; ++i) {
        if (!std::isfinite(chunk[static_cast<size_t>(i)])) {
          Damaged(part, StrCat("element ", begin + i, " is not finite"));
        }
      }
    }
  }

  void CheckGroupIndices(const std::string& part, int64_t num_inputs, int64_t num_groups) const {
    ExpectDType(part, DType::kI32);
    ExpectShape(part, Shape{num_inputs});
    const LoadedTensor tensor = checkpoint_.Get(name_ + "." + part);
    for (int64_t i = 0; i < num_inputs; ++i) {
      int32_t group = 0;
      std::memcpy(&group, tensor.view.data + i * 4, sizeof group);
      if (group < 0 || group >= num_groups) {
        Damaged(part, StrCat("element ", i, " is group ", group, " of ", num_groups));
      }
    }
  }

  void CheckBias(int64_t num_outputs) const {
    const auto bias = checkpoint_.Find(name_ + ".bias");
    if (!bias) return;
    ExpectFloat("bias", bias->view.dtype);
    if (!(bias->view.shape == Shape{num_outputs})) {
      Damaged("bias",
              StrCat("shape ", bias->view.shape.ToString(), ", expected [", num_outputs, "]"));
    }
  }

  // qweight [I, O/8], qzeros [I/g, O/8] int32, scales [I/g, O].
  void CheckAwq() const {
    const Shape& weight = Packed("qweight");
    const int64_t num_outputs = weight[1] * 8;
    const int64_t num_groups = NumGroups("qweight", weight[0]);
    Packed("qzeros");
    ExpectShape("qzeros", Shape{num_groups, weight[1]});
    ExpectScales("scales", Shape{num_groups, num_outputs});
    CheckBias(num_outputs);
  }

  // qweight [I/p, O], qzeros [G, O/p] int32, scales [G, O], g_idx [I] int32 if there is one.
  void CheckGptq() const {
    const Shape& weight = Packed("qweight");
    const int64_t per_word = 32 / config_.bits;
    const int64_t num_inputs = weight[0] * per_word;
    const int64_t num_outputs = weight[1];
    if (num_outputs % per_word != 0) {
      Damaged("qweight", StrCat(num_outputs, " outputs are no multiple of ", per_word));
    }
    // Unlike AWQ the last group may be short.
    const int64_t group_size = config_.group_size == 0 ? num_inputs : config_.group_size;
    const int64_t num_groups = (num_inputs + group_size - 1) / group_size;
    Packed("qzeros");
    ExpectShape("qzeros", Shape{num_groups, num_outputs / per_word});
    ExpectScales("scales", Shape{num_groups, num_outputs});
    if (Has("g_idx")) CheckGroupIndices("g_idx", num_inputs, num_groups);
    CheckBias(num_outputs);
  }

  // weight_packed [O, ceil(I*b/32)] int32, weight_scale [O, G], weight_shape (O, I) int64,
  // weight_zero_point [ceil(O*b/32), G] int32 if asymmetric, weight_g_idx [I] int32 if ordered.
  void CheckCompressedTensors() const {
    const Shape& packed = Packed("weight_packed");
    ExpectDType("weight_shape", DType::kI64);
    ExpectShape("weight_shape", Shape{2});
    const LoadedTensor shape = checkpoint_.Get(name_ + ".weight_shape");
    std::array<int64_t, 2> dims;
    std::memcpy(dims.data(), shape.view.data, sizeof dims);
    const auto [num_outputs, num_inputs] = dims;
    const int64_t words_limit = packed[1] * 32 / config_.bits;
    const bool fits = num_outputs == packed[0] && num_inputs >= 1 && num_inputs <= words_limit &&
                      (num_inputs * config_.bits + 31) / 32 == packed[1];
    if (!fits) {
      Damaged("weight_shape", StrCat("[", num_outputs, ", ", num_inputs,
                                     "] does not fit weight_packed ", packed.ToString()));
    }
    const int64_t num_groups = NumGroups("weight_packed", num_inputs);
    ExpectScales("weight_scale", Shape{num_outputs, num_groups});
    if (!config_.is_symmetric) {
      ExpectDType("weight_zero_point", DType::kI32);
      ExpectShape("weight_zero_point", Shape{(num_outputs * config_.bits + 31) / 32, num_groups});
    }
    if (Has("weight_g_idx")) CheckGroupIndices("weight_g_idx", num_inputs, num_groups);
    CheckBias(num_outputs);
  }

  const Checkpoint& checkpoint_;
  const QuantizationConfig& config_;
  std::string name_;
  const Module* module_ = nullptr;
};

bool IsQuantizedPart(std::string_view part, QuantMethod method) {
  if (method == QuantMethod::kCompressedTensors) {
    return part == "weight_packed" || part == "weight_scale" || part == "weight_shape" ||
           part == "weight_zero_point" || part == "weight_g_idx";
  }
  return part == "qweight" || part == "qzeros" || part == "scales" || part == "g_idx";
}

}  // namespace

std::optional<QuantizedPart> SplitQuantizedName(std::string_view name, QuantMethod method) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view part = name.substr(dot + 1);
  if (!IsQuantizedPart(part, method)) return std::nullopt;
  return QuantizedPart{std::string(name.substr(0, dot)), std::string(part)};
}

void CheckQuantizedTensors(const Checkpoint& checkpoint, const QuantizationConfig& config) {
  std::map<std::string, Module> modules;
  for (const TensorInfo& info : checkpoint.Tensors()) {
    const auto split = SplitQuantizedName(info.name, config.method);
    if (split) modules[split->module][split->part] = info;
  }
  if (modules.empty()) {
    throw Error(ErrorCode::kDataLoss,
                StrCat(PrintableName(checkpoint.Source(), 400), ": quantization_config says ",
                       config.Describe(), ", but no tensor is quantised so"));
  }
  ModuleChecker checker(checkpoint, config);
  for (const auto& [name, module] : modules) checker.Check(name, module);
}

}  // namespace octavo
