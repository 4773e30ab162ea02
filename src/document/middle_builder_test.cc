#include "document/middle_builder.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

Page PageOf(std::vector<ContentBlock> blocks) {
  Page page;
  page.width_pt = 600;
  page.height_pt = 800;
  page.blocks = std::move(blocks);
  return page;
}

ContentBlock At(const char* type, double y0, double y1, const char* content = nullptr) {
  ContentBlock block{type, {0.1, y0, 0.9, y1}, 0};
  if (content != nullptr) block.content = content;
  return block;
}

std::string Types(const std::vector<MiddleBlock>& blocks) {
  std::string out;
  for (const MiddleBlock& block : blocks) out += block.type + std::to_string(block.index) + " ";
  return out;
}

TEST(MiddleBuilder, PutsBoxesInWholePoints) {
  const MiddlePage page = BuildMiddlePage(PageOf({At("text", 0.1011, 0.2, "a")}));
  EXPECT_EQ(page.preproc_blocks[0].bbox, (PointBox{60, 80, 540, 160}));
  EXPECT_EQ(page.width, 600);
}

TEST(MiddleBuilder, TakesAPictureOfUnknownSizeForOneAt200Dpi) {
  Page page = PageOf({At("text", 0, 1, "a")});
  page.width_pt = page.height_pt = 0;
  EXPECT_EQ(BuildMiddlePage(page).width, 1000);
  page.width_px = 1654;
  page.height_px = 2339;
  EXPECT_EQ(BuildMiddlePage(page).width, 595);
  EXPECT_EQ(BuildMiddlePage(page).height, 842);
}

TEST(MiddleBuilder, CollectsListItemsTextFirst) {
  const MiddlePage page = BuildMiddlePage(
      PageOf({At("list", 0.1, 0.4), At("ref_text", 0.11, 0.19, "r"), At("text", 0.2, 0.29, "t"),
              At("list", 0.5, 0.6), At("text", 0.7, 0.8, "after")}));
  EXPECT_EQ(Types(page.preproc_blocks), "list0 text4 ");
  EXPECT_EQ(Types(page.preproc_blocks[0].blocks), "text2 ref_text1 ");
  EXPECT_EQ(page.preproc_blocks[0].sub_type, "text");
}

TEST(MiddleBuilder, PutsHeadersAndTheLikeAside) {
  const MiddlePage page =
      BuildMiddlePage(PageOf({At("page_number", 0.95, 0.98, "3"), At("image", 0.1, 0.3),
                              At("image_caption", 0.31, 0.34)}));
  EXPECT_EQ(Types(page.discarded_blocks), "page_number0 ");
  EXPECT_EQ(Types(page.preproc_blocks), "image1 ");
  EXPECT_EQ(Types(page.preproc_blocks[0].blocks), "image_body1 image_caption2 ");
}

TEST(MiddleBuilder, MakesAlgorithmsOfCodeWithFormulas) {
  const MiddlePage page = BuildMiddlePage(PageOf(
      {At("code", 0.1, 0.2, "```lua\nx = \\(y\\)\n```"), At("code", 0.3, 0.4, "```lua\nx\n```")}));
  EXPECT_EQ(page.preproc_blocks[0].sub_type, "algorithm");
  EXPECT_EQ(page.preproc_blocks[0].guess_lang, "");
  EXPECT_EQ(page.preproc_blocks[1].guess_lang, "lua");
  EXPECT_EQ(page.preproc_blocks[1].blocks[0].lines[0].spans[0].content, "x");
}

TEST(MiddleBuilder, KeepsWordsThatTheReferenceLoses) {
  const Page page =
      PageOf({At("doc_title", 0.05, 0.1, "T"), At("index", 0.12, 0.15, "Contents"),
              At("image", 0.2, 0.4), At("caption", 0.41, 0.44, "Fig"), At("title", 0.5, 0.6, " ")});
  const MiddlePage kept = BuildMiddlePage(page);
  EXPECT_EQ(Types(kept.preproc_blocks), "title0 text1 image2 ");
  EXPECT_EQ(kept.preproc_blocks[2].blocks[1].lines[0].spans[0].type, "text");
  const MiddlePage reference = BuildMiddlePage(page, MiddleRule::kReference);
  EXPECT_EQ(Types(reference.preproc_blocks), "image2 title4 ");
  EXPECT_EQ(reference.preproc_blocks[0].blocks[1].lines[0].spans[0].type, "unknown");
}

TEST(MiddleBuilder, HasNoPictureForABoxWithoutArea) {
  Page page = PageOf({{"image", {0.1, 0.1, 0.1005, 0.5}, 0}});
  page.blocks[0].img_path = "x.jpg";
  EXPECT_EQ(BuildMiddlePage(page).preproc_blocks[0].blocks[0].lines[0].spans[0].image_path, "");
}

}  // namespace
}  // namespace octavo
