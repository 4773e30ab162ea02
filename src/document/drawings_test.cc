#include "document/drawings.h"

#include <gtest/gtest.h>

#include "document/whitespace_layout.h"
#include "testing/printed_page.h"

namespace octavo {
namespace {

constexpr PixelBox kFrame = {200, 500, 900, 900};

void DrawFrame(const PixelBox& box, PrintedPage* page) {
  page->Fill(box.x0, box.y0, box.x1, box.y0 + 2, 20);
  page->Fill(box.x0, box.y1 - 2, box.x1, box.y1, 20);
  page->Fill(box.x0, box.y0, box.x0 + 2, box.y1, 20);
  page->Fill(box.x1 - 2, box.y0, box.x1, box.y1, 20);
}

// Text, an empty frame, text.
PrintedPage PageWithFrame() {
  PrintedPage page(1240, 1754);
  for (int i = 0; i < 8; ++i) page.Line(150, 1090, 150 + 40 * i);
  for (int i = 0; i < 8; ++i) page.Line(150, 1090, 1000 + 40 * i);
  DrawFrame(kFrame, &page);
  return page;
}

std::vector<PixelBox> PicturesOf(const PrintedPage& page) {
  return SortComponents(FindInk(page.image())).pictures;
}

TEST(Drawings, AreFramesAroundShapes) {
  PrintedPage page = PageWithFrame();
  page.Fill(300, 600, 350, 700, 90);
  page.Fill(500, 750, 700, 790, 120);
  EXPECT_EQ(PicturesOf(page), std::vector<PixelBox>{kFrame});
  // The picture is one thing on the page, between the two texts.
  const WhitespaceLayout layout = FindLines(SortComponents(FindInk(page.image())));
  ASSERT_EQ(layout.lines.size(), 17u);
  EXPECT_TRUE(layout.lines[8].is_picture);
}

TEST(Drawings, AreFramesAroundLongLines) {
  PrintedPage page = PageWithFrame();
  for (int i = 0; i < 150; ++i) page.Fill(300 + i, 600 + i, 302 + i, 602 + i, 20);
  EXPECT_EQ(PicturesOf(page), std::vector<PixelBox>{kFrame});
}

TEST(Drawings, MayHaveLabels) {
  PrintedPage page = PageWithFrame();
  page.Fill(300, 600, 350, 700, 90);
  page.Line(600, 660, 700);
  EXPECT_EQ(PicturesOf(page), std::vector<PixelBox>{kFrame});
}

TEST(Drawings, AreNotEmptyFrames) { EXPECT_TRUE(PicturesOf(PageWithFrame()).empty()); }

TEST(Drawings, AreNotTablesOrBoxesOfText) {
  PrintedPage table = PageWithFrame();
  for (int i = 0; i < 6; ++i) {
    table.Line(230, 330, 560 + 60 * i);
    table.Line(600, 660, 560 + 60 * i);
  }
  table.Fill(202, 600, 898, 602, 20);
  EXPECT_TRUE(PicturesOf(table).empty());
  PrintedPage text = PageWithFrame();
  for (int i = 0; i < 6; ++i) text.Line(230, 860, 560 + 60 * i);
  text.Fill(230, 870, 300, 890, 60);
  EXPECT_EQ(PicturesOf(text).size(), 0u);
}

TEST(Drawings, AreNotBordersOfThePage) {
  PrintedPage page(1240, 1754);
  DrawFrame({50, 50, 1190, 1700}, &page);
  page.Line(400, 600, 300);
  page.Fill(400, 900, 800, 1300, 90);
  const std::vector<PixelBox> pictures = PicturesOf(page);
  ASSERT_EQ(pictures.size(), 1u);
  EXPECT_EQ(pictures[0], (PixelBox{400, 900, 800, 1300}));
}

}  // namespace
}  // namespace octavo
