#include "formats/gguf_tokens.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/random.h"
#include "base/str_cat.h"
#include "octavo/error.h"
#include "testing/error_code.h"

namespace octavo {
namespace {

using Json = nlohmann::json;
using octavo::testing::ErrorCodeOf;

Json Tokenizer() {
  return {{"added_tokens",
           {{{"id", 3}, {"content", "<|endoftext|>"}, {"special", true}},
            {{"id", 5}, {"content", "<fcel>"}, {"special", false}}}},
          {"normalizer", {{"type", "NFC"}}},
          {"pre_tokenizer",
           {{"type", "Sequence"},
            {"pretokenizers",
             {{{"type", "Split"},
               {"pattern", {{"Regex", kQwen2SplitPattern}}},
               {"behavior", "Isolated"}},
              {{"type", "ByteLevel"}, {"add_prefix_space", false}}}}}},
          {"model",
           {{"type", "BPE"},
            {"vocab", {{"a", 0}, {"b", 1}, {"ab", 2}}},
            {"merges", {"a b", Json::array({"ab", "a"})}}}}};
}

ErrorCode CodeOf(const Json& json, const std::string& words) {
  return ErrorCodeOf([&] { ParseGgufTokens(json.dump(), 8, "t.json"); }, words);
}

TEST(GgufTokens, EveryRowHasATokenAndAKind) {
  const GgufTokens tokens = ParseGgufTokens(Tokenizer().dump(), 8, "t.json");
  EXPECT_EQ(tokens.texts, (std::vector<std::string>{"a", "b", "ab", "<|endoftext|>", "[PAD4]",
                                                    "<fcel>", "[PAD6]", "[PAD7]"}));
  EXPECT_EQ(tokens.kinds, (std::vector<int32_t>{1, 1, 1, 3, 5, 4, 5, 5}));
  EXPECT_EQ(tokens.merges, (std::vector<std::string>{"a b", "ab a"}));
  EXPECT_EQ(tokens.FindAdded("<fcel>"), 5u);
  EXPECT_FALSE(tokens.FindAdded("a"));
}

TEST(GgufTokens, DamageIsSaid) {
  EXPECT_EQ(ErrorCodeOf([&] { ParseGgufTokens("{", 8, "t.json"); }, "t.json: not a JSON object"),
            ErrorCode::kDataLoss);
  Json json = Tokenizer();
  json["model"]["vocab"]["c"] = 8;
  EXPECT_EQ(CodeOf(json, "t.json: token 'c' has no id below 8"), ErrorCode::kDataLoss);
  json["model"]["vocab"]["c"] = 1;
  EXPECT_EQ(CodeOf(json, "t.json: tokens 'b' and 'c' share id 1"), ErrorCode::kDataLoss);
  json = Tokenizer();
  json["model"]["merges"].push_back(7);
  EXPECT_EQ(CodeOf(json, "t.json: merge 2 is no pair of texts"), ErrorCode::kDataLoss);
  json = Tokenizer();
  json["added_tokens"][0].erase("content");
  EXPECT_EQ(CodeOf(json, "t.json: \"content\" is absent"), ErrorCode::kDataLoss);
  json = Tokenizer();
  json["added_tokens"][0].erase("id");
  EXPECT_EQ(CodeOf(json, "t.json: token '<|endoftext|>' has no id"), ErrorCode::kDataLoss);
}

TEST(GgufTokens, OtherTokenizersAreRefused) {
  Json json = Tokenizer();
  json["model"]["type"] = "Unigram";
  EXPECT_EQ(CodeOf(json, "t.json: a tokenizer that is not BPE"), ErrorCode::kUnsupported);
  json = Tokenizer();
  json["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = "\\s+";
  EXPECT_EQ(CodeOf(json, "t.json: another splitting of text"), ErrorCode::kUnsupported);
  json = Tokenizer();
  json["normalizer"]["type"] = "NFKC";
  EXPECT_EQ(CodeOf(json, "t.json: a normalizer that is not NFC"), ErrorCode::kUnsupported);
}

TEST(GgufTokens, TheChatTemplateIsFoundOrNot) {
  EXPECT_EQ(FindChatTemplate(R"({"chat_template":"{{ x }}"})"), "{{ x }}");
  for (const char* json : {"", "[]", "{}", R"({"chat_template":[{"name":"default"}]})"}) {
    EXPECT_FALSE(FindChatTemplate(json)) << json;
  }
}

// Any byte changed: an error or tokens for every row, never an end of the program.
TEST(GgufTokens, DamagedBytesAreAnErrorOrTokens) {
  const std::string whole = Tokenizer().dump();
  Random random(1);
  for (int i = 0; i < 500; ++i) {
    std::string damaged = whole;
    damaged[random.Below(damaged.size())] = static_cast<char>(random.Below(256));
    if (i % 5 == 0) damaged.resize(random.Below(damaged.size()));
    try {
      EXPECT_EQ(ParseGgufTokens(damaged, 8, "t.json").texts.size(), 8u);
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace octavo
