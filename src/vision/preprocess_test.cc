#include "vision/preprocess.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/json.h"
#include "octavo/error.h"
#include "testing/crc32.h"
#include "testing/picture.h"
#include "vision/image_codec.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using testing::Crc32Hex;
using testing::Picture;

std::string ReadTestFile(const std::string& name) {
  return ReadFile(fs::path(OCTAVO_TEST_DATA_DIR) / "images" / name, size_t{1} << 20);
}

PreprocessorConfig Parse(const std::string& text) { return ParsePreprocessorConfig(text, "test"); }

ErrorCode ParseError(const std::string& text) {
  try {
    Parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).rfind("test: ", 0), 0u) << error.what();
    return error.code();
  }
  ADD_FAILURE() << "accepted: " << text;
  return ErrorCode::kCancelled;
}

TEST(SmartResize, AgreesWithTheReferenceInAllRows) {
  const nlohmann::json table = ParseJson(ReadTestFile("smart_resize.json"), "smart_resize.json");
  ASSERT_EQ(table["rows"].size(), 399u);
  int num_errors = 0;
  for (const nlohmann::json& row : table["rows"]) {
    PreprocessorConfig config;
    config.min_pixels = row["min"];
    config.max_pixels = row["max"];
    if (row.contains("error")) {
      ++num_errors;
      EXPECT_THROW(SmartResize(row["w"], row["h"], config), Error) << row;
      continue;
    }
    const ImageSize size = SmartResize(row["w"], row["h"], config);
    EXPECT_EQ(size.height, row["H"]) << row;
    EXPECT_EQ(size.width, row["W"]) << row;
  }
  EXPECT_GT(num_errors, 0);
}

TEST(SmartResize, RoundsHalvesToEven) {
  const PreprocessorConfig config = {.min_pixels = 50176, .max_pixels = 1605632};
  EXPECT_EQ(SmartResize(1400, 70, config), (ImageSize{1400, 56}));   // 2.5 cells
  EXPECT_EQ(SmartResize(1022, 98, config), (ImageSize{1008, 112}));  // 36.5 and 3.5 cells
}

TEST(SmartResize, RefusesExtremeRatiosAndEmptyPictures) {
  const PreprocessorConfig config;
  const auto code = [&](int w, int h) {
    try {
      SmartResize(w, h, config);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::kCancelled;
  };
  EXPECT_NO_THROW(SmartResize(200, 1, config));
  EXPECT_EQ(code(201, 1), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(1, 201), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(0, 10), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(10, -1), ErrorCode::kInvalidArgument);
  const PreprocessorConfig without_minimum = {.min_pixels = 0};
  EXPECT_THROW(SmartResize(10, 10, without_minimum), Error);
}

TEST(PreprocessorConfig, ReadsTheReferenceFile) {
  const PreprocessorConfig config = Parse(ReadTestFile("stages/preprocessor_config.json"));
  EXPECT_EQ(config.min_pixels, 3136);
  EXPECT_EQ(config.max_pixels, 12544);
  EXPECT_EQ(config.patch_size, 14);
  EXPECT_EQ(config.temporal_patch_size, 2);
  EXPECT_EQ(config.merge_size, 2);
  EXPECT_EQ(config.image_mean[1], 0.4578275);
  EXPECT_EQ(config.image_std[2], 0.27577711);
}

TEST(PreprocessorConfig, PrefersThePlainLimitsToTheEdges) {
  const std::string size = R"("size": {"shortest_edge": 4000, "longest_edge": 80000})";
  PreprocessorConfig config = Parse("{" + size + "}");
  EXPECT_EQ(config.min_pixels, 4000);
  EXPECT_EQ(config.max_pixels, 80000);
  config = Parse(R"({"min_pixels": 5000, )" + size + "}");
  EXPECT_EQ(config.min_pixels, 5000);
  EXPECT_EQ(config.max_pixels, 80000);
  config = Parse(R"({"max_pixels": 90000, "min_pixels": null, )" + size + "}");
  EXPECT_EQ(config.min_pixels, 4000);
  EXPECT_EQ(config.max_pixels, 90000);
  config = Parse("{}");
  EXPECT_EQ(config.min_pixels, 3136);
  EXPECT_EQ(config.max_pixels, 1003520);
}

TEST(PreprocessorConfig, RefusesASizeWithoutEdges) {
  EXPECT_EQ(ParseError(R"({"size": {"min_pixels": 3136, "max_pixels": 12544}})"),
            ErrorCode::kDataLoss);
  EXPECT_EQ(ParseError(R"({"size": {"shortest_edge": 3136}})"), ErrorCode::kDataLoss);
  EXPECT_EQ(ParseError(R"({"size": 224})"), ErrorCode::kDataLoss);
}

TEST(PreprocessorConfig, RefusesEveryBrokenFile) {
  int num_files = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(OCTAVO_TEST_DATA_DIR) / "broken/preprocessor")) {
    ++num_files;
    EXPECT_THROW(Parse(ReadFile(entry.path(), 1 << 20)), Error) << entry.path();
  }
  EXPECT_EQ(num_files, 6);
}

