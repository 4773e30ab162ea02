#include "document/layout_check.h"

#include <gtest/gtest.h>

#include "testing/printed_page.h"

namespace octavo {
namespace {

std::string Block(const std::string& coordinates) {
  return "<|box_start|>" + coordinates + "<|box_end|><|ref_start|>text<|ref_end|><|rotate_up|>\n";
}

class LayoutCheck : public testing::Test {
 protected:
  LayoutCheck() : page_(600, 800) {
    for (int y = 100; y < 700; y += 40) page_.Line(60, 540, y);
    map_ = FindInk(page_.image());
    ink_ = SortComponents(map_);
  }
  std::string Problem(const std::string& answer, FinishReason finish = FinishReason::kStop) {
    return FindLayoutProblem(ParseLayout(answer), finish, map_, ink_);
  }
  PrintedPage page_;
  InkMap map_;
  PageInk ink_;
};

TEST_F(LayoutCheck, AcceptsBlocksOverThePrint) {
  EXPECT_EQ(Problem(Block("050 050 950 500") + Block("050 510 950 950")), "");
}

TEST_F(LayoutCheck, RefusesEmptyAndUnendedAnswers) {
  EXPECT_NE(Problem(""), "");
  EXPECT_NE(Problem("junk junk"), "");
  EXPECT_NE(Problem(Block("050 050 950 950"), FinishReason::kLength), "");
}

TEST_F(LayoutCheck, RefusesJunkAndRepetition) {
  EXPECT_NE(Problem(Block("050 050 950 950") + Block("1 2 3") + Block("x")), "");
  EXPECT_NE(Problem(Block("050 050 950 950") + Block("050 050 950 950") + Block("050 050 950 950")),
            "");
}

TEST_F(LayoutCheck, RefusesBlocksThatMissThePrint) {
  EXPECT_NE(Problem(Block("000 000 900 100")), "");
}

TEST_F(LayoutCheck, AcceptsNoBlockOnABlankPage) {
  const InkMap map = FindInk(Image(300, 300));
  EXPECT_EQ(FindLayoutProblem(ParseLayout(""), FinishReason::kStop, map, SortComponents(map)), "");
}

}  // namespace
}  // namespace octavo
