// Weights of the model, bound by checkpoint name, checked once and packed.
#ifndef OCTAVO_MODEL_WEIGHTS_H_
#define OCTAVO_MODEL_WEIGHTS_H_

#include <vector>

#include "base/aligned_buffer.h"
#include "formats/checkpoint.h"
#include "model/config.h"
#include "ops/context.h"
#include "ops/packed_weight.h"

namespace octavo {

// Fields carry the last parts of the checkpoint names. y = x weight^T + bias.
struct LinearWeights {
  ops::PackedWeight weight;   // [out, in]
  AlignedBuffer<float> bias;  // [out], or empty
  const float* bias_data() const { return bias.size() == 0 ? nullptr : bias.data(); }
};
struct LayerNormWeights {
  AlignedBuffer<float> weight;  // [width]
  AlignedBuffer<float> bias;    // [width]
};

struct VisionBlockWeights {
  LayerNormWeights norm1, norm2;
  LinearWeights qkv;   // [3 * embed_dim, embed_dim]: rows of q, of k, of v
  LinearWeights proj;  // [embed_dim, embed_dim]
  LinearWeights fc1;   // [mlp_dim, embed_dim]
  LinearWeights fc2;   // [embed_dim, mlp_dim]
};
struct VisionWeights {
  LinearWeights patch_embed;  // [embed_dim, patch_dim], no bias
  std::vector<VisionBlockWeights> blocks;
  LayerNormWeights ln_q;  // [embed_dim]
  LinearWeights mlp_0;    // [merge^2 * embed_dim, merge^2 * embed_dim]
  LinearWeights mlp_2;    // [hidden_size, merge^2 * embed_dim]
};

struct TextLayerWeights {
  AlignedBuffer<float> input_layernorm;           // [hidden_size]
  AlignedBuffer<float> post_attention_layernorm;  // [hidden_size]
  LinearWeights q_proj, k_proj, v_proj;           // [heads * head_dim, hidden_size], with bias
  LinearWeights o_proj;                           // [hidden_size, hidden_size]
  LinearWeights gate_proj, up_proj;               // [intermediate_size, hidden_size]
  LinearWeights down_proj;                        // [hidden_size, intermediate_size]
};
struct TextWeights {
  ops::PackedWeight embed_tokens;  // [vocab_size, hidden_size]
  std::vector<TextLayerWeights> layers;
  AlignedBuffer<float> norm;  // [hidden_size]
  ops::PackedWeight lm_head;  // [vocab_size, hidden_size]; empty if tied

  const ops::PackedWeight& head() const { return lm_head.n() == 0 ? embed_tokens : lm_head; }
};

struct ModelWeights {
  VisionWeights vision;
  TextWeights text;
  size_t size_bytes = 0;  // everything above
};

// Loads every tensor of the config. Matrices that the checkpoint holds packed are used where they
// lie, in its memory or file; the others are packed, one after another, letting the checkpoint's
// bytes go. With `narrow_to_bf16` matrices of other float formats are rounded to bf16 first; else
// they keep the checkpoint's numbers. Uses context.pool. Numbers of matrices that are used in place
// are not looked at.
// Throws kNotFound (a tensor is absent), kDataLoss (wrong shape, a NaN or infinity, more layers
// than the config says; names the tensor), kUnsupported (dtype other than F32, F16, BF16),
// std::bad_alloc.
ModelWeights LoadWeights(const Checkpoint& checkpoint, const ModelConfig& config,
                         bool narrow_to_bf16, const ops::Context& context);

// The checks of LoadWeights on every tensor of the config, packed ones too, without keeping
// anything: reads each once. Throws as LoadWeights does.
void CheckWeights(const Checkpoint& checkpoint, const ModelConfig& config,
                  const ops::Context& context);

// size_bytes of the weights that LoadWeights makes of `tensors`, before anything is loaded.
// Tensors that the config does not know are left out.
size_t PlanWeightBytes(const ModelConfig& config, const std::vector<TensorInfo>& tensors,
                       bool narrow_to_bf16);

}  // namespace octavo

#endif  // OCTAVO_MODEL_WEIGHTS_H_
