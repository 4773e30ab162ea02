#include "document/letter_rows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "testing/printed_page.h"

namespace octavo {
namespace {

int64_t NumLetters(const PrintedPage& page, int min_height = 4, int min_count = 3) {
  const std::vector<bool> is_letter =
      FindLettersInRows(FindComponents(FindInk(page.image())), min_height, min_count);
  return std::count(is_letter.begin(), is_letter.end(), true);
}

TEST(LetterRows, FindsLettersOfAnySize) {
  for (const int size : {8, 14, 40, 90, 180}) {
    PrintedPage page(size * 30, size * 5);
    page.Line(size, size * 29, size * 3, size, std::max(1, size / 6));
    EXPECT_GT(NumLetters(page), 20) << size;
    EXPECT_EQ(NumLetters(page, 3 * size), 0) << size;
  }
}

TEST(LetterRows, FindsNoRowOfTwoLettersIfThreeAreAsked) {
  PrintedPage page(400, 200);
  page.Line(50, 120, 150, 40, 8);
  EXPECT_EQ(NumLetters(page, 4, 2), 2);
  EXPECT_EQ(NumLetters(page, 4, 3), 0);
}

TEST(LetterRows, LeavesOutPhotographsBarsFramesAndSignsThatStandApart) {
  PrintedPage photographs(900, 300);
  for (const int x : {50, 300, 550}) photographs.Fill(x, 50, x + 200, 250, 90);
  EXPECT_EQ(NumLetters(photographs), 0);
  PrintedPage bars(900, 300);
  for (int i = 0; i < 8; ++i) bars.Fill(50 + 60 * i, 80 + 10 * i, 90 + 60 * i, 280, 60);
  EXPECT_EQ(NumLetters(bars), 0);
  PrintedPage frames(900, 300);
  for (const int x : {50, 300, 550}) {
    frames.Fill(x, 50, x + 200, 250, 0);
    frames.Fill(x + 4, 54, x + 196, 246, 255);
  }
  EXPECT_EQ(NumLetters(frames), 0);
  PrintedPage signs(900, 300);
  for (const int x : {50, 210, 370, 530}) {
    signs.Fill(x, 100, x + 100, 200, 0);
    signs.Fill(x + 20, 100, x + 80, 180, 255);
  }
  EXPECT_EQ(NumLetters(signs), 0);
}

}  // namespace
}  // namespace octavo
