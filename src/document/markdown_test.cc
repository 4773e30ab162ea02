#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "octavo/document.h"

namespace octavo {
namespace {

Page PageOf(std::vector<ContentBlock> blocks) {
  Page page;
  page.blocks = std::move(blocks);
  return page;
}

ContentBlock Block(const std::string& type, const std::string& content, double y0 = 0.1,
                   double y1 = 0.2) {
  return {type, {0.1, y0, 0.9, y1}, 0, content};
}

ContentBlock Picture(const std::string& type, double y0 = 0.1, double y1 = 0.2) {
  ContentBlock block{type, {0.1, y0, 0.9, y1}, 0, std::nullopt};
  block.img_path = "p1.jpg";
  return block;
}

// Expected texts are mineru 3.4.5's for the same blocks.
TEST(Markdown, WritesTitlesTextAndFormulas) {
  EXPECT_EQ(
      ToMarkdown({PageOf({Block("title", "A Short\n  Title"), Block("text", "We have \\(x > 0\\)."),
                          Block("equation", "\\[\na = b\n\\]")})}),
      "# A Short Title\n\nWe have $x > 0$ .\n\n$$\na = b\n$$\n");
}

TEST(Markdown, WritesLevelsOfTitles) {
  ContentBlock two = Block("title", "Two");
  two.text_level = 2;
  EXPECT_EQ(ToMarkdown({PageOf({Block("title", "One"), two})}), "# One\n\n## Two\n");
}

TEST(Markdown, WritesAPictureWithCaptionAndFootnote) {
  EXPECT_EQ(ToMarkdown(
                {PageOf({Picture("image", 0.1, 0.4), Block("image_caption", "Figure 1", 0.41, 0.44),
                         Block("image_footnote", "Photo: own", 0.445, 0.47)})}),
            "![](images/p1.jpg)  \nFigure 1  \nPhoto: own\n");
}

TEST(Markdown, SetsTablesApartFromTheirCaptions) {
  EXPECT_EQ(ToMarkdown({PageOf({Block("table_caption", "Table 1", 0.05, 0.08),
                                Block("table", "<table></table>", 0.1, 0.4)})}),
            "Table 1\n\n<table></table>\n");
}

TEST(Markdown, ShowsThePictureOfATableThatWasNotRead) {
  EXPECT_EQ(ToMarkdown({PageOf({Picture("table")})}, "p/"), "![](p/p1.jpg)\n");
}

TEST(Markdown, ShowsThePictureOfAFormulaThatWasNotRead) {
  EXPECT_EQ(ToMarkdown({PageOf({Block("text", "a"), Picture("equation")})}, "p/"),
            "a\n\n![](p/p1.jpg)\n");
  EXPECT_EQ(ToMarkdown({PageOf({Block("text", "a"), Block("equation", "")})}, "p/"), "a\n");
}

TEST(Markdown, WritesListItemsWithHardBreaks) {
  EXPECT_EQ(ToMarkdown({PageOf({{"list", {0.1, 0.1, 0.9, 0.4}, 0},
                                Block("text", "- first", 0.11, 0.19),
                                Block("text", "- second", 0.2, 0.29),
                                Block("text", "after", 0.5, 0.6)})}),
            "- first  \n- second\n\nafter\n");
}

TEST(Markdown, FencesCode) {
  EXPECT_EQ(ToMarkdown({PageOf({Block("code_caption", "Listing 1"), Block("code", "x = 1")})}),
            "Listing 1  \n```txt\nx = 1\n```\n");
}

TEST(Markdown, LeavesOutHeadersFootersAndEmptyBlocks) {
  EXPECT_EQ(ToMarkdown({PageOf({Block("header", "Run"),
                                Block("page_number", "3"),
                                Block("text", ""),
                                {"text", {0, 0, 1, 1}, 0}})}),
            "");
}

TEST(Markdown, SeparatesPagesByABlankLine) {
  EXPECT_EQ(ToMarkdown({PageOf({Block("text", "one")}), PageOf({Block("text", "two")})}),
            "one\n\ntwo\n");
}

}  // namespace
}  // namespace octavo
