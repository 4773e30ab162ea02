#include "model/model.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/check.h"
#include "base/str_cat.h"
#include "base/thread_pool.h"
#include "model/language_model.h"
#include "model/weights.h"
#include "octavo/error.h"
#include "ops/attention.h"
#include "ops/matmul.h"
#include "ops/workspace.h"

namespace octavo {
namespace {

// Of all matrices.
int64_t MaxK(const ModelConfig& config) {
  const VisionConfig& vision = config.vision;
  const int merged = vision.embed_dim * vision.spatial_merge_size * vision.spatial_merge_size;
  return std::max({vision.patch_dim(), vision.mlp_dim, merged, config.text.hidden_size,
                   config.text.intermediate_size});
}

ops::MatmulPrecision Precision(const ModelOptions& options) {
  switch (options.compute) {
    case Compute::kBF16:
      return ops::MatmulPrecision::kBF16;
    case Compute::kInt8:
      return ops::MatmulPrecision::kInt8;
    case Compute::kInt16:
      return ops::MatmulPrecision::kInt16;
    case Compute::kF32:
      break;
  }
  return ops::MatmulPrecision::kF32;
}

size_t ArenaBytes(const ModelConfig& config, const ModelOptions& options) {
  size_t bytes = std::max(LanguageModel::ArenaBytes(config.text, options.max_batch_tokens,
                                                    options.max_sequences + options.max_drafted),
                          VisionEncoder::ArenaBytes(config.vision));
  // Rounded activations of one product, on top of what it is called with.
  constexpr int64_t kAnyRows = int64_t{1} << 30;
  return bytes + ops::MatmulArenaBytes(kAnyRows, MaxK(config), Precision(options));
}

size_t ScratchBytes(const ModelConfig& config) {
  const VisionConfig& vision = config.vision;
  return std::max({ops::MatmulScratchBytes(MaxK(config)),
                   ops::AttentionScratchBytes(vision.head_dim()),
                   ops::AttentionScratchBytes(config.text.head_dim())});
}

bool HasQuantized(const std::vector<TensorInfo>& tensors) {
  return std::any_of(tensors.begin(), tensors.end(), [](const TensorInfo& tensor) {
    return tensor.packed && tensor.packed->is_quantized();
  });
}

// Runs `make`; says what could not be had when memory ends.
template <typename NeedBytes, typename Make>
auto WithinMemory(const char* what, NeedBytes need_bytes, Make make) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::kResourceExhausted,
                StrCat(what, " needs ", need_bytes(), " bytes of memory, which are not to be had"));
  }
}

}  // namespace

const char* ComputeName(Compute compute) noexcept {
  switch (compute) {
    case Compute::kF32:
      return "f32";
    case Compute::kBF16:
      return "bf16";
    case Compute::kInt8:
      return "int8";
    case Compute::kInt16:
      return "int16";
  }
  return "unknown";
}

std::optional<Compute> ParseCompute(std::string_view name) noexcept {
  for (const Compute compute : {Compute::kF32, Compute::kBF16, Compute::kInt8, Compute::kInt16}) {
    if (name == ComputeName(compute)) return compute;
  }
  return std::nullopt;
}

Compute DefaultCompute(const std::vector<TensorInfo>& tensors) {
  if (HasQuantized(tensors)) return Compute::kInt8;
  for (const TensorInfo& tensor : tensors) {
    if (tensor.name != "model.embed_tokens.weight") continue;
    return tensor.dtype == DType::kBF16 ? Compute::kBF16 : Compute::kF32;
  }
  return Compute::kF32;
}

DType DefaultKvCacheDType(Compute compute) noexcept {
  return compute == Compute::kF32 ? DType::kF32 : DType::kBF16;
}

struct Model::Impl {
  Impl(const Checkpoint& checkpoint, const ModelOptions& model_options, const ops::Context& outer)
      : config(LoadModelConfig(checkpoint)),
        options(model_options),
        workspace(ArenaBytes(config, options), outer.pool->num_threads(), ScratchBytes(config)),
        context{outer.kernels, outer.pool, &workspace},
        weights(LoadWeights(checkpoint, config, options.compute == Compute::kBF16, context)),
        vision_encoder(config.vision, weights.vision, {Precision(options), &counts},
                       options.attention, context),
        language_model(config.text, weights.text, {Precision(options), &counts}, context,
                       options.max_sequences) {}