TEST(PreprocessorConfig, RefusesValuesOutOfRangeAndOfOtherTypes) {
  for (const char* text :
       {"[]", "null", "{", R"({"min_pixels": "3136"})", R"({"min_pixels": 3136.5})",
        R"({"min_pixels": -1})", R"({"max_pixels": 18446744073709551615})", R"({"patch_size": 0})",
        R"({"patch_size": 1000})", R"({"merge_size": 0})", R"({"temporal_patch_size": 99})",
        R"({"max_pixels": 700, "min_pixels": 100})", R"({"image_mean": 0.5})",
        R"({"image_mean": [0.5, "0.5", 0.5]})", R"({"image_std": [1, 1, 1e-20]})",
        R"({"image_std": [1, 1, -1]})", R"({"do_resize": "no"})", R"({"resample": "bicubic"})"}) {
    EXPECT_EQ(ParseError(text), ErrorCode::kDataLoss) << text;
  }
}

TEST(PreprocessorConfig, RefusesStepsThatItDoesNotTake) {
  for (const char* text :
       {R"({"do_resize": false})", R"({"do_rescale": false})", R"({"do_normalize": false})",
        R"({"do_convert_rgb": false})", R"({"rescale_factor": 1.0})", R"({"resample": 2})"}) {
    EXPECT_EQ(ParseError(text), ErrorCode::kUnsupported) << text;
  }
}

std::string PatchesCrc(const Patches& patches) {
  return Crc32Hex(patches.values.data(), patches.values.size_bytes());
}

TEST(Preprocess, HasTheBitsOfBothReferenceProcessors) {
  const PreprocessorConfig config = Parse(ReadTestFile("stages/preprocessor_config.json"));
  const nlohmann::json cases = ParseJson(ReadTestFile("stages/pixel_values.json"), "pixel values");
  const PreprocessRules slow = {.resample = ResampleRule::kPillow13,
                                .normalize = NormalizeRule::kSlow};
  int num_fast = 0;
  int num_slow = 0;
  for (const auto& [name, row] : cases.items()) {
    for (size_t i = 0; i < row["images"].size(); ++i) {
      const std::string file = "stages/image_" + row["images"][i].get<std::string>() + ".png";
      const std::string bytes = ReadTestFile(file);
      const Image image = DecodeImage(std::as_bytes(std::span(bytes)), file);
      const Patches patches = Preprocess(image, config);
      EXPECT_EQ(patches.grid_t, row["grid_thw"][i][0]);
      EXPECT_EQ(patches.grid_h, row["grid_thw"][i][1]);
      EXPECT_EQ(patches.grid_w, row["grid_thw"][i][2]);
      EXPECT_EQ(patches.patch_dim, 1176);
      EXPECT_EQ(PatchesCrc(patches), row["pixel_values_fast_crc32"][i]) << name << " " << file;
      ++num_fast;
      if (!row.contains("pixel_values_slow_crc32")) continue;
      EXPECT_EQ(PatchesCrc(Preprocess(image, config, slow)), row["pixel_values_slow_crc32"][i])
          << name << " " << file;
      ++num_slow;
    }
  }
  EXPECT_EQ(num_fast, 5);
  EXPECT_EQ(num_slow, 2);
}

