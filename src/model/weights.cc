#include "model/weights.h"

#include <atomic>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

#include "base/str_cat.h"
#include "base/thread_pool.h"
#include "octavo/error.h"
#include "tensor/float16.h"

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

// Size of a packed matrix: whole panels of 16 columns, bf16 in whole pairs of k
// (ops/packed_weight.h).
size_t PackedBytes(size_t n, size_t k, DType dtype) {
  const size_t element = DTypeSize(dtype);
  return (n + 15) / 16 * 16 * (dtype == DType::kBF16 ? (k + 1) / 2 * 2 : k) * element;
}

// Elements that one thread checks or narrows at a time.
constexpr int64_t kGrain = 1 << 16;

class Loader {
 public:
  Loader(const Checkpoint& checkpoint, const ModelConfig& config, bool narrow_to_bf16,
         const ops::Context& context)
      : checkpoint_(checkpoint), narrow_to_bf16_(narrow_to_bf16), context_(context) {
    for (const TensorInfo& tensor : ExpectedTensors(config)) expected_[tensor.name] = tensor.shape;
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

  ops::PackedWeight Matrix(const std::string& name) {
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

  // The checked tensor of one canonical name that the config expects.
  LoadedTensor Get(const std::string& name) const {
    LoadedTensor tensor = checkpoint_.Get(name);
    const Shape& expected = expected_.at(name);
    if (!(tensor.view.shape == expected)) {
      throw Error(ErrorCode::kDataLoss,
                  StrCat(checkpoint_.Source(), ": ", name, " has shape ",
                         tensor.view.shape.ToString(), ", expected ", expected.ToString()));
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
    if (!finite) {
      throw Error(ErrorCode::kDataLoss, StrCat(checkpoint_.Source(), ": ", name,
                                               " contains a NaN or an infinite number"));
    }
    return tensor;
  }

 private:
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
  for (const TensorInfo& tensor : ExpectedTensors(config)) loader.Get(tensor.name);
}

size_t PlanWeightBytes(const ModelConfig& config, const std::vector<TensorInfo>& tensors,
                       bool narrow_to_bf16) {
  std::map<std::string, DType> dtypes;
  for (const TensorInfo& tensor : tensors) dtypes[tensor.name] = tensor.dtype;
  size_t bytes = 0;
  for (const TensorInfo& tensor : ExpectedTensors(config)) {
    const auto found = dtypes.find(tensor.name);
    const DType dtype = found == dtypes.end() ? DType::kF32 : found->second;
    const auto elements = static_cast<size_t>(tensor.shape.num_elements());
    if (tensor.shape.rank() == 1) {
      bytes += elements * sizeof(float);
      continue;
    }
    const auto n = static_cast<size_t>(tensor.shape[0]);
    bytes += PackedBytes(n, elements / n, narrow_to_bf16 ? DType::kBF16 : dtype);
  }
  return bytes;
}

}  // namespace octavo