  const ModelConfig config;
  const ModelOptions options;
  Workspace workspace;
  const ops::Context context;
  const ModelWeights weights;
  ops::MatmulCounts counts;
  const VisionEncoder vision_encoder;
  LanguageModel language_model;
};

Model::Model(const Checkpoint& checkpoint, const ModelOptions& options,
             const ops::Context& context) {
  OCTAVO_CHECK(options.max_batch_tokens > 0 && options.max_sequences > 0);
  OCTAVO_CHECK(context.kernels != nullptr && context.pool != nullptr);
  if (ops::IsInteger(Precision(options)) && !HasQuantized(checkpoint.Tensors())) {
    throw Error(
        ErrorCode::kInvalidArgument,
        StrCat(checkpoint.Source(), ": compute ", ComputeName(options.compute),
               " needs quantised weights, this is ", checkpoint.Container(), " without any"));
  }
  impl_ = WithinMemory(
      "loading the model",
      [&] {
        return PlanWeightBytes(LoadModelConfig(checkpoint), checkpoint.Tensors(),
                               options.compute == Compute::kBF16);
      },
      [&] { return std::make_unique<Impl>(checkpoint, options, context); });
}

Model::~Model() = default;

const ModelConfig& Model::config() const { return impl_->config; }
const ModelOptions& Model::options() const { return impl_->options; }
size_t Model::weight_bytes() const { return impl_->weights.size_bytes; }
size_t Model::workspace_bytes() const { return impl_->workspace.total_bytes(); }

Model::Int8Pieces Model::int8_pieces() const {
  return {impl_->counts.pieces(), impl_->counts.safe_pieces()};
}

std::unique_ptr<VisionEncoding> Model::StartVisionEncoding(Patches patches,
                                                           const StageObserver* observer) {
  const VisionConfig& vision = impl_->config.vision;
  const int merge = vision.spatial_merge_size;
  if (patches.patch_dim != vision.patch_dim() || patches.num_patches() <= 0 ||
      patches.grid_h % merge != 0 || patches.grid_w % merge != 0) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat("patches of ", patches.patch_dim, " numbers in a grid of ", patches.grid_h,
                       " x ", patches.grid_w, ", the model takes ", vision.patch_dim(),
                       " numbers in multiples of ", merge));
  }
  const size_t need =
      VisionEncoder::ActivationBytes(vision, impl_->options.attention, patches.num_patches());
  return WithinMemory(
      "encoding an image", [need] { return need; },
      [&] { return impl_->vision_encoder.Start(std::move(patches), observer); });
}

void Model::Forward(const ForwardBatch& batch, const KvCache& cache, FloatMatrix logits,
                    const StageObserver* observer) noexcept {
  OCTAVO_CHECK(!batch.token_ids.empty() &&
                   batch.token_ids.size() <= static_cast<size_t>(impl_->options.max_batch_tokens),
               "tokens ", batch.token_ids.size());
  impl_->language_model.Forward(batch, cache, logits, observer);
}

MemoryPlan PlanMemory(const ModelConfig& config, const std::vector<TensorInfo>& tensors,
                      const ModelOptions& options, DType kv_dtype, int64_t max_patches,
                      int num_threads) {
  MemoryPlan plan;
  plan.weight_bytes = PlanWeightBytes(config, tensors, options.compute == Compute::kBF16);
  plan.workspace_bytes =
      ArenaBytes(config, options) + static_cast<size_t>(num_threads) * ScratchBytes(config);
  plan.vision_activation_bytes =
      VisionEncoder::ActivationBytes(config.vision, options.attention, max_patches) +
      VisionEncoder::ActivationBytes(config.vision, options.attention, max_patches / 4);
  plan.kv_bytes_per_token = KvCache::BytesPerToken(config.text, kv_dtype);
  return plan;
}

}  // namespace octavo
