#include "vision/tiff_rows.h"

#include <gtest/gtest.h>

#include <vector>

namespace octavo {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes Assemble(const TiffForm& form, const std::vector<Bytes>& planes, const Bytes& palette = {}) {
  RowAssembler assembler(form, palette, SampleRule::kScale);
  std::vector<const uint8_t*> pointers;
  for (const Bytes& plane : planes) pointers.push_back(plane.data());
  Bytes out(form.width * NumChannels(form.layout()));
  assembler.Assemble(pointers, out.data());
  return out;
}

TEST(TiffRows, InvertsGreyWhereWhiteIsZero) {
  EXPECT_EQ(Assemble({.width = 2, .colors = TiffColors::kWhiteIsZero}, {{0, 200}}),
            (Bytes{255, 55}));
  // Alpha stays.
  EXPECT_EQ(Assemble({.width = 1,
                      .num_samples = 2,
                      .colors = TiffColors::kWhiteIsZero,
                      .alpha = TiffAlpha::kStraight},
                     {{5, 9}}),
            (Bytes{250, 9}));
}

TEST(TiffRows, JoinsPlanes) {
  const TiffForm form = {
      .width = 2, .num_samples = 3, .colors = TiffColors::kRgb, .is_planar = true};
  EXPECT_EQ(Assemble(form, {{1, 2}, {3, 4}, {5, 6}}), (Bytes{1, 3, 5, 2, 4, 6}));
}

TEST(TiffRows, LooksColoursUpInThePalette) {
  const TiffForm form = {.width = 3, .colors = TiffColors::kPalette, .depth = {.num_bits = 1}};
  EXPECT_EQ(Assemble(form, {{0x40}}, {1, 2, 3, 7, 8, 9}), (Bytes{1, 2, 3, 7, 8, 9, 1, 2, 3}));
}

TEST(TiffRows, IgnoresSamplesBehindColoursAndAlpha) {
  EXPECT_EQ(Assemble({.width = 2, .num_samples = 5, .colors = TiffColors::kRgb},
                     {{1, 2, 3, 0, 0, 4, 5, 6, 0, 0}}),
            (Bytes{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(
      Assemble({.width = 1, .num_samples = 5, .colors = TiffColors::kCmyk}, {{1, 2, 3, 4, 99}}),
      (Bytes{1, 2, 3, 4}));
}

TEST(TiffRows, DividesByAlphaWhatWasMultiplied) {
  const TiffForm form = {
      .width = 3, .num_samples = 4, .colors = TiffColors::kRgb, .alpha = TiffAlpha::kPremultiplied};
  EXPECT_EQ(Assemble(form, {{50, 100, 128, 128, 9, 9, 9, 0, 200, 0, 0, 100}}),
            (Bytes{100, 199, 255, 128, 9, 9, 9, 0, 255, 0, 0, 100}));
}

}  // namespace
}  // namespace octavo
