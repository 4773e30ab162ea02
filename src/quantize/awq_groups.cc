#include "quantize/awq_groups.h"

#include <limits>

#include "base/str_cat.h"

namespace octavo {
namespace {

constexpr int64_t kNoRow = std::numeric_limits<int64_t>::max();

void AddVisionBlock(const VisionConfig& config, int block, std::vector<AwqGroup>* groups) {
  const std::string name = StrCat("visual.blocks.", block, ".");
  const std::string stage = StrCat("vit.block.", block, ".");
  const int64_t width = config.embed_dim;
  groups->push_back({.stage = stage + "norm1",
                     .linears = {{name + "attn.qkv.weight", 2 * width}},
                     .sources = {name + "norm1.weight", name + "norm1.bias"}});
  groups->push_back({.stage = stage + "attended",
                     .linears = {{name + "attn.proj.weight"}},
                     .sources = {name + "attn.qkv.weight", name + "attn.qkv.bias"},
                     .first_row = 2 * width});
  groups->push_back({.stage = stage + "norm2",
                     .linears = {{name + "mlp.fc1.weight"}},
                     .sources = {name + "norm2.weight", name + "norm2.bias"}});
  groups->push_back({.stage = stage + "activated", .linears = {{name + "mlp.fc2.weight"}}});
}

void AddMerger(const VisionConfig& config, std::vector<AwqGroup>* groups) {
  const std::string name = "visual.merger.";
  AwqGroup first = {.stage = "vit.merger.merged",
                    .linears = {{name + "mlp.0.weight"}},
                    .sources = {name + "ln_q.weight", name + "ln_q.bias"}};
  const int cells = config.spatial_merge_size * config.spatial_merge_size;
  for (int cell = 0; cell < cells; ++cell) {
    for (int i = 0; i < config.embed_dim; ++i) first.channels.push_back(i);
  }
  groups->push_back(std::move(first));
  groups->push_back({.stage = "vit.merger.activated", .linears = {{name + "mlp.2.weight"}}});
}

void AddTextLayer(const TextConfig& config, int layer, std::vector<AwqGroup>* groups) {
  const std::string name = StrCat("model.layers.", layer, ".");
  const std::string stage = StrCat("lm.layer.", layer, ".");
  groups->push_back({.stage = stage + "input_layernorm",
                     .linears = {{name + "self_attn.q_proj.weight", kNoRow},
                                 {name + "self_attn.k_proj.weight", kNoRow},
                                 {name + "self_attn.v_proj.weight"}},
                     .sources = {name + "input_layernorm.weight"}});
  AwqGroup o_proj = {.stage = stage + "attended",
                     .linears = {{name + "self_attn.o_proj.weight"}},
                     .sources = {name + "self_attn.v_proj.weight", name + "self_attn.v_proj.bias"}};
  const int heads_per_kv = config.num_attention_heads / config.num_key_value_heads;
  for (int head = 0; head < config.num_attention_heads; ++head) {
    for (int i = 0; i < config.head_dim(); ++i) {
      o_proj.channels.push_back(head / heads_per_kv * config.head_dim() + i);
    }
  }
  groups->push_back(std::move(o_proj));
  groups->push_back({.stage = stage + "post_attention_layernorm",
                     .linears = {{name + "mlp.gate_proj.weight"}, {name + "mlp.up_proj.weight"}},
                     .sources = {name + "post_attention_layernorm.weight"}});
  groups->push_back({.stage = stage + "activated",
                     .linears = {{name + "mlp.down_proj.weight"}},
                     .sources = {name + "mlp.up_proj.weight"}});
}

}  // namespace

std::vector<AwqGroup> AwqGroupsOf(const ModelConfig& config) {
  std::vector<AwqGroup> groups;
  for (int b = 0; b < config.vision.depth; ++b) AddVisionBlock(config.vision, b, &groups);
  AddMerger(config.vision, &groups);
  for (int l = 0; l < config.text.num_hidden_layers; ++l) AddTextLayer(config.text, l, &groups);
  return groups;
}

}  // namespace octavo
