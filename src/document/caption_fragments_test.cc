#include "document/caption_fragments.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

MiddleBlock At(const char* type, PointBox box, const char* words = "") {
  static int index = 0;
  MiddleBlock block;
  block.type = type;
  block.bbox = box;
  block.index = index++;
  MiddleSpan span;
  span.type = "text";
  span.content = words;
  block.lines.push_back({box, {span}});
  return block;
}

std::string Types(std::vector<MiddleBlock> blocks) {
  PromoteCaptionFragments(&blocks);
  std::string out;
  for (const MiddleBlock& block : blocks) out += block.type + " ";
  return out;
}

// Results are mineru 3.4.5's for the same boxes.
TEST(CaptionFragments, TakeTextOnTheLineOfACaption) {
  EXPECT_EQ(Types({At("caption", {60, 48, 240, 72}), At("text", {252, 48, 540, 72}),
                   At("image_body", {60, 80, 540, 320})}),
            "caption caption image_body ");
  EXPECT_EQ(Types({At("caption", {60, 48, 240, 72}), At("header", {0, 0, 9, 9}),
                   At("text", {252, 16, 540, 32}), At("table_body", {60, 160, 540, 320})}),
            "caption header text table_body ");
}

TEST(CaptionFragments, TakeTextBetweenCaptionAndTable) {
  EXPECT_EQ(Types({At("caption", {60, 32, 540, 48}), At("text", {60, 52, 540, 68}),
                   At("table_body", {60, 72, 540, 320})}),
            "caption caption table_body ");
  EXPECT_EQ(Types({At("text", {60, 12, 540, 28}), At("caption", {60, 32, 540, 48}),
                   At("table_body", {60, 52, 540, 320})}),
            "text caption table_body ");
  EXPECT_EQ(Types({At("caption", {60, 32, 540, 48}), At("text", {60, 52, 540, 68}),
                   At("code_body", {60, 200, 540, 320})}),
            "caption text code_body ");
}

TEST(CaptionFragments, TakeTheWordsOfAContinuedTableAtTheHeadOfThePage) {
  EXPECT_EQ(
      Types({At("header", {0, 0, 600, 20}), At("text", {60, 48, 540, 72}, "Table 1 (continued)"),
             At("table_body", {60, 80, 540, 320})}),
      "header caption table_body ");
  EXPECT_EQ(Types({At("text", {60, 48, 540, 72}, "Table 1"), At("table_body", {60, 80, 540, 320})}),
            "text table_body ");
  EXPECT_EQ(
      Types({At("text", {60, 8, 540, 20}, "continued"), At("table_body", {60, 80, 540, 320})}),
      "text table_body ");
}

TEST(CaptionFragments, DropTheMarkThatTextContinues) {
  std::vector<MiddleBlock> blocks = {At("text", {60, 48, 540, 72}, "continued"),
                                     At("table_body", {60, 80, 540, 320})};
  blocks[0].merge_prev = true;
  PromoteCaptionFragments(&blocks);
  EXPECT_EQ(blocks[0].merge_prev, std::nullopt);
}

}  // namespace
}  // namespace octavo
