#include "document/table_pictures.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace octavo {
namespace {

ContentBlock At(const char* type, double x0, double y0, double x1, double y1) {
  return {type, {x0, y0, x1, y1}, 0};
}

TEST(TablePictures, GoToTheTableThatCoversMost) {
  const auto pictures =
      FindTablePictures({At("table", 0.1, 0.1, 0.9, 0.9), At("table", 0.15, 0.15, 0.6, 0.6),
                         At("image", 0.5, 0.2, 0.55, 0.3), At("image", 0.2, 0.2, 0.3, 0.3),
                         At("chart", 0.2, 0.2, 0.3, 0.3), At("image", 0.8, 0.8, 1.0, 1.0)});
  ASSERT_EQ(pictures.size(), 2u);
  EXPECT_TRUE(pictures.at(0).empty());
  EXPECT_EQ(pictures.at(1), (std::vector<size_t>{3, 2}));
}

TEST(TablePictures, ReplaceTheirCodes) {
  const std::vector<PictureCode> codes = {{"[K7TX]", "a.jpg"}, {"", "b.jpg"}};
  EXPECT_EQ(ReplacePictureCodes("<td>[ K7TX ] [K7TX][k7tx] [K7T</td>", codes),
            "<td><img src=\"a.jpg\"/> <img src=\"a.jpg\"/>[k7tx] [K7T</td>");
  EXPECT_EQ(ReplacePictureCodes("[", codes), "[");
}

TEST(TablePictures, HaveCodesOfTheirOwn) {
  std::set<std::string> codes;
  for (size_t i = 0; i < 10'000; ++i) {
    const std::string code = PictureCodeText(i);
    EXPECT_EQ(code.size(), 6u);
    codes.insert(code);
  }
  EXPECT_EQ(codes.size(), 10'000u);
}

TEST(TablePictures, AreMaskedWithTheCodeInTheColourAround) {
  Image crop(120, 60, 200);
  for (int y = 10; y < 50; ++y) {
    for (int x = 10; x < 110; ++x) crop.row(y)[3 * x] = 0;
  }
  MaskPicture({10, 10, 110, 50}, "[K7TX]", &crop);
  int num_dark = 0;
  for (int y = 0; y < 60; ++y) {
    for (int x = 0; x < 120; ++x) {
      const int value = crop.row(y)[3 * x];
      EXPECT_TRUE(value == 200 || value == 0) << x << "," << y;
      num_dark += value == 0 ? 1 : 0;
    }
  }
  EXPECT_GT(num_dark, 4 * 60);   // six letters at twice their size
  EXPECT_LT(num_dark, 4 * 110);  // and nothing of the picture
}

TEST(TablePictures, AreMaskedInTheCropOfATurnedTable) {
  Image page(400, 300, 255);
  for (int y = 100; y < 150; ++y) {
    for (int x = 200; x < 380; ++x) page.row(y)[3 * x] = 90;
  }
  ContentBlock table = At("table", 0.1, 0.1, 1.0, 0.9);
  for (const int angle : {0, 90, 180, 270}) {
    table.angle = angle;
    const Image crop = CropOfTable(page, table, {{{0.5, 1.0 / 3, 0.95, 0.5}, "[K7TX]"}});
    EXPECT_EQ(crop.width, angle % 180 == 0 ? 360 : 240);
    for (const uint8_t value : crop.pixels) ASSERT_NE(value, 90) << angle;
    EXPECT_NE(std::count(crop.pixels.begin(), crop.pixels.end(), 0), 0) << angle;
  }
}

TEST(TablePictures, AreMaskedWithoutCodeWhereItDoesNotFit) {
  Image crop(30, 30, 9);
  MaskPicture({5, 5, 25, 25}, "[K7TX]", &crop);
  for (const uint8_t value : crop.pixels) EXPECT_EQ(value, 9);
}

}  // namespace
}  // namespace octavo
