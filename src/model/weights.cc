#include "model/weights.h"

#include <atomic>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/str_cat.h"
#include "base/thread_pool.h"
#include "octavo/error.h"
#include "tensor/float16.h"
#include "tensor/packed_layout.h"

namespace octavo {
namespace {

// A floating-point number is finite unless all bits of its exponent are set.
template <typename Bits>
bool AllFinite(const std::byte* data, int64_t begin, int64_t end, Bits exponent_mask) {
  int not_finite = 0;
  for (int64_t i = begin; i < end; ++i) {
    Bits bits;
    std::memcpy(&bits, data + static_cast<size_t>(i) * sizeof(Bits), sizeof(Bits));
    not_finite |= static_cast<int>((bits & exponent_mask) == exponent_mask);
  }
  return not_finite == 0;
}

bool AllFinite(const TensorView& tensor, int64_t begin, int64_t end) {
  switch (tensor.dtype) {
    case DType::kF32:
      return AllFinite<uint32_t>(tensor.data, begin, end, 0x7F800000u);
    case DType::kF16:
      return AllFinite<uint16_t>(tensor.data, begin, end, uint16_t{0x7C00});
    default:
      return AllFinite<uint16_t>(tensor.data, begin, end, uint16_t{0x7F80});
  }
}

// Elements that one thread checks or narrows at a time.
constexpr int64_t kGrain = 1 << 16;

// Quantised matrices are never widened for keeps; bf16 has no narrower form.
bool StaysPacked(const TensorInfo& tensor, bool narrow_to_bf16) {
  if (!tensor.packed) return false;
  return tensor.packed->is_quantized() || !narrow_to_bf16 ||
         tensor.packed->format == WeightFormat::kBF16;
}

class Loader {
 public:
  Loader(const Checkpoint& checkpoint, const ModelConfig& config, bool narrow_to_bf16,
         const ops::Context& context)
      : checkpoint_(checkpoint), narrow_to_bf16_(narrow_to_bf16), context_(context) {
    for (const TensorInfo& tensor : ExpectedTensors(config)) expected_[tensor.name] = tensor.shape;
    for (const TensorInfo& tensor : checkpoint.Tensors()) infos_[tensor.name] = &tensor;
  }

  // Layers beyond the config's mean that config and weights are not of one model. Other unknown
  // tensors (rotary tables of old files, a head that is tied) are harmless.
  void CheckNoFurtherLayers() const {
    for (const TensorInfo& tensor : checkpoint_.Tensors()) {
      const bool is_layer =
          tensor.name.rfind("model.layers.", 0) == 0 || tensor.name.rfind("visual.blocks.", 0) == 0;
      if (!is_layer || expected_.count(tensor.name) != 0) continue;
      const std::string_view name = tensor.name;
      if (name.size() > 8 && name.substr(name.size() - 8) == "inv_freq") continue;
      throw Error(ErrorCode::kDataLoss,
                  StrCat(checkpoint_.Source(), ": ", tensor.name,
                         " has no place in the model that config.json describes"));
    }
  }

  LinearWeights Linear(const std::string& name, bool has_bias) {
    LinearWeights linear;
    linear.weight = Matrix(name + ".weight");
    if (has_bias) linear.bias = Vector(name + ".bias");
    return linear;
  }

  LayerNormWeights LayerNorm(const std::string& name) {
    return {.weight = Vector(name + ".weight"), .bias = Vector(name + ".bias")};
  }

  // Packed matrices are used where they lie, unless a float format has to be narrowed.
  ops::PackedWeight Matrix(const std::string& name) {
    const TensorInfo* info = FindInfo(name);
    if (info != nullptr && StaysPacked(*info, narrow_to_bf16_)) {
      PackedTensor tensor = GetPacked(*info);
      ops::PackedWeight borrowed =
          ops::PackedWeight::Borrow(tensor.layout, tensor.data, std::move(tensor.owner));
      size_bytes_ += borrowed.size_bytes();
      return borrowed;
    }
    const LoadedTensor tensor = Get(name);
    const int64_t n = tensor.view.shape[0];
    const int64_t k = tensor.view.shape.num_elements() / n;
    ops::PackedWeight packed;
    if (narrow_to_bf16_ && tensor.view.dtype != DType::kBF16) {
      const AlignedBuffer<BFloat16> narrow = Narrow(tensor.view);
      const TensorView view = {reinterpret_cast<const std::byte*>(narrow.data()), DType::kBF16,
                               tensor.view.shape};
      packed = ops::PackedWeight::Pack(context_, view, n, k);
    } else {
      packed = ops::PackedWeight::Pack(context_, tensor.view, n, k);
    }
    size_bytes_ += packed.size_bytes();
    return packed;
  }

