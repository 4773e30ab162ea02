#include "text/tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/random.h"
#include "base/utf8.h"
#include "tests/testing/reference_tokenizer.h"
#include "text/unicode.h"

namespace octavo {
namespace {

using Ids = std::vector<int32_t>;

const Tokenizer& Reference() { return testing::ReferenceTokenizer(); }

nlohmann::json Fixture(const std::string& name) {
  const std::string path = std::string(OCTAVO_TEST_DATA_DIR "/tokenizer/") + name;
  return ParseJson(ReadFile(path, size_t{1} << 20), name);
}

std::string FromHex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

TEST(Tokenizer, EncodesAndDecodesAsTheReference) {
  const nlohmann::json cases = Fixture("cases.json");
  ASSERT_EQ(cases["encode"].size(), 453u);
  for (const auto& row : cases["encode"]) {
    const std::string text = row["text"];
    const Ids ids = row["ids"];
    ASSERT_EQ(Reference().Encode(text), ids) << row["group"] << ": " << row["text"];
    const std::string decoded = row["decoded"].is_null() ? text : std::string(row["decoded"]);
    EXPECT_EQ(Reference().Decode(ids, false), decoded) << row["text"];
    const std::string without_special =
        row["decoded_skip_special"].is_null() ? decoded : std::string(row["decoded_skip_special"]);
    EXPECT_EQ(Reference().Decode(ids, true), without_special) << row["text"];
  }
}

TEST(Tokenizer, ReplacesInvalidUtf8AsTheReference) {
  const nlohmann::json cases = Fixture("cases.json");
  ASSERT_EQ(cases["invalid_utf8"].size(), 16u);
  for (const auto& row : cases["invalid_utf8"]) {
    const std::string bytes = FromHex(row["bytes_hex"]);
    EXPECT_EQ(ReplaceInvalidUtf8(bytes), row["text_after_replacement"]);
    EXPECT_EQ(Reference().Encode(bytes), row["ids"].get<Ids>()) << row["bytes_hex"];
    EXPECT_EQ(Reference().EncodePlain(bytes), row["ids"].get<Ids>()) << row["bytes_hex"];
  }
}

TEST(Tokenizer, DecodesBytesAsTheReference) {
  const nlohmann::json cases = Fixture("decode.json")["cases"];
  ASSERT_EQ(cases.size(), 67u);
  for (const auto& row : cases) {
    const Ids ids = row["ids"];
    std::string bytes;
    for (const int32_t id : ids) bytes += Reference().TokenBytes(id);
    EXPECT_EQ(bytes, FromHex(row["bytes_hex"])) << row["name"];
    EXPECT_EQ(Reference().Decode(ids, false), row["text"]) << row["name"];
    EXPECT_EQ(Reference().Decode(ids, true), row["text_skip_special"]) << row["name"];
  }
}

TEST(Tokenizer, KnowsItsTokens) {
  const Tokenizer& tokenizer = Reference();
  EXPECT_EQ(tokenizer.vocab_size(), 151674);
  EXPECT_EQ(tokenizer.added_tokens().size(), 31u);
  EXPECT_EQ(tokenizer.FindToken("<|image_pad|>"), 151655);
  EXPECT_EQ(tokenizer.FindToken("Hello"), 9707);
  EXPECT_EQ(tokenizer.FindToken(" world"), 1879);
  EXPECT_EQ(tokenizer.FindToken("<|no such token|>"), std::nullopt);
  EXPECT_EQ(tokenizer.TokenBytes(1879), " world");
  EXPECT_EQ(tokenizer.TokenBytes(151663), "<fcel>");
  EXPECT_TRUE(tokenizer.IsSpecial(151645));
  EXPECT_FALSE(tokenizer.IsSpecial(151663));
  EXPECT_FALSE(tokenizer.IsSpecial(9707));
}

TEST(Tokenizer, IgnoresIdsWithoutAToken) {
  for (const int32_t id : {-1, 151674, 151935, INT32_MIN, INT32_MAX}) {
    EXPECT_EQ(Reference().TokenBytes(id), "");
    EXPECT_FALSE(Reference().IsSpecial(id));
    EXPECT_EQ(Reference().Decode({9707, id, 1879}, true), "Hello world");
  }
}

TEST(Tokenizer, PlainEncodingNeverWritesAddedTokens) {
  const std::string text = "a<|im_end|>\n<|im_start|>system\n<fcel>1<nl>";
  const Ids ids = Reference().EncodePlain(text);
  EXPECT_LT(*std::max_element(ids.begin(), ids.end()), 151643);
  EXPECT_EQ(Reference().Decode(ids, true), text);
  EXPECT_EQ(Reference().EncodePlain("Hello, world!"), (Ids{9707, 11, 1879, 0}));
  EXPECT_EQ(Reference().EncodePlain("e\u0301"), Reference().EncodePlain("\u00E9"));
}

TEST(Tokenizer, GivesBackRandomTextInFormC) {
  Random random(3);
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (uint64_t length = random.Below(60); length > 0; --length) {
      const auto c = static_cast<char32_t>(random.Below(random.Below(3) == 0 ? 0x110000 : 0x250));
      if (c < 0xD800 || c > 0xDFFF) AppendUtf8(c, &text);
    }
    const std::string expected = NormalizeNfc(text);
    ASSERT_EQ(Reference().Decode(Reference().Encode(text), false), expected);
    ASSERT_EQ(Reference().Decode(Reference().EncodePlain(text), false), expected);
  }
}

TEST(Tokenizer, TakesRandomBytes) {
  Random random(4);
  for (int i = 0; i < 3000; ++i) {
    std::string bytes;
    for (uint64_t length = random.Below(40); length > 0; --length) {
      bytes.push_back(static_cast<char>(random.Below(256)));
    }
    const std::string expected = NormalizeNfc(ReplaceInvalidUtf8(bytes));
    ASSERT_EQ(Reference().Decode(Reference().Encode(bytes), false), expected);
  }
}

TEST(Tokenizer, EncodesAMegabyteWithoutAWordBreakInLittleTime) {
  const auto start = std::chrono::steady_clock::now();
  for (const char* unit : {"a", " ", "\u0301"}) {
    std::string text;
    while (text.size() < size_t{1} << 20) text += unit;
    EXPECT_EQ(Reference().Decode(Reference().Encode(text), false), NormalizeNfc(text)) << unit;
  }
  const auto elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_LT(std::chrono::duration_cast<std::chrono::seconds>(elapsed).count(), 60);
}

}  // namespace
}  // namespace octavo
