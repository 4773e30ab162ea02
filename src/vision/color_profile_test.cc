#include "vision/color_profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "testing/damage.h"
#include "testing/icc_profile.h"

namespace octavo {
namespace {

using Bytes = std::vector<uint8_t>;

std::optional<ColorTransform> Open(const std::string& profile, PixelLayout layout) {
  return ColorTransform::ToSrgb(std::as_bytes(std::span(profile)), layout);
}

double ToSrgbCurve(double linear) {
  const double v = std::clamp(linear, 0.0, 1.0);
  return v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
}

TEST(ColorProfile, ConvertsWideRgbAsItsNumbersSay) {
  const auto transform = Open(testing::WideRgbProfile(), PixelLayout::kRgb);
  ASSERT_TRUE(transform);
  // XYZ under D50 to linear sRGB (Bradford-adapted, the published inverse).
  constexpr double kToLinear[3][3] = {{3.1338561, -1.6168667, -0.4906146},
                                      {-0.9787684, 1.9161415, 0.0334540},
                                      {0.0719453, -0.2289914, 1.4052427}};
  constexpr double kToXyz[3][3] = {
      {0.60974, 0.20528, 0.14919}, {0.31111, 0.62567, 0.06322}, {0.01947, 0.06087, 0.74457}};
  for (const Bytes& rgb :
       {Bytes{0, 0, 0}, Bytes{255, 255, 255}, Bytes{128, 128, 128}, Bytes{100, 150, 100},
        Bytes{200, 90, 60}, Bytes{30, 60, 180}, Bytes{250, 20, 20}}) {
    double xyz[3] = {};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        xyz[i] += kToXyz[i][j] * std::pow(rgb[static_cast<size_t>(j)] / 255.0, 2.19921875);
      }
    }
    uint8_t out[3];
    transform->Apply(rgb.data(), 1, out);
    for (int i = 0; i < 3; ++i) {
      double linear = 0;
      for (int j = 0; j < 3; ++j) linear += kToLinear[i][j] * xyz[j];
      EXPECT_NEAR(out[i], 255 * ToSrgbCurve(linear), 2.5)
          << int{rgb[0]} << "," << int{rgb[1]} << "," << int{rgb[2]} << " channel " << i;
    }
  }
}

TEST(ColorProfile, LeavesNearCopiesOfSrgbAlone) {
  EXPECT_FALSE(Open(testing::NearSrgbProfile(), PixelLayout::kRgb));
  EXPECT_FALSE(Open(testing::NearSrgbProfile(), PixelLayout::kRgba));
  EXPECT_FALSE(Open(testing::GreyProfile(2.2), PixelLayout::kGrey));
}

TEST(ColorProfile, ConvertsGreyByItsCurve) {
  const auto transform = Open(testing::GreyProfile(1.0), PixelLayout::kGrey);
  ASSERT_TRUE(transform);
  for (int value = 0; value < 256; ++value) {
    const auto in = static_cast<uint8_t>(value);
    uint8_t out = 0;
    transform->Apply(&in, 1, &out);
    EXPECT_NEAR(out, 255 * ToSrgbCurve(value / 255.0), value < 8 ? 10 : 3) << value;
  }
}

TEST(ColorProfile, ConvertsCmykThroughItsTable) {
  const auto transform = Open(testing::GreyPressProfile(), PixelLayout::kCmyk);
  ASSERT_TRUE(transform);
  const Bytes inks = {0, 0, 0, 0, 255, 0, 0, 0, 0, 255, 0, 0, 255, 255, 255, 255};
  Bytes rgb(12);
  transform->Apply(inks.data(), 4, rgb.data());
  EXPECT_GE(*std::min_element(rgb.begin(), rgb.begin() + 3), 253);  // paper is white
  EXPECT_LE(*std::max_element(rgb.begin() + 9, rgb.end()), 3);      // all inks are black
  // One ink of any colour is L* 75: a neutral 185.
  for (size_t i = 3; i < 9; ++i) EXPECT_NEAR(rgb[i], 185, 4) << i;
}

TEST(ColorProfile, KeepsAlpha) {
  const auto transform = Open(testing::WideRgbProfile(), PixelLayout::kRgba);
  ASSERT_TRUE(transform);
  Bytes rgba = {100, 150, 100, 77, 1, 2, 3, 0};
  transform->Apply(rgba.data(), 2, rgba.data());
  EXPECT_EQ(rgba[3], 77);
  EXPECT_EQ(rgba[7], 0);
  EXPECT_LT(rgba[0], 90);
}

TEST(ColorProfile, IgnoresWhatDoesNotFitThePixels) {
  EXPECT_FALSE(Open(testing::WideRgbProfile(), PixelLayout::kGrey));
  EXPECT_FALSE(Open(testing::WideRgbProfile(), PixelLayout::kCmyk));
  EXPECT_FALSE(Open(testing::GreyProfile(1.0), PixelLayout::kRgb));
  EXPECT_FALSE(Open(testing::GreyPressProfile(), PixelLayout::kRgb));
  EXPECT_FALSE(Open("", PixelLayout::kRgb));
  EXPECT_FALSE(Open("no profile", PixelLayout::kRgb));
  EXPECT_FALSE(Open(std::string((size_t{16} << 20) + 1, '\0'), PixelLayout::kRgb));
}

TEST(ColorProfile, SurvivesCutAndDamagedProfiles) {
  const std::pair<std::string, PixelLayout> cases[] = {
      {testing::WideRgbProfile(), PixelLayout::kRgba},
      {testing::GreyProfile(1.0), PixelLayout::kGreyAlpha},
      {testing::GreyPressProfile(), PixelLayout::kCmyk}};
  const Bytes pixels = {1, 2, 3, 4, 255, 254, 253, 252};
  for (const auto& [profile, layout] : cases) {
    // Little CMS needs 0.1 s to work a table of four inks out.
    const bool is_slow = layout == PixelLayout::kCmyk;
    const auto use = [&, in_layout = layout](const std::string& bytes) {
      const auto transform = Open(bytes, in_layout);
      Bytes out(8);
      if (transform) transform->Apply(pixels.data(), 2, out.data());
    };
    for (size_t size = 0; size < profile.size(); size += is_slow ? 97 : 1) {
      use(testing::CutCopy(profile, size));
    }
    for (uint64_t seed = 0; seed < (is_slow ? 20 : 300); ++seed)
      use(testing::FlipBytes(profile, seed));
  }
}

}  // namespace
}  // namespace octavo
