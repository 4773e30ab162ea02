#include "document/formula_crops.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

// White paper with a black formula at 100 to 300 by 50 to 90.
Image FormulaPage() {
  Image page(500, 200, 255);
  for (int y = 50; y < 90; ++y) std::fill(page.row(y) + 300, page.row(y) + 900, uint8_t{0});
  return page;
}
constexpr std::array<double, 4> kBox = {0.2, 0.25, 0.6, 0.45};

InkMap MapOf(int scale, bool is_inverted = false) {
  InkMap map;
  map.scale = scale;
  map.is_inverted = is_inverted;
  return map;
}

Image CropOf(const Image& page, const std::array<double, 4>& box, const InkMap& map, int letter,
             const ModelCard& card) {
  return CropOfFormula(page, box, map, letter, card).picture;
}

TEST(FormulaCrops, HaveAMarginThatGrowsWithTheLetters) {
  const Image small = CropOf(FormulaPage(), kBox, MapOf(1), 10, {});
  EXPECT_EQ(small.width, 208);
  EXPECT_EQ(small.height, 48);
  EXPECT_EQ(CropOf(FormulaPage(), kBox, MapOf(2), 10, {}).width, 216);
  EXPECT_EQ(CropOf(FormulaPage(), kBox, MapOf(1), 0, {}).width, 204);
}

TEST(FormulaCrops, AreRescaledToTheCardsLetters) {
  ModelCard card;
  card.equation_min_letter_px = 9;
  card.equation_max_letter_px = 15;
  EXPECT_EQ(CropOf(FormulaPage(), kBox, MapOf(1), 9, card).width, 208);
  EXPECT_EQ(CropOf(FormulaPage(), kBox, MapOf(1), 15, card).width, 212);
  const Image reduced = CropOf(FormulaPage(), kBox, MapOf(2), 15, card);
  EXPECT_EQ(reduced.width, 112);
  EXPECT_EQ(reduced.height, 32);
  EXPECT_EQ(CropOf(FormulaPage(), kBox, MapOf(1), 6, card).width, 306);
  EXPECT_EQ(CropOf(FormulaPage(), kBox, MapOf(1), 0, card).width, 204);
}

TEST(FormulaCrops, KeepTheCardsWidths) {
  ModelCard card;
  card.equation_max_width_px = 104;
  const Image reduced = CropOf(FormulaPage(), kBox, MapOf(1), 10, card);
  EXPECT_EQ(reduced.width, 122);  // 104 by 24, enlarged as every crop that is lower than 28
  EXPECT_EQ(reduced.height, 28);
  card.equation_max_width_px = 0;
  card.equation_min_width_px = 300;
  // A thin line on yellow paper.
  Image page(500, 200, 255);
  for (size_t i = 2; i < page.pixels.size(); i += 3) page.pixels[i] = 100;
  for (int y = 68; y < 72; ++y) std::fill(page.row(y) + 300, page.row(y) + 900, uint8_t{0});
  const Image padded = CropOf(page, kBox, MapOf(1), 10, card);
  EXPECT_EQ(padded.width, 300);
  EXPECT_EQ(padded.row(24)[100 * 3], 0);
  for (const int x : {209, 250, 299}) {
    EXPECT_EQ(padded.row(24)[x * 3], 255) << x;
    EXPECT_EQ(padded.row(24)[x * 3 + 2], 100) << x;
  }
}

TEST(FormulaCrops, HavePaperUpToWholeTokens) {
  ModelCard card;
  card.equation_multiple_px = 28;
  const Image whole = CropOf(FormulaPage(), kBox, MapOf(1), 10, card);
  EXPECT_EQ(whole.width, 224);  // of 208 by 48
  EXPECT_EQ(whole.height, 56);
  const Image plain = CropOf(FormulaPage(), kBox, MapOf(1), 10, {});
  for (int y = 0; y < plain.height; ++y) {
    EXPECT_TRUE(std::equal(plain.row(y), plain.row(y) + plain.width * 3, whole.row(y))) << y;
  }
}

TEST(FormulaCrops, StayOnThePage) {
  const Image all = CropOf(FormulaPage(), {0, 0, 1, 1}, MapOf(1), 10, {});
  EXPECT_EQ(all.width, 500);
  EXPECT_EQ(all.height, 200);
  EXPECT_TRUE(CropOf(FormulaPage(), {2, 2, 3, 3}, MapOf(1), 10, {}).empty());
}

TEST(FormulaCrops, AreDarkOnLight) {
  Image page = FormulaPage();
  for (uint8_t& value : page.pixels) value = static_cast<uint8_t>(255 - value);
  EXPECT_EQ(CropOf(page, kBox, MapOf(1, true), 10, {}).pixels,
            CropOf(FormulaPage(), kBox, MapOf(1), 10, {}).pixels);
}

TEST(FormulaCrops, HaveRoomForEverySign) {
  const Image page(1000, 1000, 255);
  const auto tokens = [&](double width, double height, const ModelCard& card) {
    const std::array<double, 4> box = {0.1, 0.1, 0.1 + width / 1000, 0.1 + height / 1000};
    return CropOfFormula(page, box, MapOf(1), 10, card).max_new_tokens;
  };
  EXPECT_GE(tokens(112, 28, {}), 100);
  EXPECT_GE(tokens(540, 104, {}), 1000);
  EXPECT_LE(tokens(800, 800, {}), 4096);
  // Paper holds no signs.
  ModelCard card;
  card.equation_min_width_px = 600;
  EXPECT_EQ(tokens(112, 28, card), tokens(112, 28, {}));
}

TEST(FormulaCrops, AreNotEnlargedBeyondAllMeasure) {
  ModelCard card;
  card.equation_min_letter_px = 200;
  const Image crop = CropOf(Image(2000, 2000, 255), {0, 0, 1, 1}, MapOf(1), 1, card);
  EXPECT_LE(int64_t{crop.width} * crop.height, 4'100'000);
}

}  // namespace
}  // namespace octavo
