#include "vision/resize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/file.h"
#include "base/json.h"
#include "testing/crc32.h"
#include "testing/picture.h"

namespace octavo {
namespace {

using testing::Crc32Hex;
using testing::Picture;

nlohmann::json ReadTestJson(const std::string& name) {
  const std::string path = std::string(OCTAVO_TEST_DATA_DIR) + "/images/" + name;
  return ParseJson(ReadFile(path, size_t{1} << 20), name);
}

std::string PixelCrc(const Image& image) {
  return Crc32Hex(image.pixels.data(), image.pixels.size());
}

TEST(Resize, HasTheBytesOfThreeReferencesInAllThirtyCases) {
  const nlohmann::json cases = ReadTestJson("resize.json").at("cases");
  ASSERT_EQ(cases.size(), 30u);
  for (const auto& [name, row] : cases.items()) {
    const Image image = Picture(row["source"][0], row["source"][1], row["picture_kind"]);
    const int height = row["target"][0];
    const int width = row["target"][1];
    const nlohmann::json& crc = row["crc32"];
    EXPECT_EQ(PixelCrc(Resize(image, width, height, ResampleRule::kTorchvision)),
              crc["torchvision"])
        << name;
    EXPECT_EQ(PixelCrc(Resize(image, width, height, ResampleRule::kPillowHorizontalFirst)),
              crc["pillow_horizontal_first"])
        << name;
    EXPECT_EQ(PixelCrc(Resize(image, width, height, ResampleRule::kPillow13)), crc["pillow13"])
        << name;
  }
}

// The layout pictures and the enlargements of small crops that mineru-vl-utils 2.0.7 makes.
TEST(Resize, HasTheBytesOfTheClientUnderPillow13) {
  const nlohmann::json steps = ReadTestJson("client_steps.json");
  int num_checked = 0;
  for (const nlohmann::json& row : steps["layout_1036"]) {
    const Image image = Picture(row["h"], row["w"], 1);
    EXPECT_EQ(PixelCrc(Resize(image, 1036, 1036, ResampleRule::kPillow13)), row["crc32"]) << row;
    ++num_checked;
  }
  for (const nlohmann::json& row : steps["crops"]) {
    const int h = row["h"];
    const int w = row["w"];
    if (std::max(h, w) > 50 * std::min(h, w)) continue;  // padded before it is enlarged
    const Image resized = Resize(Picture(h, w, 1), row["W"], row["H"], ResampleRule::kPillow13);
    EXPECT_EQ(PixelCrc(resized), row["crc32"]) << row;
    ++num_checked;
  }
  EXPECT_EQ(num_checked, 13);
}

// The order of passes shows in the bytes, so each rule's threshold can be told from outside.
TEST(Resize, ChoosesTheOrderOfPassesBySize) {
  const auto is_vertical_first = [](int w, int h, int to_w, int to_h, ResampleRule rule) {
    const Image image = Picture(h, w, 0);
    const ResampleRule plain = ResampleRule::kPillowHorizontalFirst;
    const Image vertical = Resize(Resize(image, w, to_h, plain), to_w, to_h, plain);
    const Image horizontal = Resize(Resize(image, to_w, h, plain), to_w, to_h, plain);
    EXPECT_NE(vertical.pixels, horizontal.pixels);
    const Image chosen = Resize(image, to_w, to_h, rule);
    EXPECT_TRUE(chosen.pixels == vertical.pixels || chosen.pixels == horizontal.pixels);
    return chosen.pixels == vertical.pixels;
  };
  using enum ResampleRule;
  // Pillow 13: H < h and h - H > 2 (w - W). 60 - 41 = 19 against 2 * (40 - 31) = 18 and 20.
  EXPECT_TRUE(is_vertical_first(40, 60, 31, 41, kPillow13));
  EXPECT_FALSE(is_vertical_first(40, 60, 30, 41, kPillow13));
  EXPECT_FALSE(is_vertical_first(40, 60, 31, 42, kPillow13));
  EXPECT_TRUE(is_vertical_first(40, 60, 70, 59, kPillow13));
  EXPECT_FALSE(is_vertical_first(40, 60, 90, 61, kPillow13));
  // Pillow 12.2: h > 100 w.
  EXPECT_TRUE(is_vertical_first(4, 401, 3, 200, kPillow12));
  EXPECT_FALSE(is_vertical_first(4, 400, 3, 200, kPillow12));
  EXPECT_FALSE(is_vertical_first(4, 401, 3, 200, kPillowHorizontalFirst));
}

TEST(Resize, CopiesWhenTheSizeIsTheSame) {
  const Image image = Picture(17, 23, 2);
  for (const ResampleRule rule : {ResampleRule::kTorchvision, ResampleRule::kPillow13}) {
    EXPECT_EQ(Resize(image, 23, 17, rule).pixels, image.pixels);
  }
}

TEST(Resize, KeepsAFlatPictureFlat) {
  for (const int value : {0, 1, 127, 254, 255}) {
    const Image image(31, 47, static_cast<uint8_t>(value));
    for (const ResampleRule rule : {ResampleRule::kTorchvision, ResampleRule::kPillow13}) {
      for (const auto& [w, h] : {std::pair{7, 5}, {64, 100}, {31, 12}, {1, 1}, {300, 2}}) {
        const Image resized = Resize(image, w, h, rule);
        ASSERT_EQ(resized.width, w);
        ASSERT_EQ(resized.height, h);
        // Rounded weights need not sum to one exactly; their error stays below one level.
        for (const uint8_t pixel : resized.pixels) ASSERT_NEAR(pixel, value, 1);
      }
    }
  }
}

// A second, plain computation in doubles: one level apart for rounding between the passes.
TEST(Resize, IsWithinTwoLevelsOfDoublePrecision) {
  const auto cubic = [](double t) {
    t = std::fabs(t);
    if (t >= 2) return 0.0;
    return t < 1 ? 1.5 * t * t * t - 2.5 * t * t + 1 : -0.5 * t * t * t + 2.5 * t * t - 4 * t + 2;
  };
  const Image image = Picture(37, 53, 1);
  const int width = 20;
  const int height = 44;
  const auto sample = [&](int axis_size, int out_size, int out, auto value_at) {
    const double scale = static_cast<double>(axis_size) / out_size;
    const double spread = std::max(1.0, scale);
    double sum = 0;
    double weights = 0;
    for (int i = 0; i < axis_size; ++i) {
      const double weight = cubic((i + 0.5 - (out + 0.5) * scale) / spread);
      sum += weight * value_at(i);
      weights += weight;
    }
    return sum / weights;
  };
  const Image resized = Resize(image, width, height, ResampleRule::kTorchvision);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < 3 * width; ++x) {
      const double wanted = sample(image.height, height, y, [&](int row) {
        return sample(image.width, width, x / 3, [&](int column) {
          return static_cast<double>(image.row(row)[3 * column + x % 3]);
        });
      });
      ASSERT_NEAR(resized.row(y)[x], std::clamp(wanted, 0.0, 255.0), 2.0) << x << "," << y;
    }
  }
}

}  // namespace
}  // namespace octavo
