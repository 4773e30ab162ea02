#include "document/page_structure.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

ContentBlock At(const char* type, double y0, double y1, double x0 = 0.1, double x1 = 0.9) {
  return {type, {x0, y0, x1, y1}, 0};
}

std::string Summary(const std::vector<ContentBlock>& blocks) {
  std::string out;
  for (const PageItem& item : FindStructure(blocks)) {
    out += std::to_string(item.block);
    if (!item.members.empty()) {
      out += "(";
      for (const size_t member : item.members) out += std::to_string(member);
      out += ")";
    }
    out += " ";
  }
  return out;
}

TEST(PageStructure, GivesACaptionToTheNearerPicture) {
  EXPECT_EQ(Summary({At("image", 0.1, 0.3), At("image_caption", 0.31, 0.34), At("image", 0.35, 0.6),
                     At("image_caption", 0.61, 0.64)}),
            "0(01) 2(23) ");
}

TEST(PageStructure, GivesACaptionBetweenTwoTablesToTheNext) {
  EXPECT_EQ(
      Summary({At("table", 0.1, 0.3), At("table_caption", 0.31, 0.34), At("table", 0.35, 0.6)}),
      "0(0) 2(12) ");
}

TEST(PageStructure, LeavesACaptionBehindTextAlone) {
  EXPECT_EQ(Summary({At("image", 0.1, 0.3), At("text", 0.4, 0.5), At("image_caption", 0.6, 0.7)}),
            "0(0) 1 2 ");
}

TEST(PageStructure, GivesAFootnoteToTheBodyBefore) {
  EXPECT_EQ(
      Summary({At("table", 0.1, 0.3), At("table_footnote", 0.31, 0.33), At("table", 0.35, 0.6)}),
      "0(01) 2(2) ");
  EXPECT_EQ(Summary({At("table_footnote", 0.05, 0.08), At("table", 0.1, 0.3)}), "0 1(1) ");
}

TEST(PageStructure, PutsDiscardedBlocksLastAndLooksPastThem) {
  EXPECT_EQ(Summary({At("image", 0.1, 0.3), At("page_number", 0.95, 0.98),
                     At("image_caption", 0.31, 0.34)}),
            "0(02) 1 ");
}

TEST(PageStructure, CollectsListItemsTextFirst) {
  EXPECT_EQ(Summary({At("list", 0.1, 0.4), At("ref_text", 0.11, 0.19), At("text", 0.2, 0.29),
                     At("list", 0.5, 0.6), At("text", 0.7, 0.8)}),
            "0(21) 4 ");
}

TEST(PageStructure, TakesPicturesIntoTheirBlock) {
  EXPECT_EQ(Summary({At("image_block", 0.1, 0.4), At("image", 0.1, 0.4, 0.1, 0.48),
                     At("image", 0.1, 0.4, 0.52, 0.9), At("image_caption", 0.41, 0.44)}),
            "0(03) ");
}

}  // namespace
}  // namespace octavo
