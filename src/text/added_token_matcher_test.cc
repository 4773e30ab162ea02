#include "text/added_token_matcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"

namespace octavo {
namespace {

// Stretches in brackets, tokens as numbers: "[a]7[b]".
std::string Split(const AddedTokenMatcher& matcher, std::string_view text) {
  std::string out;
  matcher.Split(
      text, [&out](std::string_view piece) { out += "[" + std::string(piece) + "]"; },
      [&out](int32_t id) { out += std::to_string(id); });
  return out;
}

TEST(AddedTokenMatcher, TakesTheLongestOfTheLeftmost) {
  const AddedTokenMatcher matcher({{"<a>", 1}, {"<a>b", 2}, {"b", 3}, {"<a>bcd", 4}});
  EXPECT_EQ(Split(matcher, "x<a>bc"), "[x]2[c]");
  EXPECT_EQ(Split(matcher, "<a>bcd<a>"), "41");
  EXPECT_EQ(Split(matcher, "<a<a>b<a"), "[<a]2[<a]");
  EXPECT_EQ(Split(matcher, "bb"), "33");
}

TEST(AddedTokenMatcher, PassesTextWithoutTokensWhole) {
  EXPECT_EQ(Split(AddedTokenMatcher({}), "abc"), "[abc]");
  EXPECT_EQ(Split(AddedTokenMatcher({{"x", 1}}), ""), "");
  EXPECT_EQ(Split(AddedTokenMatcher({{"x", 1}}), "abc"), "[abc]");
}

TEST(AddedTokenMatcher, SwallowsWhiteSpaceWhereATokenAsksForIt) {
  const AddedTokenMatcher matcher({{"<l>", 1, true, false}, {"<r>", 2, false, true}, {"<n>", 3}});
  EXPECT_EQ(Split(matcher, "a \u3000\n<l> b"), "[a]1[ b]");
  EXPECT_EQ(Split(matcher, "a <r> \u00A0b"), "[a ]2[b]");
  EXPECT_EQ(Split(matcher, "a <n> b"), "[a ]3[ b]");
  EXPECT_EQ(Split(matcher, "<r>  <l>"), "21");
  EXPECT_EQ(Split(matcher, " <l>"), "1");
  EXPECT_EQ(Split(matcher, "\u4E2D<l>"), "[\u4E2D]1");
}

TEST(AddedTokenMatcher, AgreesWithASearchOfAllPatternsOnRandomText) {
  Random random(7);
  for (int i = 0; i < 2000; ++i) {
    std::vector<TokenPattern> patterns;
    const auto random_text = [&random](size_t length) {
      std::string text;
      while (text.size() < length) text.push_back(static_cast<char>('a' + random.Below(3)));
      return text;
    };
    for (int32_t id = 0; id < 6; ++id) {
      const std::string content = random_text(1 + random.Below(5));
      const bool is_new = std::none_of(patterns.begin(), patterns.end(),
                                       [&](const auto& p) { return p.content == content; });
      if (is_new) patterns.push_back({content, id});
    }
    const std::string text = random_text(random.Below(30));
    std::string expected;
    std::string piece;
    const auto flush = [&] {
      if (!piece.empty()) expected += "[" + piece + "]";
      piece.clear();
    };
    for (size_t pos = 0; pos < text.size();) {
      const TokenPattern* longest = nullptr;
      for (const TokenPattern& pattern : patterns) {
        if (text.compare(pos, pattern.content.size(), pattern.content) != 0) continue;
        if (longest == nullptr || pattern.content.size() > longest->content.size()) {
          longest = &pattern;
        }
      }
      if (longest == nullptr) {
        piece.push_back(text[pos++]);
        continue;
      }
      flush();
      expected += std::to_string(longest->id);
      pos += longest->content.size();
    }
    flush();
    ASSERT_EQ(Split(AddedTokenMatcher(patterns), text), expected);
  }
}

}  // namespace
}  // namespace octavo
