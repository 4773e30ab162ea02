#include "document/page_ranges.h"

#include <gtest/gtest.h>

#include "octavo/error.h"

namespace octavo {
namespace {

std::vector<int> Indices(const std::string& ranges, int num_pages) {
  return ChoosePagesOf(ParsePageRanges(ranges), num_pages).indices;
}

// The message of what is refused; "" if it is taken.
std::string RefusalOf(const std::string& ranges) {
  try {
    ParsePageRanges(ranges);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.what();
  }
  return "";
}

TEST(PageRanges, TakesNumbersRangesAndOpenEnds) {
  EXPECT_EQ(Indices("", 3), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(Indices("1-2,5", 6), (std::vector<int>{0, 1, 4}));
  EXPECT_EQ(Indices("5,1-2,2", 6), (std::vector<int>{0, 1, 4}));
  EXPECT_EQ(Indices("4-", 6), (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(Indices("-2", 6), (std::vector<int>{0, 1}));
}

TEST(PageRanges, LeavesOutPagesThatTheDocumentDoesNotHave) {
  const auto chosen = [](const char* ranges) { return ChoosePagesOf(ParsePageRanges(ranges), 2); };
  EXPECT_EQ(chosen("1-3").indices, (std::vector<int>{0, 1}));
  EXPECT_TRUE(chosen("1-3").lacks_pages);
  EXPECT_TRUE(chosen("1,7-").lacks_pages);
  EXPECT_TRUE(chosen("7").indices.empty());
  EXPECT_TRUE(chosen("7").lacks_pages);
  EXPECT_EQ(chosen("1-2147483647").indices.size(), 2u);
  EXPECT_FALSE(chosen("").lacks_pages);
  EXPECT_FALSE(chosen("2-").lacks_pages);
  EXPECT_FALSE(chosen("1-2").lacks_pages);
}

TEST(PageRanges, SaysWhatIsWrong) {
  for (const char* ranges : {"x", "1,,2", "1-2-3", "1;2", " 1", "--2", "99999999999", ",1"}) {
    EXPECT_NE(RefusalOf(ranges).find("expected page numbers"), std::string::npos) << ranges;
  }
  EXPECT_EQ(RefusalOf("1,3-1"), "--pages 1,3-1: 3-1 runs backwards, expected 1-3");
  EXPECT_EQ(RefusalOf("0"), "--pages 0: found page 0, expected numbers from 1");
  EXPECT_EQ(RefusalOf("1-0"), "--pages 1-0: found page 0, expected numbers from 1");
}

}  // namespace
}  // namespace octavo
