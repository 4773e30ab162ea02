#include "formats/gguf_names.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

std::string NameOf(std::string_view stored) {
  const auto place = FindGgufPlace(stored);
  return place ? place->name : "";
}

TEST(GgufNames, KnowsTheTensorsOfBothFiles) {
  EXPECT_EQ(NameOf("token_embd.weight"), "model.embed_tokens.weight");
  EXPECT_EQ(NameOf("output.weight"), "lm_head.weight");
  EXPECT_EQ(NameOf("blk.23.attn_output.weight"), "model.layers.23.self_attn.o_proj.weight");
  EXPECT_EQ(NameOf("blk.0.attn_k.bias"), "model.layers.0.self_attn.k_proj.bias");
  EXPECT_EQ(NameOf("blk.0.ffn_norm.weight"), "model.layers.0.post_attention_layernorm.weight");
  EXPECT_EQ(NameOf("v.blk.31.ln2.bias"), "visual.blocks.31.norm2.bias");
  EXPECT_EQ(NameOf("v.post_ln.bias"), "visual.merger.ln_q.bias");
  EXPECT_EQ(NameOf("mm.2.weight"), "visual.merger.mlp.2.weight");
}

TEST(GgufNames, JoinsWhatGgufSplits) {
  for (const auto& [name, part] : {std::pair{"v.blk.4.attn_q.bias", 0},
                                   {"v.blk.4.attn_k.bias", 1},
                                   {"v.blk.4.attn_v.bias", 2}}) {
    const auto place = FindGgufPlace(name);
    ASSERT_TRUE(place);
    EXPECT_EQ(place->name, "visual.blocks.4.attn.qkv.bias");
    EXPECT_EQ(place->part, part);
    EXPECT_EQ(place->num_parts, 3);
  }
  EXPECT_EQ(FindGgufPlace("v.patch_embd.weight")->part, 0);
  EXPECT_EQ(FindGgufPlace("v.patch_embd.weight.1")->part, 1);
  EXPECT_EQ(FindGgufPlace("v.patch_embd.weight.1")->num_parts, 2);
  EXPECT_EQ(FindGgufPlace("blk.4.attn_q.bias")->num_parts, 1);
}

TEST(GgufNames, NamesLeadBackToTheirPlaces) {
  for (const char* name :
       {"model.embed_tokens.weight", "lm_head.weight", "model.layers.17.self_attn.v_proj.bias",
        "model.layers.3.post_attention_layernorm.weight", "visual.patch_embed.proj.weight",
        "visual.blocks.9.attn.qkv.weight", "visual.blocks.9.mlp.fc2.bias",
        "visual.merger.mlp.0.weight"}) {
    const std::vector<std::string> stored = GgufNamesOf(name);
    ASSERT_FALSE(stored.empty()) << name;
    for (size_t i = 0; i < stored.size(); ++i) {
      const auto place = FindGgufPlace(stored[i]);
      ASSERT_TRUE(place) << stored[i];
      EXPECT_EQ(place->name, name);
      EXPECT_EQ(place->part, static_cast<int>(i));
      EXPECT_EQ(place->num_parts, static_cast<int>(stored.size()));
    }
  }
  EXPECT_TRUE(GgufNamesOf("visual.blocks.9.attn.rotary").empty());
  EXPECT_TRUE(GgufNamesOf("model.layers.").empty());
}

TEST(GgufNames, OtherNamesHaveNoPlace) {
  for (const char* name :
       {"", "blk", "blk.", "blk.0", "blk.0.", "blk.0.attn_q", "blk.0.attn_q.scale",
        "blk.x.attn_q.bias", "blk.-1.attn_q.bias", "blk.00.attn_q.bias", "blk.99999.attn_q.bias",
        "blk..attn_q.bias", "v.blk.0.attn_norm.weight", "blk.0.ln1.weight", "rope_freqs.weight",
        "mm.1.weight"}) {
    EXPECT_FALSE(FindGgufPlace(name)) << name;
  }
}

}  // namespace
}  // namespace octavo
