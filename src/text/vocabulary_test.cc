#include "text/vocabulary.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(Vocabulary, FindsBytesByIdAndIdByBytes) {
  std::optional<int32_t> duplicate;
  const Vocabulary vocabulary({{4, "abc"}, {0, "a"}, {2, std::string("\0\xFF", 2)}}, 5, &duplicate);
  EXPECT_FALSE(duplicate);
  EXPECT_EQ(vocabulary.num_ids(), 5);
  EXPECT_EQ(vocabulary.Bytes(4), "abc");
  EXPECT_EQ(vocabulary.Bytes(0), "a");
  EXPECT_EQ(vocabulary.Find(std::string("\0\xFF", 2)), 2);
  EXPECT_EQ(vocabulary.Find("abc"), 4);
  EXPECT_EQ(vocabulary.Find("ab"), std::nullopt);
  EXPECT_EQ(vocabulary.Find(""), std::nullopt);
}

TEST(Vocabulary, HoldsNothingForOtherIds) {
  std::optional<int32_t> duplicate;
  const Vocabulary vocabulary({{1, "a"}}, 2, &duplicate);
  for (const int32_t id : {-1, 0, 2, INT32_MIN, INT32_MAX}) EXPECT_EQ(vocabulary.Bytes(id), "");
  EXPECT_EQ(Vocabulary().num_ids(), 0);
  EXPECT_EQ(Vocabulary().Find("a"), std::nullopt);
}

TEST(Vocabulary, NamesATokenWithTheBytesOfAnother) {
  std::optional<int32_t> duplicate;
  const Vocabulary vocabulary({{0, "x"}, {1, "y"}, {2, "x"}}, 3, &duplicate);
  EXPECT_EQ(duplicate, 2);
}

TEST(Vocabulary, FindsEachOfManyTokens) {
  std::vector<std::pair<int32_t, std::string>> tokens;
  for (int32_t id = 0; id < 5000; ++id) tokens.emplace_back(id, std::to_string(id * 7919));
  std::optional<int32_t> duplicate;
  const Vocabulary vocabulary(tokens, 5000, &duplicate);
  ASSERT_FALSE(duplicate);
  for (const auto& [id, bytes] : tokens) ASSERT_EQ(vocabulary.Find(bytes), id);
}

}  // namespace
}  // namespace octavo