  AlignedBuffer<float> Vector(const std::string& name) {
    const LoadedTensor tensor = Get(name);
    const int64_t count = tensor.view.shape.num_elements();
    AlignedBuffer<float> values(static_cast<size_t>(count));
    ToFloats(tensor.view, 0, count, values.data());
    size_bytes_ += values.size_bytes();
    return values;
  }

  size_t size_bytes() const { return size_bytes_; }

  // All numbers of a tensor, whatever its form. For files that are used in place this reads them.
  void Check(const std::string& name) const {
    const TensorInfo* info = FindInfo(name);
    if (info == nullptr || !info->packed) {
      Get(name);
      return;
    }
    const PackedTensor tensor = GetPacked(*info);
    const auto num_threads = static_cast<size_t>(context_.pool->num_threads());
    std::vector<std::vector<float>> rows(num_threads,
                                         std::vector<float>(static_cast<size_t>(tensor.layout.k)));
    std::atomic<bool> finite{true};
    context_.pool->ParallelFor(tensor.layout.n, 16, [&](int64_t begin, int64_t end, int thread) {
      std::vector<float>& row = rows[static_cast<size_t>(thread)];
      for (int64_t n = begin; n < end; ++n) {
        UnpackPackedRow(tensor.layout, tensor.data, n, row.data());
        const TensorView view = {reinterpret_cast<const std::byte*>(row.data()), DType::kF32,
                                 Shape{tensor.layout.k}};
        if (!AllFinite(view, 0, tensor.layout.k)) finite = false;
      }
    });
    if (!finite) ThrowNotFinite(name);
  }

  // The checked tensor of one canonical name that the config expects.
  LoadedTensor Get(const std::string& name) const {
    LoadedTensor tensor = checkpoint_.Get(name);
    const Shape& expected = expected_.at(name);
    if (!(tensor.view.shape == expected)) {
      ThrowShape(name, tensor.view.shape, expected);
    }
    if (tensor.view.dtype != DType::kF32 && tensor.view.dtype != DType::kF16 &&
        tensor.view.dtype != DType::kBF16) {
      throw Error(ErrorCode::kUnsupported,
                  StrCat(checkpoint_.Source(), ": ", name, " is ", DTypeName(tensor.view.dtype),
                         ", expected F32, F16 or BF16"));
    }
    std::atomic<bool> finite{true};
    context_.pool->ParallelFor(expected.num_elements(), kGrain,
                               [&](int64_t begin, int64_t end, int) {
                                 if (!AllFinite(tensor.view, begin, end)) finite = false;
                               });
    if (!finite) ThrowNotFinite(name);
    return tensor;
  }

 private:
  [[noreturn]] void ThrowNotFinite(const std::string& name) const {
    throw Error(ErrorCode::kDataLoss,
                StrCat(checkpoint_.Source(), ": ", name, " contains a NaN or an infinite number"));
  }

  const TensorInfo* FindInfo(const std::string& name) const {
    const auto found = infos_.find(name);
    return found == infos_.end() ? nullptr : found->second;
  }

  // The matrix in packed order. REQUIRES: info.packed.
  PackedTensor GetPacked(const TensorInfo& info) const {
    const Shape& expected = expected_.at(info.name);
    if (!(info.shape == expected)) ThrowShape(info.name, info.shape, expected);
    std::optional<PackedTensor> tensor = checkpoint_.FindPacked(info.name);
    OCTAVO_CHECK(tensor && tensor->layout == *info.packed, info.name);
    return *std::move(tensor);
  }

  [[noreturn]] void ThrowShape(const std::string& name, const Shape& found,
                               const Shape& expected) const {
    throw Error(ErrorCode::kDataLoss, StrCat(checkpoint_.Source(), ": ", name, " has shape ",
                                             found.ToString(), ", expected ", expected.ToString()));
  }

  AlignedBuffer<BFloat16> Narrow(const TensorView& tensor) const {
    const int64_t count = tensor.shape.num_elements();
    AlignedBuffer<BFloat16> narrow(static_cast<size_t>(count));
    context_.pool->ParallelFor(count, kGrain, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        float value;
        ToFloats(tensor, i, 1, &value);
        narrow[static_cast<size_t>(i)] = ToBFloat16(value);
      }
    });
    return narrow;
  }

  const Checkpoint& checkpoint_;
  const bool narrow_to_bf16_;
  const ops::Context& context_;
  std::map<std::string, Shape> expected_;
  std::map<std::string, const TensorInfo*> infos_;
  size_t size_bytes_ = 0;
};

