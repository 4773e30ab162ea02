// Sizes and resampled bytes of the reference image processors.
#include "base/str_cat.h"
#include "octavo/error.h"
#include "tests/parity/parity.h"
#include "tests/testing/crc32.h"
#include "tests/testing/picture.h"
#include "vision/preprocess.h"

namespace octavo::parity {
namespace {

void CheckSmartResize(const nlohmann::json& table, Report* report) {
  for (const auto& row : table.at("rows")) {
    PreprocessorConfig config;
    config.min_pixels = row.at("min").get<int64_t>();
    config.max_pixels = row.at("max").get<int64_t>();
    const int h = row.at("h").get<int>();
    const int w = row.at("w").get<int>();
    const std::string what =
        StrCat("smart_resize ", h, "x", w, " in ", config.min_pixels, "..", config.max_pixels);
    const bool is_size = row.contains("H");
    const ImageSize expected =
        is_size ? ImageSize{row.at("W").get<int>(), row.at("H").get<int>()} : ImageSize{};
    try {
      const ImageSize got = SmartResize(w, h, config);
      report->Check(is_size && got == expected, what,
                    is_size ? StrCat(got.height, "x", got.width, ", expected ", expected.height,
                                     "x", expected.width)
                            : StrCat(got.height, "x", got.width, ", the reference refuses"));
    } catch (const Error& error) {
      report->Check(!is_size, what, StrCat("refused: ", error.what()));
    }
  }
}

void CheckResize(const nlohmann::json& table, Report* report) {
  const std::pair<const char*, ResampleRule> rules[] = {
      {"torchvision", ResampleRule::kTorchvision},
      {"pillow_horizontal_first", ResampleRule::kPillowHorizontalFirst},
      {"pillow13", ResampleRule::kPillow13},
  };
  for (const auto& [name, entry] : table.at("cases").items()) {
    const auto source = entry.at("source").get<std::array<int, 2>>();
    const auto target = entry.at("target").get<std::array<int, 2>>();
    const Image picture =
        testing::Picture(source[0], source[1], entry.at("picture_kind").get<int>());
    for (const auto& [rule_name, rule] : rules) {
      const Image resized = Resize(picture, target[1], target[0], rule);
      const std::string crc = testing::Crc32Hex(resized.pixels.data(), resized.pixels.size());
      const std::string expected = entry.at("crc32").at(rule_name).get<std::string>();
      report->Check(crc == expected, StrCat("resize ", name, " ", rule_name),
                    StrCat("CRC-32 ", crc, ", expected ", expected));
    }
  }
}

}  // namespace

void CheckImages(const std::filesystem::path& folder, Report* report) {
  CheckSmartResize(ReadJson(folder / "images" / "smart_resize.json"), report);
  CheckResize(ReadJson(folder / "images" / "resize.json"), report);
}

}  // namespace octavo::parity
