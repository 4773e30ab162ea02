#include "text/unicode.h"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "base/json.h"
#include "base/utf8.h"

namespace octavo {
namespace {

bool IsSurrogate(char32_t c) { return c >= 0xD800 && c <= 0xDFFF; }

std::string Utf8(std::u32string_view text) {
  std::string out;
  for (const char32_t c : text) AppendUtf8(c, &out);
  return out;
}

TEST(Unicode, CountsTheWhiteSpaceProperty) {
  int num_spaces = 0;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (IsWhiteSpace(c)) ++num_spaces;
    EXPECT_EQ(ClassOf(c) == CharClass::kSpace, IsWhiteSpace(c));
  }
  EXPECT_EQ(num_spaces, 25);
}

TEST(Unicode, ClassifiesLettersNumbersAndTheRest) {
  for (const char32_t c : U"aZ\u00E9\u00AA\u01C5\u02B0\u0E01\u4E2D\u3042\uAC00\U00020BB7\u017F") {
    if (c == 0) continue;  // the literal's end
    EXPECT_EQ(ClassOf(c), CharClass::kLetter) << static_cast<uint32_t>(c);
  }
  for (const char32_t c : U"09\u0660\u00B2\u00BD\u2167\u2460\u3007\U0001D7D9") {
    if (c == 0) continue;  // the literal's end
    EXPECT_EQ(ClassOf(c), CharClass::kNumber) << static_cast<uint32_t>(c);
  }
  for (const char32_t c : U"!_\u0301\u20DD\u200B\u200D\u180E\uFEFF\u001C\uE000\uFFFF\U0001F600") {
    if (c == 0) continue;  // the literal's end
    EXPECT_EQ(ClassOf(c), CharClass::kOther) << static_cast<uint32_t>(c);
  }
  EXPECT_EQ(ClassOf(0), CharClass::kOther);
  EXPECT_EQ(ClassOf(0x110000), CharClass::kOther);
  EXPECT_EQ(ClassOf(0xFFFFFFFF), CharClass::kOther);
}

TEST(Unicode, NormalizesToFormC) {
  EXPECT_EQ(NormalizeNfc(""), "");
  EXPECT_EQ(NormalizeNfc("plain"), "plain");
  EXPECT_EQ(NormalizeNfc("cafe\u0301 x"), "caf\u00E9 x");
  EXPECT_EQ(NormalizeNfc("\u212B\u2126"), "\u00C5\u03A9");
  EXPECT_EQ(NormalizeNfc("o\u0302\u0323"), "\u1ED9");
  EXPECT_EQ(NormalizeNfc("q\u0307\u0323"), "q\u0323\u0307");
  EXPECT_EQ(NormalizeNfc("\u1100\u1161\u11A8"), "\uAC01");
  EXPECT_EQ(NormalizeNfc("\uAC00\u11A8"), "\uAC01");
  EXPECT_EQ(NormalizeNfc("\uAC00\u11A7"), "\uAC00\u11A7");  // no final
  EXPECT_EQ(NormalizeNfc("\u1100\u1161\u11A7\u11A8\u0301"), "\uAC00\u11A7\u11A8\u0301");
  EXPECT_EQ(NormalizeNfc("\u0958"), "\u0915\u093C");  // excluded from composition
  EXPECT_EQ(NormalizeNfc("\uFB01"), "\uFB01");        // compatibility forms stay
  EXPECT_EQ(NormalizeNfc(Utf8(U"\uFFFF\uFDD0\U0010FFFF\u0301")),
            Utf8(U"\uFFFF\uFDD0\U0010FFFF\u0301"));
  EXPECT_EQ(NormalizeNfc(std::string("e\0\u0301", 4)), std::string("e\0\u0301", 4));
}

TEST(Unicode, NormalizesAsTheReference) {
  const std::string path = OCTAVO_TEST_DATA_DIR "/tokenizer/nfc_cases.json";
  const nlohmann::json cases = ParseJson(ReadFile(path, size_t{1} << 20), path);
  ASSERT_EQ(cases.size(), 500u);
  for (const auto& row : cases) EXPECT_EQ(NormalizeNfc(row[0].get<std::string>()), row[1]);
}

TEST(Unicode, NormalizingTwiceChangesNothing) {
  for (char32_t c = 0; c <= 0x10FFFF; c += c < 0x3000 ? 1 : 5) {
    if (IsSurrogate(c)) continue;
    const std::string once = NormalizeNfc(Utf8(std::u32string{U'a', c, U'\u0301', c}));
    ASSERT_EQ(NormalizeNfc(once), once) << static_cast<uint32_t>(c);
  }
}

// What composes with a preceding character is a mark or a Hangul vowel or final. If a character
// is neither and stays as it is behind U+0300 (which forces the full path), it is inert.
TEST(Unicode, InertCharactersStayAsTheyAre) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (IsSurrogate(c) || !IsInertUnderNfc(c)) continue;
    const std::string text = Utf8(std::u32string{U'\u0300', c});
    ASSERT_EQ(NormalizeNfc(text), text) << static_cast<uint32_t>(c);
    ASSERT_FALSE(c >= 0x1100 && c <= 0x11FF) << static_cast<uint32_t>(c);
    for (const char32_t before : U"aeo\u0915\u3046\uAC00") {
      if (before == 0) continue;
      const std::string pair = Utf8(std::u32string{U'\u0300', before, c});
      ASSERT_EQ(NormalizeNfc(pair), pair) << static_cast<uint32_t>(c);
    }
  }
}

TEST(Unicode, KeepsTheOrderOfMarksOfOneClass) {
  std::u32string marks;
  for (int i = 0; i < 100; ++i) marks += i % 3 == 0 ? U'\u0305' : U'\u030D';  // both class 230
  EXPECT_EQ(NormalizeNfc(Utf8(U"x" + marks)), Utf8(U"x" + marks));
  EXPECT_EQ(NormalizeNfc(Utf8(U"x" + marks + U"\u0332")), Utf8(U"x\u0332" + marks));
}

TEST(Unicode, SortsALongRunOfMarksInLittleTime) {
  // 200,000 marks in the worst order: by neighbour exchanges this takes 10^10 steps.
  std::string text = "a";
  for (int i = 0; i < 100000; ++i) AppendUtf8(0x0305, &text);  // class 230
  for (int i = 0; i < 100000; ++i) AppendUtf8(0x0332, &text);  // class 220
  const auto start = std::chrono::steady_clock::now();
  const std::string normalized = NormalizeNfc(text);
  const auto elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(normalized.substr(1, 2), Utf8(U"\u0332"));
  EXPECT_EQ(normalized.size(), text.size());
  EXPECT_LT(std::chrono::duration_cast<std::chrono::seconds>(elapsed).count(), 5);
}

TEST(Unicode, TellsCasesAndDigits) {
  EXPECT_TRUE(IsUppercase(U'A') && IsUppercase(U'\u00C4') && IsUppercase(U'\u042F'));
  EXPECT_TRUE(IsLowercase(U'a') && IsLowercase(U'\u00DF') && IsLowercase(U'\u03B1'));
  EXPECT_TRUE(IsDecimalDigit(U'7') && IsDecimalDigit(U'\uFF11') && IsDecimalDigit(U'\u0660'));
  for (const char32_t c : {char32_t{U'\u4E2D'}, char32_t{U'-'}, char32_t{U'\u2167'},
                           char32_t{0x110000}, char32_t{0xFFFFFFFF}}) {
    EXPECT_FALSE(IsUppercase(c) || IsLowercase(c) || IsDecimalDigit(c));
  }
}

}  // namespace
}  // namespace octavo
