#include "text/pre_tokenizer.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/utf8.h"
#include "text/unicode.h"

namespace octavo {
namespace {

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    const size_t length = PreTokenLength(text);
    pieces.emplace_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return pieces;
}

using Pieces = std::vector<std::string>;

TEST(PreTokenizer, SplitsDigitsOneByOne) {
  EXPECT_EQ(Split("a12 3"), (Pieces{"a", "1", "2", " ", "3"}));
  EXPECT_EQ(Split("\u0661\u00BD"), (Pieces{"\u0661", "\u00BD"}));
}

TEST(PreTokenizer, KeepsContractionsInAnyCase) {
  EXPECT_EQ(Split("it's"), (Pieces{"it", "'s"}));
  EXPECT_EQ(Split("WE'LL'rE"), (Pieces{"WE", "'LL", "'rE"}));
  EXPECT_EQ(Split("'sa"), (Pieces{"'s", "a"}));
  EXPECT_EQ(Split("x'\u017Fx"), (Pieces{"x", "'\u017F", "x"}));
  EXPECT_EQ(Split("o'clock"), (Pieces{"o", "'clock"}));
  EXPECT_EQ(Split("''s"), (Pieces{"''", "s"}));
  EXPECT_EQ(Split("'l"), (Pieces{"'l"}));
  EXPECT_EQ(Split("'"), (Pieces{"'"}));
}

TEST(PreTokenizer, LetsOneCharacterLeadAWord) {
  EXPECT_EQ(Split(" the\tand(x"), (Pieces{" the", "\tand", "(x"}));
  EXPECT_EQ(Split("\u00A0a"), (Pieces{"\u00A0a"}));
  EXPECT_EQ(Split("\na"), (Pieces{"\n", "a"}));
  EXPECT_EQ(Split("1a"), (Pieces{"1", "a"}));
  EXPECT_EQ(Split("\u0301a"), (Pieces{"\u0301a"}));
}

TEST(PreTokenizer, TakesNewlinesBehindSymbols) {
  EXPECT_EQ(Split("a.\r\n\nb"), (Pieces{"a", ".\r\n\n", "b"}));
  EXPECT_EQ(Split(" !\n"), (Pieces{" !\n"}));
  EXPECT_EQ(Split("  !"), (Pieces{" ", " !"}));
  EXPECT_EQ(Split("\t!"), (Pieces{"\t", "!"}));
}

TEST(PreTokenizer, EndsWhiteSpaceAfterItsLastNewline) {
  EXPECT_EQ(Split(" \n \n  x"), (Pieces{" \n \n", " ", " x"}));
  EXPECT_EQ(Split("\r\n"), (Pieces{"\r\n"}));
  EXPECT_EQ(Split("\n  "), (Pieces{"\n", "  "}));
}

TEST(PreTokenizer, LeavesTheLastSpaceToTheNextWord) {
  EXPECT_EQ(Split("a   b"), (Pieces{"a", "  ", " b"}));
  EXPECT_EQ(Split("a   1"), (Pieces{"a", "  ", " ", "1"}));
  EXPECT_EQ(Split("a   "), (Pieces{"a", "   "}));
  EXPECT_EQ(Split("\u3000\u3000\u4E2D"), (Pieces{"\u3000", "\u3000\u4E2D"}));
}

// A second matcher: the pattern by the letter, as a backtracking regex engine runs it.
namespace twin {

using Predicate = std::function<bool(char32_t)>;

struct Item {
  Predicate matches;
  size_t least;
  size_t most;
};

struct Alternative {
  std::vector<Item> items;
  bool not_before_non_space = false;  // (?!\S) at the end
};

constexpr size_t kNoLimit = SIZE_MAX;
constexpr size_t kNoMatch = SIZE_MAX;

bool IsLetter(char32_t c) { return ClassOf(c) == CharClass::kLetter; }
bool IsNumber(char32_t c) { return ClassOf(c) == CharClass::kNumber; }
bool IsNewline(char32_t c) { return c == U'\r' || c == U'\n'; }

Predicate Fold(char32_t lower) {
  return [lower](char32_t c) {
    return c == lower || c == lower - 32 || (lower == U's' && c == 0x17F);
  };
}

Predicate Exactly(char32_t wanted) {
  return [wanted](char32_t c) { return c == wanted; };
}

std::vector<Alternative> Alternatives() {
  std::vector<Alternative> all;
  for (const char* word : {"s", "t", "re", "ve", "m", "ll", "d"}) {
    Alternative contraction{{{Exactly(U'\''), 1, 1}}};
    for (const char* c = word; *c != 0; ++c) {
      contraction.items.push_back({Fold(static_cast<unsigned char>(*c)), 1, 1});
    }
    all.push_back(contraction);
  }
  const Predicate lead = [](char32_t c) { return !IsNewline(c) && !IsLetter(c) && !IsNumber(c); };
  const Predicate symbol = [](char32_t c) {
    return !IsWhiteSpace(c) && !IsLetter(c) && !IsNumber(c);
  };
  all.push_back({{{lead, 0, 1}, {IsLetter, 1, kNoLimit}}});
  all.push_back({{{IsNumber, 1, 1}}});
  all.push_back({{{Exactly(U' '), 0, 1}, {symbol, 1, kNoLimit}, {IsNewline, 0, kNoLimit}}});
  all.push_back({{{IsWhiteSpace, 0, kNoLimit}, {IsNewline, 1, kNoLimit}}});
  all.push_back({{{IsWhiteSpace, 1, kNoLimit}}, true});
  all.push_back({{{IsWhiteSpace, 1, kNoLimit}}});
  return all;
}

// End of the match of items[i...] from `pos`, greedy with backtracking.
size_t Match(const Alternative& alternative, size_t i, const std::u32string& text, size_t pos) {
  if (i == alternative.items.size()) {
    const bool blocked =
        alternative.not_before_non_space && pos < text.size() && !IsWhiteSpace(text[pos]);
    return blocked ? kNoMatch : pos;
  }
  const Item& item = alternative.items[i];
  size_t count = 0;
  while (count < item.most && pos + count < text.size() && item.matches(text[pos + count])) ++count;
  for (;; --count) {
    if (count < item.least) return kNoMatch;
    const size_t end = Match(alternative, i + 1, text, pos + count);
    if (end != kNoMatch) return end;
    if (count == 0) return kNoMatch;
  }
}

std::vector<std::string> Split(const std::u32string& text) {
  static const std::vector<Alternative> alternatives = Alternatives();
  std::vector<std::string> pieces;
  size_t pos = 0;
  while (pos < text.size()) {
    size_t end = kNoMatch;
    for (const Alternative& alternative : alternatives) {
      end = Match(alternative, 0, text, pos);
      if (end != kNoMatch) break;
    }
    EXPECT_NE(end, kNoMatch);
    EXPECT_GT(end, pos);
    if (end == kNoMatch || end <= pos) break;
    std::string piece;
    for (; pos < end; ++pos) AppendUtf8(text[pos], &piece);
    pieces.push_back(piece);
  }
  return pieces;
}

}  // namespace twin

char32_t RandomChar(Random* random) {
  static const std::u32string kDense =
      U" \t\r\n\u000B\u0085\u00A0\u2003\u3000'''sStTrReEvVmMlLdD\u017F"
      U"abZ\u00E9\u4E2D\u0301\u200D019\u00B2.!-_(\u2026\U0001F600";
  if (random->Below(20) != 0) return kDense[random->Below(kDense.size())];
  while (true) {
    const auto c = static_cast<char32_t>(random->Below(random->Below(2) != 0 ? 0x110000 : 0x3000));
    if (c < 0xD800 || c > 0xDFFF) return c;
  }
}

TEST(PreTokenizer, AgreesWithThePatternByTheLetterOnRandomText) {
  Random random(20261130);
  for (int i = 0; i < 100000; ++i) {
    std::u32string text;
    std::string utf8;
    for (size_t length = 1 + random.Below(24); length > 0; --length) {
      text.push_back(RandomChar(&random));
      AppendUtf8(text.back(), &utf8);
    }
    ASSERT_EQ(Split(utf8), twin::Split(text)) << "case " << i;
  }
}

}  // namespace
}  // namespace octavo
