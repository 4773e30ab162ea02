#include "document/picture_cuts.h"

#include <span>

#include <gtest/gtest.h>

#include "vision/image_codec.h"

namespace octavo {
namespace {

TEST(PictureCuts, CutsPicturesTablesAndFormulasAsJpeg) {
  Image image(200, 100, 250);
  for (int y = 20; y < 60; ++y) std::fill(image.row(y) + 150, image.row(y) + 300, uint8_t{40});
  Page page;
  page.index = 2;
  page.blocks = {{"text", {0, 0, 1, 0.2}},
                 {"image", {0.25, 0.2, 0.5, 0.6}},
                 {"table", {0, 0.6, 1, 0.9}},
                 {"equation", {0, 0.9, 1, 1}},
                 {"image", {0.25, 0.2, 0.25, 0.2}}};
  CutPictures(image, &page);
  ASSERT_EQ(page.pictures.size(), 3u);
  EXPECT_EQ(page.blocks[1].img_path, page.pictures[0].name);
  EXPECT_EQ(page.pictures[0].name.substr(0, 5), "p3-1-");
  EXPECT_TRUE(page.blocks[0].img_path.empty());
  EXPECT_TRUE(page.blocks[4].img_path.empty());
  const Image cut = DecodeImage(std::as_bytes(std::span(page.pictures[0].jpeg_bytes)), "cut");
  EXPECT_EQ(cut.width, 50);
  EXPECT_EQ(cut.height, 40);
  EXPECT_NEAR(cut.row(20)[75], 40, 6);
}

TEST(PictureCuts, AddsNothingWithoutPixelsOrTooLarge) {
  Page page;
  EXPECT_EQ(AddPicture(Image(), &page), "");
  EXPECT_EQ(AddPicture(Image(70'000, 1), &page), "");
  EXPECT_TRUE(page.pictures.empty());
}

TEST(PictureCuts, NamesDifferentPicturesDifferently) {
  Page first;
  first.blocks = {{"image", {0, 0, 1, 1}}};
  Page second = first;
  CutPictures(Image(30, 30, 10), &first);
  CutPictures(Image(30, 30, 200), &second);
  EXPECT_NE(first.pictures[0].name, second.pictures[0].name);
}

}  // namespace
}  // namespace octavo
