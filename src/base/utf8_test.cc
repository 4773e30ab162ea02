#include "base/utf8.h"

#include <string>

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(Utf8, EveryScalarValueSurvivesARoundTrip) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    AppendUtf8(c, &text);
    const DecodedChar decoded = DecodeUtf8(text);
    ASSERT_TRUE(decoded.valid) << static_cast<uint32_t>(c);
    ASSERT_EQ(decoded.code_point, c);
    ASSERT_EQ(static_cast<size_t>(decoded.num_bytes), text.size());
  }
}

TEST(Utf8, RefusesOverlongFormsSurrogatesAndTooLargeValues) {
  for (const char* bad :
       {"\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\xED\xA0\x80", "\xED\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\x80", "\xFF", "a\xC3", "\xE2\x82"}) {
    EXPECT_FALSE(IsValidUtf8(bad)) << PrintableName(bad);
  }
  for (const char* good :
       {"", "a", "\xC2\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xF4\x8F\xBF\xBF", "\xEF\xBF\xBF"}) {
    EXPECT_TRUE(IsValidUtf8(good)) << PrintableName(good);
  }
}

// Expected values: bytes.decode("utf-8", errors="replace") of Python 3.11.
TEST(Utf8, ReplacesMaximalSubpartsAsPythonDoes) {
  const struct {
    const char* bytes;
    const char* text;
  } cases[] = {
      {"\xE2\x82", "\uFFFD"},
      {"\xE2\x82zz", "\uFFFDzz"},
      {"\xE2zz", "\uFFFDzz"},
      {"\xF0\x9F\x98", "\uFFFD"},
      {"\xF0\x9F\x98\xF0\x9F\x98\x80", "\uFFFD\U0001F600"},
      {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},
      {"\xC0\x80", "\uFFFD\uFFFD"},
      {"\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
      {"a\xFFz", "a\uFFFDz"},
  };
  for (const auto& c : cases) EXPECT_EQ(ReplaceInvalidUtf8(c.bytes), c.text);
}

TEST(Utf8, IncompleteSuffixIsWhatMoreBytesCouldComplete) {
  const std::string smile = "\xF0\x9F\x98\x80";
  for (size_t length = 1; length <= 3; ++length) {
    EXPECT_EQ(IncompleteSuffixLength("ab" + smile.substr(0, length)), length);
  }
  EXPECT_EQ(IncompleteSuffixLength("ab" + smile), 0u);
  EXPECT_EQ(IncompleteSuffixLength(""), 0u);
  EXPECT_EQ(IncompleteSuffixLength("abc"), 0u);
  EXPECT_EQ(IncompleteSuffixLength("\xC3"), 1u);
  // These can never become a character.
  EXPECT_EQ(IncompleteSuffixLength("a\x80"), 0u);
  EXPECT_EQ(IncompleteSuffixLength("\xFF"), 0u);
  EXPECT_EQ(IncompleteSuffixLength("\xED\xA0"), 0u);
  EXPECT_EQ(IncompleteSuffixLength("\xE0\x80"), 0u);
}

TEST(Utf8, PrintableNameIsOneValidShortLine) {
  EXPECT_EQ(PrintableName("model.norm.weight"), "model.norm.weight");
  EXPECT_EQ(PrintableName("a\nb\tc"), "a\\x0Ab\\x09c");
  EXPECT_EQ(PrintableName(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(PrintableName("\xFF"), "\\xFF");
  EXPECT_EQ(PrintableName("gr\u00FC\u00DFe"), "gr\u00FC\u00DFe");
  EXPECT_EQ(PrintableName("\u2028"), "\\xE2\\x80\\xA8");
  EXPECT_EQ(PrintableName("abcdef", 4), "abcd...");
}

}  // namespace
}  // namespace octavo
