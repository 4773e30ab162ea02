#include "document/visual_groups.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

// A page of 600 x 800 points.
MiddleBlock At(const char* type, double y0, double y1, double x0 = 0.1, double x1 = 0.9) {
  MiddleBlock block;
  block.type = type;
  block.bbox = {static_cast<int>(x0 * 600), static_cast<int>(y0 * 800), static_cast<int>(x1 * 600),
                static_cast<int>(y1 * 800)};
  return block;
}

// "type(members) … | type …": groups with the indices of their parts, and what was left.
std::string Summary(std::vector<MiddleBlock> blocks) {
  for (size_t i = 0; i < blocks.size(); ++i) blocks[i].index = static_cast<int>(i);
  std::string out;
  for (const MiddleBlock& group : TakeVisualGroups(&blocks)) {
    out += group.type + "(";
    for (const MiddleBlock& part : group.blocks) out += std::to_string(part.index);
    out += ") ";
  }
  out += "|";
  for (const MiddleBlock& block : blocks) out += " " + block.type + std::to_string(block.index);
  return out;
}

TEST(VisualGroups, GiveACaptionToTheNearerPicture) {
  EXPECT_EQ(Summary({At("image_body", 0.1, 0.3), At("caption", 0.31, 0.34),
                     At("image_body", 0.35, 0.6), At("caption", 0.61, 0.64)}),
            "image(01) image(23) |");
}

TEST(VisualGroups, GiveACaptionBetweenTwoTablesToTheNext) {
  EXPECT_EQ(
      Summary({At("table_body", 0.1, 0.3), At("caption", 0.31, 0.34), At("table_body", 0.35, 0.6)}),
      "table(0) table(12) |");
}

TEST(VisualGroups, GiveAFootnoteToTheBodyBefore) {
  EXPECT_EQ(Summary({At("table_body", 0.1, 0.3), At("footnote", 0.31, 0.33),
                     At("table_body", 0.35, 0.6)}),
            "table(01) table(2) |");
  EXPECT_EQ(Summary({At("footnote", 0.05, 0.08), At("table_body", 0.1, 0.3)}), "table(1) | text0");
}

TEST(VisualGroups, LeaveACaptionBehindTextAlone) {
  EXPECT_EQ(Summary({At("image_body", 0.1, 0.3), At("text", 0.4, 0.5), At("caption", 0.6, 0.7)}),
            "image(0) | text1 text2");
}

TEST(VisualGroups, LookPastBlocksBesideTheGap) {
  EXPECT_EQ(Summary({At("image_body", 0.1, 0.3), At("text", 0.5, 0.6), At("caption", 0.31, 0.34)}),
            "image(02) | text1");
}

TEST(VisualGroups, TakePicturesIntoTheirBlock) {
  std::vector<MiddleBlock> blocks = {
      At("image_block_body", 0.1, 0.5), At("image_body", 0.1, 0.5, 0.1, 0.5),
      At("chart_body", 0.1, 0.5, 0.5, 0.9), At("caption", 0.51, 0.54)};
  EXPECT_EQ(Summary(blocks), "image(03) |");
  const std::vector<MiddleBlock> groups = TakeVisualGroups(&blocks);
  ASSERT_EQ(groups[0].sub_images.size(), 2u);
  EXPECT_EQ(groups[0].sub_images[1].type, "chart");
  EXPECT_EQ(groups[0].sub_images[0].bbox, (std::array<double, 4>{0, 0, 0.5, 1}));
}

TEST(VisualGroups, LookPastListsWithoutItems) {
  EXPECT_EQ(Summary({At("image_body", 0.1, 0.3), At("list", 0.1, 0.9), At("caption", 0.31, 0.34)}),
            "image(02) | list1");
}

}  // namespace
}  // namespace octavo
