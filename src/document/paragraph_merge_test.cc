#include "document/paragraph_merge.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

MiddleBlock Text(const std::string& content, PointBox box, bool merge_prev = false) {
  MiddleBlock block;
  block.type = "text";
  block.bbox = box;
  block.merge_prev = merge_prev;
  MiddleSpan span;
  span.type = "text";
  span.content = content;
  block.lines.push_back({box, {span}});
  return block;
}

constexpr PointBox kLeft = {60, 80, 288, 240};
constexpr PointBox kRight = {312, 80, 540, 240};

// How many lines each block has after the merge.
std::vector<size_t> LineCounts(std::vector<MiddleBlock> blocks) {
  std::vector<MiddlePage> pages(1);
  pages[0].para_blocks = std::move(blocks);
  MergeParagraphs(&pages);
  std::vector<size_t> counts;
  for (const MiddleBlock& block : pages[0].para_blocks) {
    counts.push_back(block.lines.size());
    EXPECT_EQ(block.is_emptied, block.lines.empty());
  }
  return counts;
}

using Counts = std::vector<size_t>;

// Results are mineru 3.4.5's.
TEST(ParagraphMerge, JoinsATextToTheOneInTheColumnBefore) {
  EXPECT_EQ(LineCounts({Text("the grey water", kLeft), Text("until noon.", kRight, true)}),
            (Counts{2, 0}));
  EXPECT_EQ(LineCounts({Text("the grey water", kLeft), Text("until noon.", kRight)}),
            (Counts{1, 1}));
}

TEST(ParagraphMerge, StopsAtTheEndOfASentenceOrTheBeginningOfOne) {
  for (const char* end : {"water.", "water\u3002", "(water)", "water:"}) {
    EXPECT_EQ(LineCounts({Text(end, kLeft), Text("until", kRight, true)}), (Counts{1, 1})) << end;
  }
  for (const char* begin : {"Until", "12 boats", "\u00c4rger", ""}) {
    EXPECT_EQ(LineCounts({Text("water", kLeft), Text(begin, kRight, true)}), (Counts{1, 1}))
        << begin;
  }
}

TEST(ParagraphMerge, AsksForColumnsOfAKind) {
  EXPECT_EQ(LineCounts({Text("a", kLeft), Text("b", {312, 80, 384, 240}, true)}), (Counts{1, 1}));
  EXPECT_EQ(LineCounts({Text("a", kLeft), Text("b", {60, 256, 288, 320}, true)}), (Counts{1, 1}));
}

TEST(ParagraphMerge, PassesPicturesButNoTitles) {
  MiddleBlock between;
  for (const bool is_picture : {true, false}) {
    between.type = is_picture ? "image" : "title";
    std::vector<MiddlePage> pages(1);
    pages[0].para_blocks = {Text("a", kLeft), between, Text("b", kRight, true)};
    MergeParagraphs(&pages);
    EXPECT_EQ(pages[0].para_blocks[2].is_emptied, is_picture);
  }
}

TEST(ParagraphMerge, JoinsReferencesOverPages) {
  std::vector<MiddlePage> pages(2);
  for (MiddlePage& page : pages) {
    MiddleBlock list;
    list.type = "list";
    list.sub_type = "ref_text";
    list.blocks.push_back(Text("[1] A", kLeft));
    page.para_blocks.push_back(list);
  }
  std::vector<MiddlePage> text_lists = pages;
  MergeParagraphs(&pages);
  ASSERT_EQ(pages[0].para_blocks[0].blocks.size(), 2u);
  EXPECT_TRUE(pages[0].para_blocks[0].blocks[1].lines[0].spans[0].crosses_page);
  EXPECT_TRUE(pages[1].para_blocks[0].is_emptied);
  text_lists[1].para_blocks[0].sub_type = "text";
  MergeParagraphs(&text_lists);
  EXPECT_FALSE(text_lists[1].para_blocks[0].is_emptied);
}

}  // namespace
}  // namespace octavo