VisionWeights LoadVision(Loader& loader, const VisionConfig& config) {
  VisionWeights vision;
  vision.patch_embed = loader.Linear("visual.patch_embed.proj", false);
  for (int b = 0; b < config.depth; ++b) {
    const std::string name = StrCat("visual.blocks.", b, ".");
    VisionBlockWeights block;
    block.norm1 = loader.LayerNorm(name + "norm1");
    block.norm2 = loader.LayerNorm(name + "norm2");
    block.qkv = loader.Linear(name + "attn.qkv", true);
    block.proj = loader.Linear(name + "attn.proj", true);
    block.fc1 = loader.Linear(name + "mlp.fc1", true);
    block.fc2 = loader.Linear(name + "mlp.fc2", true);
    vision.blocks.push_back(std::move(block));
  }
  vision.ln_q = loader.LayerNorm("visual.merger.ln_q");
  vision.mlp_0 = loader.Linear("visual.merger.mlp.0", true);
  vision.mlp_2 = loader.Linear("visual.merger.mlp.2", true);
  return vision;
}

TextWeights LoadText(Loader& loader, const TextConfig& config) {
  TextWeights text;
  text.embed_tokens = loader.Matrix("model.embed_tokens.weight");
  for (int l = 0; l < config.num_hidden_layers; ++l) {
    const std::string name = StrCat("model.layers.", l, ".");
    TextLayerWeights layer;
    layer.input_layernorm = loader.Vector(name + "input_layernorm.weight");
    layer.post_attention_layernorm = loader.Vector(name + "post_attention_layernorm.weight");
    layer.q_proj = loader.Linear(name + "self_attn.q_proj", true);
    layer.k_proj = loader.Linear(name + "self_attn.k_proj", true);
    layer.v_proj = loader.Linear(name + "self_attn.v_proj", true);
    layer.o_proj = loader.Linear(name + "self_attn.o_proj", false);
    layer.gate_proj = loader.Linear(name + "mlp.gate_proj", false);
    layer.up_proj = loader.Linear(name + "mlp.up_proj", false);
    layer.down_proj = loader.Linear(name + "mlp.down_proj", false);
    text.layers.push_back(std::move(layer));
  }
  text.norm = loader.Vector("model.norm.weight");
  if (!config.tie_word_embeddings) text.lm_head = loader.Matrix("lm_head.weight");
  return text;
}

}  // namespace

ModelWeights LoadWeights(const Checkpoint& checkpoint, const ModelConfig& config,
                         bool narrow_to_bf16, const ops::Context& context) {
  Loader loader(checkpoint, config, narrow_to_bf16, context);
  loader.CheckNoFurtherLayers();
  ModelWeights weights;
  weights.vision = LoadVision(loader, config.vision);
  weights.text = LoadText(loader, config.text);
  weights.size_bytes = loader.size_bytes();
  return weights;
}

void CheckWeights(const Checkpoint& checkpoint, const ModelConfig& config,
                  const ops::Context& context) {
  const Loader loader(checkpoint, config, /*narrow_to_bf16=*/false, context);
  loader.CheckNoFurtherLayers();
  for (const TensorInfo& tensor : ExpectedTensors(config)) loader.Check(tensor.name);
}

size_t PlanWeightBytes(const ModelConfig& config, const std::vector<TensorInfo>& tensors,
                       bool narrow_to_bf16) {
  std::map<std::string_view, const TensorInfo*> stored;
  for (const TensorInfo& tensor : tensors) stored[tensor.name] = &tensor;
  size_t bytes = 0;
  for (const TensorInfo& tensor : ExpectedTensors(config)) {
    const auto found = stored.find(tensor.name);
    const TensorInfo& info = found == stored.end() ? tensor : *found->second;
    const int64_t elements = tensor.shape.num_elements();
    if (tensor.shape.rank() == 1) {
      bytes += static_cast<size_t>(elements) * sizeof(float);
    } else if (StaysPacked(info, narrow_to_bf16)) {
      bytes += PackedBytes(*info.packed);
    } else {
      const int64_t n = tensor.shape[0];
      const bool is_16_bit = narrow_to_bf16 || DTypeSize(info.dtype) == 2;
      const bool is_f16 = !narrow_to_bf16 && info.dtype == DType::kF16;
      const DType kept = is_f16 ? DType::kF16 : is_16_bit ? DType::kBF16 : DType::kF32;
      bytes += PackedBytes(PackedLayout::Float(kept, n, elements / n));
    }
  }
  return bytes;
}

}  // namespace octavo
