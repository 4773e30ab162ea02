#include "document/layout_parser.h"

#include <string>

#include <gtest/gtest.h>

#include "testing/mineru_cases.h"

namespace octavo {
namespace {

std::string Block(const std::string& coordinates, const std::string& type = "text",
                  const std::string& tail = "<|rotate_up|>") {
  return "<|box_start|>" + coordinates + "<|box_end|><|ref_start|>" + type + "<|ref_end|>" + tail;
}

TEST(LayoutParser, AgreesWithMineruOnEveryCase) {
  const auto cases = ReadTextCases("layout");
  ASSERT_GE(cases.size(), 40u);
  for (const TextCase& c : cases) {
    EXPECT_EQ(Describe(ParseLayout(c.raw).blocks), Describe(c.expected_blocks)) << c.name;
  }
}

TEST(LayoutParser, CountsWhatBreaksTheGrammar) {
  const LayoutAnswer answer =
      ParseLayout(Block("100 100 900 200") + Block("100 100 900 200") + Block("1 2 3") +
                  Block("5 5 2000 10") + Block("1 1 9 9", "sidebar") + "<|box_start|>");
  EXPECT_EQ(answer.num_starts, 6);
  EXPECT_EQ(answer.num_duplicates, 1);
  EXPECT_EQ(answer.num_invalid, 4);
  EXPECT_EQ(answer.blocks.size(), 1u);
}

TEST(LayoutParser, SurvivesHugeNumbersAndInvalidUtf8) {
  EXPECT_TRUE(ParseLayout(Block("99999999999999999999999 1 2 3")).blocks.empty());
  EXPECT_TRUE(ParseLayout(Block("1\xFF 2 3 4")).blocks.empty());
  EXPECT_TRUE(ParseLayout(std::string("<|box_start|>1 2 3 4<|box_end|>\xE2\x82")).blocks.empty());
}

TEST(LayoutParser, KeepsEveryPrefixOfATruncatedAnswerParsable) {
  const std::string whole = Block("10 20 30 40") + "\n" + Block("100 200 300 400", "title");
  for (size_t length = 0; length <= whole.size(); ++length) {
    const LayoutAnswer answer = ParseLayout(whole.substr(0, length));
    EXPECT_LE(answer.blocks.size(), 2u);
    EXPECT_EQ(answer.num_starts - answer.num_invalid, static_cast<int>(answer.blocks.size()));
  }
}

}  // namespace
}  // namespace octavo
