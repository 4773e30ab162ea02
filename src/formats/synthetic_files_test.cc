#include "formats/synthetic_files.h"

#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace octavo {
namespace {

using Json = nlohmann::json;

SyntheticModelSpec SmallSpec() {
  SyntheticModelSpec spec;
  spec.hidden_size = 32;
  spec.vocab_size = 300;
  spec.max_position_embeddings = 64;
  spec.mrope_section = {2, 3, 3};
  spec.vision_embed_dim = 24;
  spec.min_pixels = 784;
  spec.max_pixels = 7840;
  spec.first_special_id = 260;
  return spec;
}

TEST(SyntheticFiles, CarryTheSizesAskedFor) {
  const auto files = SyntheticModelFiles(SmallSpec());
  const Json config = Json::parse(files.at("config.json"));
  EXPECT_EQ(config["hidden_size"], 32);
  EXPECT_EQ(config["vision_config"]["embed_dim"], 24);
  EXPECT_EQ(config["vision_config"]["hidden_size"], 32);
  EXPECT_EQ(config["rope_scaling"]["mrope_section"], Json({2, 3, 3}));
  const Json preprocessor = Json::parse(files.at("preprocessor_config.json"));
  EXPECT_EQ(preprocessor["min_pixels"], 784);
  EXPECT_EQ(preprocessor["max_pixels"], 7840);
}

TEST(SyntheticFiles, ConfigAndTokenizerNameTheSameIds) {
  const auto files = SyntheticModelFiles(SmallSpec());
  const Json config = Json::parse(files.at("config.json"));
  const Json generation = Json::parse(files.at("generation_config.json"));
  const Json tokenizer = Json::parse(files.at("tokenizer.json"));
  std::map<std::string, int> ids;
  for (const Json& token : tokenizer["added_tokens"]) ids[token["content"]] = token["id"];
  ASSERT_EQ(ids.size(), size_t{kNumSpecialTokens});
  EXPECT_EQ(ids["<|endoftext|>"], 260);
  EXPECT_EQ(ids["<|paratext|>"], 260 + kNumSpecialTokens - 1);
  EXPECT_EQ(config["eos_token_id"], ids["<|im_end|>"]);
  EXPECT_EQ(config["vision_start_token_id"], ids["<|vision_start|>"]);
  EXPECT_EQ(config["vision_end_token_id"], ids["<|vision_end|>"]);
  EXPECT_EQ(config["vision_token_id"], ids["<|vision_pad|>"]);
  EXPECT_EQ(config["image_token_id"], ids["<|image_pad|>"]);
  EXPECT_EQ(config["video_token_id"], ids["<|video_pad|>"]);
  EXPECT_EQ(generation["eos_token_id"], Json({ids["<|im_end|>"], ids["<|endoftext|>"]}));
}

TEST(SyntheticFiles, EachByteHasItsOwnToken) {
  const auto files = SyntheticModelFiles(SmallSpec());
  const Json vocab = Json::parse(files.at("tokenizer.json"))["model"]["vocab"];
  ASSERT_EQ(vocab.size(), 256u);
  std::set<int> ids;
  for (const auto& [text, id] : vocab.items()) ids.insert(id.get<int>());
  EXPECT_EQ(ids.size(), 256u);
  EXPECT_EQ(vocab["A"], 'A');
  EXPECT_EQ(vocab["\xC4\xA0"], ' ');  // U+0120
  EXPECT_EQ(vocab["\xC4\x8A"], '\n');
}

TEST(SyntheticFilesDeathTest, AVocabularyTooSmallIsAMistakeOfTheCaller) {
  SyntheticModelSpec spec = SmallSpec();
  spec.vocab_size = 290;
  EXPECT_DEATH(SyntheticModelFiles(spec), "vocab_size");
}

}  // namespace
}  // namespace octavo