// Every value is found where the definition of the patch matrix says, for other sizes too.
TEST(Preprocess, OrdersPatchesByMergeBlock) {
  PreprocessorConfig config = {.min_pixels = 1,
                               .max_pixels = 1 << 20,
                               .patch_size = 4,
                               .temporal_patch_size = 3,
                               .merge_size = 4};
  const Image image = Picture(32, 48, 0);  // stays as it is: multiples of 16
  const Patches patches = Preprocess(image, config);
  ASSERT_EQ(patches.grid_h, 8);
  ASSERT_EQ(patches.grid_w, 12);
  ASSERT_EQ(patches.patch_dim, 3 * 3 * 16);
  ASSERT_EQ(patches.values.size(), static_cast<size_t>(8 * 12 * 144));
  const float* value = patches.values.data();
  for (int row = 0; row < 8 * 12; ++row) {
    const int block = row / 16;
    const int patch_y = block / 3 * 4 + row % 16 / 4;
    const int patch_x = block % 3 * 4 + row % 4;
    for (int column = 0; column < 144; ++column, ++value) {
      const int c = column / 48;
      const int y = patch_y * 4 + column % 16 / 4;
      const int x = patch_x * 4 + column % 4;
      const float mean = static_cast<float>(config.image_mean[static_cast<size_t>(c)]);
      const float deviation = static_cast<float>(config.image_std[static_cast<size_t>(c)]);
      const float pixel = image.row(y)[3 * x + c];
      ASSERT_EQ(*value, (pixel - mean * 255.0f) / (deviation * 255.0f)) << row << "," << column;
    }
  }
}

TEST(Preprocess, ResizesThenCuts) {
  const PreprocessorConfig config = {.min_pixels = 3136, .max_pixels = 20000};
  const Image image = Picture(150, 310, 1);
  const ImageSize size = SmartResize(310, 150, config);
  for (const ResampleRule rule : {ResampleRule::kTorchvision, ResampleRule::kPillow13}) {
    const Image resized = Resize(image, size.width, size.height, rule);
    EXPECT_EQ(PatchesCrc(Preprocess(image, config, {.resample = rule})),
              PatchesCrc(CutPatches(resized, config, NormalizeRule::kFast)));
  }
}

TEST(Preprocess, CutsSomeCellsAsTheyAreAmongAll) {
  const Image image = Picture(3 * 28, 4 * 28, 0);
  const Patches all = CutPatches(image, {}, NormalizeRule::kFast);
  const std::vector<int32_t> cells = {0, 5, 6, 11};
  const Patches some = CutPatches(image, {}, NormalizeRule::kFast, cells);
  EXPECT_EQ(all.num_patches(), 48);
  EXPECT_EQ(some.num_patches(), 16);
  EXPECT_EQ(some.grid_h, all.grid_h);
  EXPECT_EQ(some.grid_w, all.grid_w);
  EXPECT_EQ(some.cells, cells);
  const size_t floats = static_cast<size_t>(4 * all.patch_dim);  // of a cell
  ASSERT_EQ(some.values.size(), cells.size() * floats);
  for (size_t i = 0; i < cells.size(); ++i) {
    const float* want = all.values.data() + static_cast<size_t>(cells[i]) * floats;
    EXPECT_TRUE(std::equal(want, want + floats, some.values.data() + i * floats)) << i;
  }
}

TEST(PreprocessDeathTest, RefusesCellsThatAreNotThere) {
  const std::vector<int32_t> cells = {0, 1};
  EXPECT_DEATH(CutPatches(Image(28, 28), {}, NormalizeRule::kFast, cells), "cell 1 of 1");
}

TEST(PreprocessDeathTest, RefusesToCutWhatDoesNotDivide) {
  EXPECT_DEATH(CutPatches(Image(28, 42), {}, NormalizeRule::kFast), "28x42");
}

TEST(Preprocess, NormalisesByTheNamedRule) {
  // The two rules differ in the last bits, so that neither can stand for the other.
  PreprocessorConfig config = {.min_pixels = 1, .max_pixels = 1 << 20};
  const Image image = Picture(28, 28, 0);
  const Patches fast = Preprocess(image, config);
  const Patches slow = Preprocess(image, config, {.normalize = NormalizeRule::kSlow});
  size_t num_differing = 0;
  for (size_t i = 0; i < fast.values.size(); ++i) {
    ASSERT_NEAR(fast.values[i], slow.values[i], 1e-6);
    num_differing += fast.values[i] != slow.values[i] ? 1 : 0;
  }
  EXPECT_GT(num_differing, fast.values.size() / 20);
}

}  // namespace
}  // namespace octavo
