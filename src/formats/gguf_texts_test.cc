#include "formats/gguf_texts.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testing/container_bytes.h"
#include "testing/error_code.h"

namespace octavo {
namespace {

using nlohmann::json;
using octavo::testing::AppendGgufString;
using octavo::testing::AppendNumber;
using octavo::testing::AsBytes;
using octavo::testing::ErrorCodeOf;
using octavo::testing::GgufBytes;

template <typename T>
void AddArray(GgufBytes* gguf, std::string_view key, uint32_t type, const std::vector<T>& numbers) {
  std::string out;
  AppendGgufString(key, &out);
  AppendNumber<uint32_t>(9, &out);
  AppendNumber<uint32_t>(type, &out);
  AppendNumber<uint64_t>(numbers.size(), &out);
  for (const T& number : numbers) AppendNumber(number, &out);
  gguf->values.push_back(out);
}
void AddStrings(GgufBytes* gguf, std::string_view key, const std::vector<std::string>& texts) {
  std::string out;
  AppendGgufString(key, &out);
  AppendNumber<uint32_t>(9, &out);
  AppendNumber<uint32_t>(8, &out);
  AppendNumber<uint64_t>(texts.size(), &out);
  for (const std::string& text : texts) AppendGgufString(text, &out);
  gguf->values.push_back(out);
}

const std::vector<std::string> kTokens = {
    "a", "b", "ab", "<|endoftext|>", "<|im_end|>", "<fcel>", "<|image_pad|>", "[PAD7]"};

GgufBytes Language(const std::vector<int32_t>& kinds = {1, 1, 1, 3, 3, 4, 3, 5}) {
  GgufBytes gguf;
  gguf.AddString("general.architecture", "qwen2vl");
  for (const auto& [key, value] : {std::pair{"block_count", 2u},
                                   {"context_length", 512u},
                                   {"embedding_length", 64u},
                                   {"feed_forward_length", 96u},
                                   {"attention.head_count", 2u},
                                   {"attention.head_count_kv", 1u}}) {
    gguf.AddNumber<uint32_t>(std::string("qwen2vl.") + key, 4, value);
  }
  gguf.AddNumber<float>("qwen2vl.attention.layer_norm_rms_epsilon", 6, 1e-6f);
  gguf.AddNumber<float>("qwen2vl.rope.freq_base", 6, 1e6f);
  AddArray<int32_t>(&gguf, "qwen2vl.rope.dimension_sections", 5, {4, 6, 6, 0});
  gguf.AddString("tokenizer.ggml.model", "gpt2");
  gguf.AddString("tokenizer.ggml.pre", "qwen2");
  AddStrings(&gguf, "tokenizer.ggml.tokens", kTokens);
  AddArray<int32_t>(&gguf, "tokenizer.ggml.token_type", 5, kinds);
  AddStrings(&gguf, "tokenizer.ggml.merges", {"a b"});
  gguf.AddNumber<uint32_t>("tokenizer.ggml.eos_token_id", 4, 4);
  gguf.AddTensor("token_embd.weight", {2}, 0, 0);
  gguf.data = "12345678";
  return gguf;
}

GgufBytes Vision(const char* projector = "qwen2vl_merger") {
  GgufBytes gguf;
  gguf.AddString("general.architecture", "clip");
  gguf.AddString("clip.projector_type", projector);
  for (const auto& [key, value] : {std::pair{"block_count", 3u},
                                   {"embedding_length", 32u},
                                   {"feed_forward_length", 77u},
                                   {"attention.head_count", 4u},
                                   {"projection_dim", 64u},
                                   {"patch_size", 14u}}) {
    gguf.AddNumber<uint32_t>(std::string("clip.vision.") + key, 4, value);
  }
  AddArray<float>(&gguf, "clip.vision.image_mean", 6, {0.5f, 0.25f, 0.125f});
  AddArray<float>(&gguf, "clip.vision.image_std", 6, {1.0f, 2.0f, 4.0f});
  gguf.AddTensor("v.post_ln.bias", {2}, 0, 0);
  gguf.data = "12345678";
  return gguf;
}

std::map<std::string, std::string> Texts(const GgufBytes& language, const GgufBytes& vision,
                                         const GgufFacts& facts = {true, 8, 32, 128}) {
  const std::string a = language.ToString();
  const std::string b = vision.ToString();
  return GgufTextFiles(Gguf::Parse(AsBytes(a), "a"), Gguf::Parse(AsBytes(b), "b"), facts, "x.gguf");
}

TEST(GgufTexts, ConfigComesFromBothFilesAndTheTensors) {
  const auto texts = Texts(Language(), Vision());
  const json config = json::parse(texts.at("config.json"));
  EXPECT_EQ(config["model_type"], "qwen2_vl");
  EXPECT_EQ(config["hidden_size"], 64);
  EXPECT_EQ(config["intermediate_size"], 96);
  EXPECT_EQ(config["num_hidden_layers"], 2);
  EXPECT_EQ(config["num_key_value_heads"], 1);
  EXPECT_EQ(config["vocab_size"], 8);
  EXPECT_EQ(config["tie_word_embeddings"], false);
  EXPECT_EQ(config["rope_scaling"]["mrope_section"], (json{4, 6, 6}));
  EXPECT_EQ(static_cast<float>(config["rms_norm_eps"].get<double>()), 1e-6f);
  EXPECT_EQ(config["image_token_id"], 6);
  EXPECT_FALSE(config.contains("video_token_id"));
  EXPECT_EQ(config["vision_config"]["embed_dim"], 32);
  EXPECT_EQ(config["vision_config"]["mlp_ratio"], 4) << "of the tensor, not of the metadata";
  EXPECT_EQ(json::parse(texts.at("generation_config.json"))["eos_token_id"], (json{4, 3}));
}

TEST(GgufTexts, TokensKeepTheirIdsAndKinds) {
  const json tokenizer = json::parse(Texts(Language(), Vision()).at("tokenizer.json"));
  EXPECT_EQ(tokenizer["model"]["vocab"], (json{{"a", 0}, {"b", 1}, {"ab", 2}}));
  EXPECT_EQ(tokenizer["model"]["merges"], (json::array({"a b"})));
  ASSERT_EQ(tokenizer["added_tokens"].size(), 4u);
  EXPECT_EQ(tokenizer["added_tokens"][2]["content"], "<fcel>");
  EXPECT_EQ(tokenizer["added_tokens"][2]["id"], 5);
  EXPECT_EQ(tokenizer["added_tokens"][2]["special"], false);
  EXPECT_EQ(tokenizer["added_tokens"][3]["special"], true);
}

TEST(GgufTexts, PixelLimitsAreTheFilesOrMinerUs) {
  GgufBytes vision = Vision();
  json preprocessor = json::parse(Texts(Language(), vision).at("preprocessor_config.json"));
  EXPECT_EQ(preprocessor["min_pixels"], 50176);
  EXPECT_EQ(preprocessor["max_pixels"], 1605632);
  EXPECT_EQ(preprocessor["image_mean"], (json{0.5, 0.25, 0.125}));
  vision.AddNumber<uint32_t>("clip.vision.image_min_pixels", 4, 3136);
  preprocessor = json::parse(Texts(Language(), vision).at("preprocessor_config.json"));
  EXPECT_EQ(preprocessor["min_pixels"], 3136);
}

TEST(GgufTexts, WhatIsMissingOrOtherIsRefused) {
  const auto code = [](const GgufBytes& language, const GgufBytes& vision, const char* message) {
    return ErrorCodeOf([&] { Texts(language, vision); }, std::string("x.gguf: ") + message);
  };
  EXPECT_EQ(code(Language(), Vision("resampler"), "projector 'resampler'"),
            ErrorCode::kUnsupported);
  EXPECT_EQ(code(Language({1, 1, 1, 3, 3, 4, 3}), Vision(), "8 tokens with 7 kinds"),
            ErrorCode::kDataLoss);
  EXPECT_EQ(code(Language({1, 1, 1, 3, 3, 4, 3, 6}), Vision(), "token 7 is of kind 6"),
            ErrorCode::kUnsupported);
  GgufBytes short_language = Language();
  short_language.values.erase(short_language.values.begin() + 1);
  EXPECT_EQ(code(short_language, Vision(), "no qwen2vl.block_count"), ErrorCode::kDataLoss);
  GgufBytes silu = Vision();
  silu.AddNumber<uint8_t>("clip.use_silu", 7, 1);
  EXPECT_EQ(code(Language(), silu, "another activation"), ErrorCode::kUnsupported);
  EXPECT_EQ(ErrorCodeOf([] {
              Texts(Language(), Vision(), {false, 8, 32, 100});
            }),
            ErrorCode::kUnsupported);
  EXPECT_EQ(ErrorCodeOf([] {
              Texts(Language(), Vision(), {false, 8, 0, 0});
            }),
            ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace octavo
