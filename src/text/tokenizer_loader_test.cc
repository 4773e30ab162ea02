#include "text/tokenizer_loader.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "base/random.h"
#include "octavo/error.h"
#include "tests/testing/reference_tokenizer.h"

namespace octavo {
namespace {

using Ids = std::vector<int32_t>;
using Json = nlohmann::json;

std::string Fixture(const std::string& name) {
  return ReadFile(std::string(OCTAVO_TEST_DATA_DIR "/tokenizer/") + name, size_t{1} << 20);
}

Json Control() { return Json::parse(Fixture("../broken/tokenizer/control_valid.json")); }

// The code of the error; fails the test if there is none.
ErrorCode CodeOf(const std::string& text, std::string* message = nullptr) {
  try {
    LoadTokenizerJson(text, "file.json");
  } catch (const Error& error) {
    if (message != nullptr) *message = error.what();
    EXPECT_EQ(std::string(error.what()).find("file.json"), 0u) << error.what();
    return error.code();
  }
  ADD_FAILURE() << "accepted";
  return ErrorCode::kIo;
}

TEST(TokenizerLoader, AcceptsTheControl) {
  const Tokenizer tokenizer = LoadTokenizerJson(Control().dump(), "control");
  EXPECT_EQ(tokenizer.vocab_size(), 331);
  EXPECT_EQ(tokenizer.FindToken("<|image_pad|>"), 312);
}

TEST(TokenizerLoader, RefusesEveryBrokenFile) {
  int num_files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(OCTAVO_TEST_DATA_DIR "/broken/tokenizer")) {
    const std::string name = entry.path().filename().string();
    if (name == "control_valid.json") continue;
    SCOPED_TRACE(name);
    const bool is_other_kind = name == "model_unigram.json" || name == "pretokenizer_other.json";
    EXPECT_EQ(CodeOf(ReadFile(entry.path(), size_t{1} << 20)),
              is_other_kind ? ErrorCode::kUnsupported : ErrorCode::kDataLoss);
    ++num_files;
  }
  EXPECT_EQ(num_files, 16);
}

TEST(TokenizerLoader, ReadsMergesAsStringsAndAsPairs) {
  const Tokenizer strings = LoadTokenizerJson(Fixture("tiny-main-merge-strings.json"), "strings");
  const Tokenizer pairs = LoadTokenizerJson(Fixture("tiny-main-merge-pairs.json"), "pairs");
  const std::string text = "The table \u8868\u683C of the text, and <fcel>12<nl>.";
  EXPECT_EQ(strings.Encode(text), pairs.Encode(text));
  EXPECT_LT(strings.Encode("the text").size(), 8u);
}

TEST(TokenizerLoader, ReadsATokenizerWithoutMerges) {
  Json root = Control();
  root["model"]["merges"] = Json::array();
  const Tokenizer tokenizer = LoadTokenizerJson(root.dump(), "no merges");
  EXPECT_EQ(tokenizer.Encode("the<nl>").size(), 4u);
}

TEST(TokenizerLoader, AcceptsAddedTokensThatStandInTheVocabularyToo) {
  Json root = Control();
  root["model"]["vocab"]["<nl>"] = 324;
  EXPECT_EQ(LoadTokenizerJson(root.dump(), "both").Encode("<nl>"), Ids{324});
  root["model"]["vocab"]["<nl>"] = 400;
  EXPECT_EQ(CodeOf(root.dump()), ErrorCode::kDataLoss);
}

TEST(TokenizerLoader, HonoursNormalizedTokens) {
  Json root = Control();
  const auto add = [&root](const char* content, int id, bool normalized) {
    root["added_tokens"].push_back({{"id", id}, {"content", content}, {"normalized", normalized}});
  };
  add("caf\u00E9", 400, true);
  add("na\u00EFf", 401, false);
  const Tokenizer tokenizer = LoadTokenizerJson(root.dump(), "normalized");
  EXPECT_EQ(tokenizer.Encode("caf\u00E9"), Ids{400});
  EXPECT_EQ(tokenizer.Encode("cafe\u0301"), Ids{400});
  EXPECT_EQ(tokenizer.Encode("na\u00EFf"), Ids{401});
  EXPECT_NE(tokenizer.Encode("nai\u0308f"), Ids{401});
  EXPECT_EQ(tokenizer.Encode("cafe\u0301na\u00EFfcaf\u00E9"), (Ids{400, 401, 400}));
  add("cafe\u0301", 402, true);
  EXPECT_EQ(CodeOf(root.dump()), ErrorCode::kUnsupported);
}

TEST(TokenizerLoader, HonoursStripAndRefusesSingleWord) {
  Json root = Control();
  root["added_tokens"][20]["lstrip"] = true;
  root["added_tokens"][20]["rstrip"] = true;
  const Tokenizer tokenizer = LoadTokenizerJson(root.dump(), "strip");
  const Ids a = tokenizer.Encode("a");
  EXPECT_EQ(tokenizer.Encode("a \n<fcel>  a"), (Ids{a[0], 320, a[0]}));
  root["added_tokens"][20]["single_word"] = true;
  EXPECT_EQ(CodeOf(root.dump()), ErrorCode::kUnsupported);
}

TEST(TokenizerLoader, RefusesWhatItDoesNotDo) {
  const Json::json_pointer pre("/pre_tokenizer/pretokenizers");
  const std::vector<std::pair<Json::json_pointer, Json>> changes = {
      {Json::json_pointer("/normalizer"), nullptr},
      {Json::json_pointer("/normalizer/type"), "NFKC"},
      {Json::json_pointer("/pre_tokenizer"), nullptr},
      {Json::json_pointer("/pre_tokenizer/type"), "Whitespace"},
      {pre, Json::array()},
      {pre / 0 / "behavior", "Removed"},
      {pre / 0 / "invert", true},
      {pre / 0 / "pattern", "x"},
      {pre / 1 / "add_prefix_space", true},
      {pre / 1 / "use_regex", true},
      {Json::json_pointer("/post_processor"), {{"type", "TemplateProcessing"}}},
      {Json::json_pointer("/decoder"), nullptr},
      {Json::json_pointer("/decoder/type"), "Metaspace"},
      {Json::json_pointer("/model/dropout"), 0.1},
      {Json::json_pointer("/model/continuing_subword_prefix"), "##"},
      {Json::json_pointer("/model/end_of_word_suffix"), "</w>"},
      {Json::json_pointer("/model/byte_fallback"), true},
      {Json::json_pointer("/model/ignore_merges"), true},
      {Json::json_pointer("/added_tokens/0/content"), std::string(1025, 'x')},
  };
  for (const auto& [where, value] : changes) {
    SCOPED_TRACE(where.to_string());
    Json root = Control();
    root[where] = value;
    std::string message;
    EXPECT_EQ(CodeOf(root.dump(), &message), ErrorCode::kUnsupported) << message;
  }
}

TEST(TokenizerLoader, RefusesDamage) {
  const std::vector<std::pair<Json::json_pointer, Json>> changes = {
      {Json::json_pointer("/model"), 3},
      {Json::json_pointer("/model/type"), 3},
      {Json::json_pointer("/model/vocab/A"), "1"},
      {Json::json_pointer("/model/vocab/A"), 1.5},
      {Json::json_pointer("/model/vocab/a space"), 600},
      {Json::json_pointer("/model/vocab/"), 600},
      {Json::json_pointer("/model/vocab/zzzz"), 1 << 20},
      {Json::json_pointer("/model/merges"), Json::object()},
      {Json::json_pointer("/model/merges/0"), "ab"},
      {Json::json_pointer("/model/merges/0"), " "},
      {Json::json_pointer("/model/merges/0"), {"a", "b", "c"}},
      {Json::json_pointer("/model/merges/0"), {"a", 1}},
      {Json::json_pointer("/model/byte_fallback"), "no"},
      {Json::json_pointer("/added_tokens"), 1},
      {Json::json_pointer("/added_tokens/0"), 1},
      {Json::json_pointer("/added_tokens/0/id"), -1},
      {Json::json_pointer("/added_tokens/0/id"), nullptr},
      {Json::json_pointer("/added_tokens/0/special"), 1},
      {Json::json_pointer("/added_tokens/0/content"), 1},
      {Json::json_pointer("/added_tokens/0/content"), "<|im_end|>"},
  };
  for (const auto& [where, value] : changes) {
    SCOPED_TRACE(where.to_string() + " = " + value.dump());
    Json root = Control();
    root[where] = value;
    std::string message;
    EXPECT_EQ(CodeOf(root.dump(), &message), ErrorCode::kDataLoss) << message;
  }
  Json root = Control();
  root["model"]["merges"].push_back(root["model"]["merges"][0]);
  EXPECT_EQ(CodeOf(root.dump()), ErrorCode::kDataLoss);
}

TEST(TokenizerLoader, SurvivesFlippedAndCutBytes) {
  const std::string control = Control().dump();
  Random random(6);
  for (int i = 0; i < 2000; ++i) {
    std::string text = control;
    for (uint64_t n = random.Below(3); n > 0; --n) {
      text[random.Below(text.size())] = static_cast<char>(random.Below(256));
    }
    if (random.Below(4) == 0) text.resize(random.Below(text.size()));
    try {
      const Tokenizer tokenizer = LoadTokenizerJson(text, "damaged");
      EXPECT_EQ(tokenizer.Decode(tokenizer.EncodePlain("a text"), false), "a text");
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == ErrorCode::kDataLoss || error.code() == ErrorCode::kUnsupported)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace octavo
