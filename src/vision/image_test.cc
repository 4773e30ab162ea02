#include "vision/image.h"

#include <gtest/gtest.h>

#include "testing/picture.h"

namespace octavo {
namespace {

using testing::Picture;

// Red of the pixel, which tells pixels of a small Picture of kind 0 apart.
int At(const Image& image, int x, int y) { return image.row(y)[3 * x]; }

// [height 2, width 3] with values 1..6.
Image Counting() {
  Image image(3, 2);
  for (size_t i = 0; i < 18; ++i) image.pixels[i] = static_cast<uint8_t>(i / 3 + 1);
  return image;
}

std::vector<int> Reds(const Image& image) {
  std::vector<int> reds;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) reds.push_back(At(image, x, y));
  }
  return reds;
}

TEST(Image, TurnsStopWhenTheCheckThrows) {
  struct Stop {};
  const Image image(100, 3000);
  for (const int degrees : {90, 180, 270}) {
    int num_calls = 0;
    const auto check = [&] {
      if (++num_calls == 2) throw Stop();
    };
    EXPECT_THROW(RotateCounterClockwise(image, degrees, check), Stop) << degrees;
    EXPECT_EQ(num_calls, 2);
  }
  int num_calls = 0;
  EXPECT_THROW(FlipHorizontally(image,
                                [&] {
                                  ++num_calls;
                                  throw Stop();
                                }),
               Stop);
  EXPECT_EQ(num_calls, 1);
}

TEST(Image, CropTakesTheGivenPixels) {
  const Image image = Picture(9, 11, 0);
  const Image part = Crop(image, 2, 3, 7, 8);
  ASSERT_EQ(part.width, 5);
  ASSERT_EQ(part.height, 5);
  for (int y = 0; y < 5; ++y) {
    for (int i = 0; i < 15; ++i) EXPECT_EQ(part.row(y)[i], image.row(y + 3)[i + 6]);
  }
}

TEST(Image, CropIsClampedToTheImage) {
  const Image image = Counting();
  EXPECT_EQ(Reds(Crop(image, -5, -5, 2, 1)), (std::vector<int>{1, 2}));
  EXPECT_EQ(Reds(Crop(image, 2, 1, 100, 100)), (std::vector<int>{6}));
  EXPECT_EQ(Crop(image, -100, -100, 100, 100).pixels, image.pixels);
}

TEST(Image, CropOutsideIsEmpty) {
  const Image image = Counting();
  EXPECT_TRUE(Crop(image, 3, 0, 9, 2).empty());
  EXPECT_TRUE(Crop(image, 2, 0, 1, 2).empty());
  EXPECT_TRUE(Crop(image, 0, 1, 3, 1).empty());
  EXPECT_TRUE(Crop(image, -9, -9, -1, -1).empty());
}

TEST(Image, RotatesCounterClockwise) {
  const Image image = Counting();
  const Image quarter = RotateCounterClockwise(image, 90);
  EXPECT_EQ(quarter.width, 2);
  EXPECT_EQ(quarter.height, 3);
  EXPECT_EQ(Reds(quarter), (std::vector<int>{3, 6, 2, 5, 1, 4}));
  EXPECT_EQ(Reds(RotateCounterClockwise(image, 180)), (std::vector<int>{6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(Reds(RotateCounterClockwise(image, 270)), (std::vector<int>{4, 1, 5, 2, 6, 3}));
  EXPECT_EQ(RotateCounterClockwise(image, 0).pixels, image.pixels);
}

TEST(Image, FourQuarterTurnsGiveTheImageBack) {
  const Image image = Picture(70, 45, 0);
  Image turned = image;
  for (int i = 0; i < 4; ++i) turned = RotateCounterClockwise(turned, 90);
  EXPECT_EQ(turned.pixels, image.pixels);
  const Image there = RotateCounterClockwise(image, 90);
  EXPECT_EQ(RotateCounterClockwise(there, 270).pixels, image.pixels);
}

TEST(Image, FlipsLeftToRight) {
  EXPECT_EQ(Reds(FlipHorizontally(Counting())), (std::vector<int>{3, 2, 1, 6, 5, 4}));
}

TEST(Image, PadLaysTheImageOnTheCanvas) {
  const Image padded = PadTo(Counting(), 5, 3, 1, 1, 9);
  EXPECT_EQ(Reds(padded), (std::vector<int>{9, 9, 9, 9, 9, 9, 1, 2, 3, 9, 9, 4, 5, 6, 9}));
}

TEST(ImageDeathTest, RefusesWhatCannotBe) {
  EXPECT_DEATH(RotateCounterClockwise(Counting(), 45), "45");
  EXPECT_DEATH(PadTo(Counting(), 3, 2, 1, 0, 0), "3x2");
}

}  // namespace
}  // namespace octavo
