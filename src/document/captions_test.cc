#include "document/captions.h"

#include <string>

#include <gtest/gtest.h>

namespace octavo {
namespace {

ContentBlock Block(const char* type, double y0, double y1, const char* content = nullptr,
                   double x0 = 0.1) {
  ContentBlock block;
  block.type = type;
  block.bbox = {x0, y0, x0 + 0.3, y1};
  if (content != nullptr) block.content = content;
  return block;
}

std::string Types(std::vector<ContentBlock> blocks) {
  MarkCaptions(0.05, &blocks);
  std::string out;
  for (const ContentBlock& block : blocks) out += block.type + " ";
  return out;
}

TEST(CaptionKind, NeedsWordNumberAndStop) {
  for (const char* text : {"Figure 3: of trees", "Fig. 12. Trees", "Figure 4", "FIGURE 1.2: a",
                           "Figure 7 - trees", "ligure 16: especially", "Figurc 2: a"}) {
    EXPECT_EQ(CaptionKindOf(text), CaptionKind::kFigure) << text;
  }
  for (const char* text : {"Table 14: Many receive", "TABLE 2", "Table 3.1. a", "Tahle 4: a"}) {
    EXPECT_EQ(CaptionKindOf(text), CaptionKind::kTable) << text;
  }
  for (const char* text : {"Figure 3 shows trees", "Figures: a", "Table of contents", "Tables 3: a",
                           "Figure", "Table : a", "", "Stable 4: a", "Fig. tree"}) {
    EXPECT_EQ(CaptionKindOf(text), CaptionKind::kNone) << text;
  }
}

TEST(MarkCaptions, TakesTheTextBesideAPictureOrTable) {
  EXPECT_EQ(Types({Block("image", 0.1, 0.3), Block("text", 0.31, 0.33, "Figure 1: a"),
                   Block("text", 0.35, 0.4, "b")}),
            "image image_caption text ");
  EXPECT_EQ(Types({Block("text", 0.1, 0.12, "Table 1: a"), Block("table", 0.13, 0.3, "")}),
            "table_caption table ");
  // The caption of a drawing that was found to be a table, and the other way round.
  EXPECT_EQ(Types({Block("table", 0.1, 0.3, ""), Block("text", 0.31, 0.33, "Figure 1: a")}),
            "table table_caption ");
  // Between both its word decides.
  EXPECT_EQ(Types({Block("image", 0.1, 0.3), Block("text", 0.31, 0.33, "Table 1: a"),
                   Block("table", 0.34, 0.5, "")}),
            "image table_caption table ");
}

TEST(MarkCaptions, LeavesTextThatStandsElsewhere) {
  EXPECT_EQ(Types({Block("image", 0.1, 0.3), Block("text", 0.4, 0.43, "Figure 1: a")}),
            "image text ");
  EXPECT_EQ(Types({Block("image", 0.1, 0.3), Block("text", 0.31, 0.33, "Figure 1: a", 0.6)}),
            "image text ");
  EXPECT_EQ(Types({Block("image", 0.1, 0.3), Block("text", 0.31, 0.33, "b"),
                   Block("text", 0.34, 0.35, "Figure 1: a")}),
            "image text text ");
  EXPECT_EQ(Types({Block("text", 0.31, 0.33, "Figure 1: a")}), "text ");
}

}  // namespace
}  // namespace octavo
