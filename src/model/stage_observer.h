// StageObserver: lets parity tests look at intermediate results; null in production.
#ifndef OCTAVO_MODEL_STAGE_OBSERVER_H_
#define OCTAVO_MODEL_STAGE_OBSERVER_H_

#include <functional>
#include <string_view>

#include "tensor/matrix_view.h"

namespace octavo {

// Called with the stage's name and rows. Names:
//   vit.patch_embed, vit.block.N.{norm1,qkv,attended,attn_out,norm2,activated}, vit.block.N,
//   vit.merger.{ln_q,merged,activated}, vit.merger, lm.input_embeds,
//   lm.layer.N.{input_layernorm,q_proj,attended,attn_out,post_attention_layernorm,activated},
//   lm.layer.N, lm.norm, logits
// attended is the attention's result, attn_out the same projected, before it is added to the
// residual; activated is what the last product of an MLP reads. A stage comes in pieces: rows in
// order, for one image after another, and for one step of the language model after another.
using StageObserver = std::function<void(std::string_view stage, ConstFloatMatrix rows)>;

}  // namespace octavo

#endif  // OCTAVO_MODEL_STAGE_OBSERVER_H_
