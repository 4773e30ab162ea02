// Sizes and resampled bytes of the reference image processors, decoded files of six formats under
// the references' rules and octavo's own, the client's layout pictures and prepared crops.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/file.h"
#include "base/str_cat.h"
#include "document/crops.h"
#include "octavo/error.h"
#include "tests/parity/parity.h"
#include "tests/testing/crc32.h"
#include "tests/testing/picture.h"
#include "vision/image_codec.h"
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

Image ToImage(const StoredTensor& tensor) {
  Image image(static_cast<int>(tensor.shape[1]), static_cast<int>(tensor.shape[0]));
  std::copy(tensor.bytes.begin(), tensor.bytes.end(), image.pixels.begin());
  return image;
}

// Decoders of lossy formats may round differently; others may not differ at all.
constexpr int kLossyBound = 3;

void CheckPixels(const std::string& what, const Image& got, const Image& expected, int bound,
                 Report* report) {
  if (got.width != expected.width || got.height != expected.height) {
    report->Check(false, what,
                  StrCat(got.width, "x", got.height, " pixels, expected ", expected.width, "x",
                         expected.height));
    return;
  }
  int largest = 0;
  for (size_t i = 0; i < got.pixels.size(); ++i) {
    largest = std::max(largest, std::abs(int{got.pixels[i]} - int{expected.pixels[i]}));
  }
  report->Check(largest <= bound, what, StrCat("differs by ", largest, ", allowed ", bound));
}

// What octavo makes of the files whose 16-bit or float samples the references lose: a ramp over
// the whole range, scaled and rounded.
Image ScaledRamp(int width, int height) {
  Image image(width, height);
  const int last = width * height - 1;
  for (int i = 0; i <= last; ++i) {
    const int stored = i * 65535 / last;
    std::memset(image.pixels.data() + 3 * i, (stored + 128) / 257, 3);
  }
  return image;
}

// Every file under three rules of the references and the product's own.
void CheckFiles(const std::filesystem::path& folder, Report* report) {
  constexpr SampleRule kPillow = SampleRule::kAsPillow;
  constexpr ProfileRule kNoProfile = ProfileRule::kIgnore;
  const DecodeOptions client = {.alpha = AlphaRule::kDrop,
                                .samples = kPillow,
                                .profile = kNoProfile,
                                .apply_exif_orientation = false};
  DecodeOptions transformers = client;
  transformers.alpha = AlphaRule::kOnWhite;
  DecodeOptions transposed = client;
  transposed.apply_exif_orientation = true;

  const StoredTensors pixels(folder / "files.safetensors");
  const nlohmann::json files = ReadJson(folder / "files.json").at("files");
  report->Check(!files.empty(), "decode", "no file is listed");
  for (const auto& [name, row] : files.items()) {
    const std::string bytes = ReadFile(folder / row.at("file").get<std::string>(), size_t{1} << 20);
    const int bound = row.at("lossless").get<bool>() ? 0 : kLossyBound;
    const Image as_client = ToImage(pixels.Get(name + ".client_rgb"));
    const bool is_opaque = row.at("transformers_rgb_equal").get<bool>();
    const bool is_upright = row.at("exif_transposed_equal").get<bool>();
    const Image on_white = is_opaque ? as_client : ToImage(pixels.Get(name + ".transformers_rgb"));
    const Image upright =
        is_upright ? as_client : ToImage(pixels.Get(name + ".exif_transposed_rgb"));
    const bool is_ramp = name.find("grey16") != std::string::npos || name == "tiff_float.tif";
    const Image product = is_ramp      ? ScaledRamp(as_client.width, as_client.height)
                          : is_upright ? on_white
                                       : upright;
    const auto check = [&](const char* rule, const DecodeOptions& options, const Image& expected) {
      const std::string what = StrCat("decode ", name, " ", rule);
      try {
        const Image got = DecodeImage(std::as_bytes(std::span(bytes)), name, options);
        CheckPixels(what, got, expected, bound, report);
      } catch (const Error& error) {
        report->Check(false, what, StrCat("refused: ", error.what()));
      }
    };
    check("client", client, as_client);
    check("transformers", transformers, on_white);
    check("transposed", transposed, upright);
    check("product", {}, product);
  }
}

void CheckClientSteps(const std::filesystem::path& folder, Report* report) {
  const nlohmann::json steps = ReadJson(folder / "client_steps.json");
  const int kind = steps.at("picture_kind").get<int>();
  const auto check = [&](const char* step, const nlohmann::json& row, const auto& prepare) {
    const int h = row.at("h").get<int>();
    const int w = row.at("w").get<int>();
    const Image got = prepare(testing::Picture(h, w, kind));
    const std::string crc = testing::Crc32Hex(got.pixels.data(), got.pixels.size());
    const std::string expected = row.at("crc32").get<std::string>();
    report->Check(crc == expected && got.width == row.at("W") && got.height == row.at("H"),
                  StrCat(step, " ", h, "x", w),
                  StrCat(got.height, "x", got.width, " CRC-32 ", crc, ", expected ",
                         row.at("H").get<int>(), "x", row.at("W").get<int>(), " ", expected));
  };
  for (const auto& row : steps.at("crops")) check("client crop", row, PadAndEnlarge);
  for (const auto& row : steps.at("layout_1036")) {
    check("layout picture", row, [](const Image& page) { return LayoutPicture(page); });
  }
}

}  // namespace

void CheckImages(const std::filesystem::path& folder, Report* report) {
  CheckSmartResize(ReadJson(folder / "images" / "smart_resize.json"), report);
  CheckResize(ReadJson(folder / "images" / "resize.json"), report);
  CheckFiles(folder / "images", report);
  CheckClientSteps(folder / "images", report);
}

}  // namespace octavo::parity
