#include "evaluate/edit_distance.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace octavo {
namespace {

// The definition, row by row.
int64_t SlowDistance(const std::u32string& a, const std::u32string& b) {
  std::vector<int64_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int64_t>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    int64_t diagonal = row[0];
    row[0] = static_cast<int64_t>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int64_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::u32string RandomText(Random& random, size_t length, uint32_t num_values) {
  std::u32string text(length, U'a');
  for (char32_t& value : text) value = U'a' + static_cast<char32_t>(random.Below(num_values));
  return text;
}

// Some characters replaced, lost and put in.
std::u32string Changed(Random& random, const std::u32string& text, int per_thousand) {
  std::u32string out;
  for (const char32_t value : text) {
    if (random.Below(1000) >= static_cast<uint64_t>(per_thousand)) {
      out += value;
      continue;
    }
    const uint64_t kind = random.Below(3);
    if (kind > 0) out += U'#';
    if (kind > 1) out += value;
  }
  return out;
}

TEST(EditDistance, CountsTheKnownExamples) {
  EXPECT_EQ(EditDistance(U"", U""), 0);
  EXPECT_EQ(EditDistance(U"abc", U""), 3);
  EXPECT_EQ(EditDistance(U"", U"abc"), 3);
  EXPECT_EQ(EditDistance(U"kitten", U"sitting"), 3);
  EXPECT_EQ(EditDistance(U"Haus", U"Maus"), 1);
  EXPECT_EQ(EditDistance(U"\u65E5\u672C", U"\u65E5\u672C\u8A9E"), 1);
  EXPECT_EQ(EditDistance(U"\U0010FFFF", std::u32string(1, char32_t{0x7FFFFFFF})), 1);
}

TEST(EditDistance, MatchesTheDefinitionForShortTexts) {
  Random random(4);
  for (int i = 0; i < 5000; ++i) {
    const std::u32string x = RandomText(random, random.Below(46), 4);
    const std::u32string y = RandomText(random, random.Below(46), 4);
    ASSERT_EQ(EditDistance(x, y), SlowDistance(x, y));
  }
}

TEST(EditDistance, MatchesTheDefinitionAtEveryLengthAroundAWord) {
  Random random(1);
  for (size_t a = 0; a <= 140; a += a < 60 || a > 70 ? 7 : 1) {
    for (size_t b = 0; b <= 140; b += b < 60 || b > 70 ? 11 : 1) {
      const std::u32string x = RandomText(random, a, 3);
      const std::u32string y = RandomText(random, b, 3);
      ASSERT_EQ(EditDistance(x, y), SlowDistance(x, y)) << a << " " << b;
    }
  }
}

TEST(EditDistance, MatchesTheDefinitionWhenTheBandHasToGrow) {
  Random random(2);
  for (const int per_thousand : {0, 5, 50, 300, 900}) {
    for (const size_t length : {size_t{300}, size_t{1000}, size_t{1777}}) {
      const std::u32string x = RandomText(random, length, 26);
      // A long piece moved leads far away from the diagonal.
      std::u32string y = Changed(random, x, per_thousand);
      y = y.substr(y.size() / 3) + y.substr(0, y.size() / 5);
      ASSERT_EQ(EditDistance(x, y), SlowDistance(x, y)) << per_thousand << " " << length;
      ASSERT_EQ(EditDistance(y, x), SlowDistance(x, y)) << per_thousand << " " << length;
    }
  }
}

TEST(EditDistance, ComparesDocumentsOfAHundredThousandCharactersInSeconds) {
  Random random(3);
  const std::u32string text = RandomText(random, 100'000, 60);
  const std::u32string changed = Changed(random, text, 30);
  const std::u32string other = RandomText(random, 100'000, 4000);
  const auto start = std::chrono::steady_clock::now();
  const int64_t near = EditDistance(text, changed);
  EXPECT_GT(near, 2000);
  EXPECT_LT(near, 4000);
  EXPECT_GT(EditDistance(text, other), 90'000);
  // Twenty times what an idle core takes; the definition would take a minute and more.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(NormalizedEditDistance, IsAShareOfTheLongerText) {
  EXPECT_EQ(NormalizedEditDistance(U"", U""), 0);
  EXPECT_EQ(NormalizedEditDistance(U"", U"ab"), 1);
  EXPECT_EQ(NormalizedEditDistance(U"abcd", U"abxd"), 0.25);
}

}  // namespace
}  // namespace octavo
