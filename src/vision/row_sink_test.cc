#include "vision/row_sink.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "octavo/error.h"
#include "testing/icc_profile.h"
#include "testing/picture.h"

namespace octavo {
namespace {

using testing::Picture;
using Bytes = std::vector<uint8_t>;

DecodedImage Collect(int64_t width, int64_t height, PixelLayout layout, const Bytes& pixels,
                     const DecodeOptions& options = {}, const std::string& profile = "") {
  RowSink sink(width, height, layout, std::as_bytes(std::span(profile)), options);
  EXPECT_EQ(pixels.size(), sink.row_bytes() * static_cast<size_t>(height));
  for (int64_t y = 0; y < height; ++y) {
    std::memcpy(sink.row(), pixels.data() + static_cast<size_t>(y) * sink.row_bytes(),
                sink.row_bytes());
    sink.TakeRow();
  }
  return sink.Finish();
}

TEST(RowSink, StopsSoonAfterItWasCancelled) {
  int num_questions = 0;
  DecodeOptions options;
  options.is_cancelled = [&] { return ++num_questions == 3; };
  RowSink sink(1 << 12, 1 << 20 >> 6, PixelLayout::kGrey, {}, options);
  int num_rows = 0;
  try {
    for (; num_rows < 1 << 14; ++num_rows) sink.TakeRow();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCancelled);
  }
  EXPECT_EQ(num_questions, 3);
  EXPECT_LT(num_rows * (1 << 12), 1 << 20);
}

TEST(RowSink, MakesRgbOfEveryLayout) {
  EXPECT_EQ(Collect(2, 1, PixelLayout::kGrey, {7, 200}).image.pixels,
            (Bytes{7, 7, 7, 200, 200, 200}));
  EXPECT_EQ(Collect(1, 2, PixelLayout::kRgb, {1, 2, 3, 4, 5, 6}).image.pixels,
            (Bytes{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Collect(2, 1, PixelLayout::kGreyAlpha, {10, 0, 10, 255}).image.pixels,
            (Bytes{255, 255, 255, 10, 10, 10}));
  EXPECT_EQ(Collect(2, 1, PixelLayout::kRgba, {1, 2, 3, 0, 1, 2, 3, 255}).image.pixels,
            (Bytes{255, 255, 255, 1, 2, 3}));
  EXPECT_EQ(
      Collect(2, 1, PixelLayout::kRgba, {1, 2, 3, 0, 1, 2, 3, 255}, {.alpha = AlphaRule::kDrop})
          .image.pixels,
      (Bytes{1, 2, 3, 1, 2, 3}));
  // No ink, full black, full cyan.
  EXPECT_EQ(
      Collect(3, 1, PixelLayout::kCmyk, {0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0}).image.pixels,
      (Bytes{255, 255, 255, 0, 0, 0, 0, 255, 255}));
}

TEST(RowSink, AveragesPicturesOverTheLimit) {
  const Image picture = Picture(37, 53, 0);
  const DecodedImage decoded =
      Collect(53, 37, PixelLayout::kRgb, picture.pixels, {.max_decoded_pixels = 18 * 13});
  // A factor of 3: 18 x 13, the last column of 2 pixels, the last row of 1.
  ASSERT_EQ(decoded.image.width, 18);
  ASSERT_EQ(decoded.image.height, 13);
  for (int y = 0; y < 13; ++y) {
    for (int x = 0; x < 18; ++x) {
      for (int c = 0; c < 3; ++c) {
        int sum = 0;
        int count = 0;
        for (int v = 3 * y; v < std::min(37, 3 * y + 3); ++v) {
          for (int u = 3 * x; u < std::min(53, 3 * x + 3); ++u) {
            sum += picture.row(v)[3 * u + c];
            ++count;
          }
        }
        ASSERT_EQ(decoded.image.row(y)[3 * x + c], (sum + count / 2) / count) << x << "," << y;
      }
    }
  }
  ASSERT_EQ(decoded.warnings.size(), 1u);
  EXPECT_EQ(decoded.warnings[0].rfind("page_downscaled: ", 0), 0u) << decoded.warnings[0];
}

TEST(RowSink, AveragesEveryLayoutAlike) {
  Bytes grey;
  Bytes rgba;
  for (int i = 0; i < 15 * 9; ++i) {
    const auto value = static_cast<uint8_t>(i * 37);
    grey.push_back(value);
    rgba.insert(rgba.end(), {value, value, value, 255});
  }
  const DecodeOptions small = {.max_decoded_pixels = 40};
  EXPECT_EQ(Collect(15, 9, PixelLayout::kGrey, grey, small).image.pixels,
            Collect(15, 9, PixelLayout::kRgba, rgba, small).image.pixels);
}

TEST(RowSink, LeavesPicturesAtTheLimitAlone) {
  const Image picture = Picture(20, 10, 0);
  const DecodedImage decoded =
      Collect(10, 20, PixelLayout::kRgb, picture.pixels, {.max_decoded_pixels = 200});
  EXPECT_EQ(decoded.image.pixels, picture.pixels);
  EXPECT_TRUE(decoded.warnings.empty());
}

TEST(RowSink, FindsTheLeastFactor) {
  EXPECT_EQ(ReductionFactor(100, 100, 10000), 1);
  EXPECT_EQ(ReductionFactor(100, 100, 9999), 2);
  EXPECT_EQ(ReductionFactor(20000, 19000, 178'956'970), 2);
  EXPECT_EQ(ReductionFactor(1'000'000'000, 1, 1000), 1'000'000);
  EXPECT_EQ(ReductionFactor(7, 5, 1), 7);
}

TEST(RowSink, AppliesTheProfileToColoursAndNotToAlpha) {
  const std::string profile = testing::WideRgbProfile();
  const Bytes rgb = {100, 150, 100};
  const Bytes converted = Collect(1, 1, PixelLayout::kRgb, rgb, {}, profile).image.pixels;
  EXPECT_NE(converted, rgb);
  EXPECT_EQ(Collect(1, 1, PixelLayout::kRgb, rgb, {.profile = ProfileRule::kIgnore}, profile)
                .image.pixels,
            rgb);
  EXPECT_EQ(Collect(1, 1, PixelLayout::kRgba, {100, 150, 100, 255}, {}, profile).image.pixels,
            converted);
  EXPECT_EQ(Collect(1, 1, PixelLayout::kRgba, {100, 150, 100, 0}, {}, profile).image.pixels,
            (Bytes{255, 255, 255}));
  // Averaged after it was converted, as light adds up in no profile's numbers anyway.
  Bytes twice = rgb;
  twice.insert(twice.end(), rgb.begin(), rgb.end());
  EXPECT_EQ(
      Collect(2, 1, PixelLayout::kRgb, twice, {.max_decoded_pixels = 1}, profile).image.pixels,
      converted);
}

TEST(RowSink, AppliesGreyProfilesToGreyWithAndWithoutAlpha) {
  const std::string profile = testing::GreyProfile(1.0);
  const Bytes grey = Collect(1, 1, PixelLayout::kGrey, {64}, {}, profile).image.pixels;
  EXPECT_GT(grey[0], 120);  // linear 0.25 is 137 in sRGB
  EXPECT_EQ(grey[0], grey[1]);
  EXPECT_EQ(Collect(1, 1, PixelLayout::kGreyAlpha, {64, 255}, {}, profile).image.pixels, grey);
}

}  // namespace
}  // namespace octavo
