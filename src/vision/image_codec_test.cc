#include "vision/image_codec.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/json.h"
#include "octavo/error.h"
#include "testing/crc32.h"
#include "testing/picture.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using testing::Crc32Hex;
using testing::Picture;

fs::path DataPath(const std::string& name) {
  return fs::path(OCTAVO_TEST_DATA_DIR) / "images" / name;
}

std::string ReadTestFile(const std::string& name) {
  return ReadFile(DataPath(name), size_t{1} << 20);
}

Image Decode(const std::string& bytes, const DecodeOptions& options = {}) {
  return DecodeImage(std::as_bytes(std::span(bytes)), "test", options);
}

ErrorCode DecodeError(const std::string& bytes, const DecodeOptions& options = {}) {
  try {
    Decode(bytes, options);
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).rfind("test: ", 0), 0u) << error.what();
    return error.code();
  }
  ADD_FAILURE() << "accepted";
  return ErrorCode::kCancelled;
}

// The client's rule: alpha dropped, EXIF ignored.
constexpr DecodeOptions kClientRule = {.alpha = AlphaRule::kDrop, .apply_exif_orientation = false};
// transformers' rule: alpha on white, EXIF ignored.
constexpr DecodeOptions kTransformersRule = {.alpha = AlphaRule::kOnWhite,
                                             .apply_exif_orientation = false};
constexpr DecodeOptions kTransposedRule = {.alpha = AlphaRule::kDrop,
                                           .apply_exif_orientation = true};

// Pictures of the reference: files.safetensors, all U8 [height, width, 3].
class ReferencePixels {
 public:
  ReferencePixels() : bytes_(ReadTestFile("files.safetensors")) {
    uint64_t header_bytes = 0;
    std::memcpy(&header_bytes, bytes_.data(), sizeof(header_bytes));
    header_ = ParseJson(std::string_view(bytes_).substr(8, header_bytes), "files.safetensors");
    data_ = bytes_.data() + 8 + header_bytes;
  }

  Image Get(const std::string& name) const {
    const nlohmann::json& entry = header_.at(name);
    Image image(entry["shape"][1], entry["shape"][0]);
    std::memcpy(image.pixels.data(), data_ + entry["data_offsets"][0].get<size_t>(),
                image.pixels.size());
    return image;
  }

 private:
  std::string bytes_;
  nlohmann::json header_;
  const char* data_ = nullptr;
};

int MaxDifference(const Image& a, const Image& b) {
  if (a.width != b.width || a.height != b.height) return 1000;
  int largest = 0;
  for (size_t i = 0; i < a.pixels.size(); ++i) {
    largest = std::max(largest, std::abs(int{a.pixels[i]} - int{b.pixels[i]}));
  }
  return largest;
}

// Decoders of lossy formats may round differently.
constexpr int kLossyTolerance = 3;

TEST(ImageCodec, HasThePixelsOfTheReferenceUnderAllThreeRules) {
  const ReferencePixels reference;
  const nlohmann::json files = ParseJson(ReadTestFile("files.json"), "files.json")["files"];
  int num_checked = 0;
  for (const auto& [name, row] : files.items()) {
    if (row["format"] != "PNG" && row["format"] != "JPEG") continue;
    if (name == "png_grey16.png") continue;  // the reference loses it: see codec_png_test
    SCOPED_TRACE(name);
    const std::string bytes = ReadTestFile("files/" + name);
    const int tolerance = row["lossless"].get<bool>() ? 0 : kLossyTolerance;
    const Image client = reference.Get(name + ".client_rgb");
    EXPECT_LE(MaxDifference(Decode(bytes, kClientRule), client), tolerance);
    const Image on_white = row["transformers_rgb_equal"].get<bool>()
                               ? client
                               : reference.Get(name + ".transformers_rgb");
    EXPECT_LE(MaxDifference(Decode(bytes, kTransformersRule), on_white), tolerance);
    const Image upright = row["exif_transposed_equal"].get<bool>()
                              ? client
                              : reference.Get(name + ".exif_transposed_rgb");
    EXPECT_LE(MaxDifference(Decode(bytes, kTransposedRule), upright), tolerance);
    ++num_checked;
  }
  EXPECT_EQ(num_checked, 26);
}

TEST(ImageCodec, RefusesEveryBrokenFileAndAcceptsTheControl) {
  int num_files = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(OCTAVO_TEST_DATA_DIR) / "broken/image")) {
    ++num_files;
    const std::string bytes = ReadFile(entry.path(), 1 << 20);
    SCOPED_TRACE(entry.path().filename());
    if (entry.path().filename() == "png_named.jpg") {
      EXPECT_EQ(MaxDifference(Decode(bytes), Decode(ReadTestFile("files/png_rgb.png"))), 0);
      continue;
    }
    const ErrorCode code = DecodeError(bytes);
    if (entry.path().filename() == "text.png") {
      EXPECT_EQ(code, ErrorCode::kUnsupported);
    } else if (entry.path().filename() == "huge_claim_good_crc.png") {
      EXPECT_EQ(code, ErrorCode::kResourceExhausted);
    } else {
      EXPECT_EQ(code, ErrorCode::kDataLoss);
    }
  }
  EXPECT_EQ(num_files, 9);
}

TEST(ImageCodec, SniffsByContent) {
  const auto sniff = [](const std::string& bytes) {
    return SniffImageFormat(std::as_bytes(std::span(bytes)));
  };
  EXPECT_EQ(sniff(ReadTestFile("files/png_rgb.png")), "png");
  EXPECT_EQ(sniff(ReadTestFile("files/jpeg_444.jpg")), "jpeg");
  EXPECT_EQ(sniff("P6\n1 1\n255\nabc"), "ppm");
  EXPECT_EQ(sniff("P60"), "");
  EXPECT_EQ(sniff("%PDF-1.7"), "");
  EXPECT_EQ(sniff(""), "");
  EXPECT_EQ(sniff("\x89PNG\r\n\x1a"), "");
  EXPECT_EQ(sniff("\xFF\xD8"), "");
}

TEST(ImageCodec, LimitsPixelsBeforeDecoding) {
  for (const char* name : {"files/png_rgb.png", "files/png_interlaced.png", "files/jpeg_444.jpg"}) {
    const std::string bytes = ReadTestFile(name);  // 31 x 23
    EXPECT_NO_THROW(Decode(bytes, {.max_pixels = 31 * 23})) << name;
    EXPECT_EQ(DecodeError(bytes, {.max_pixels = 31 * 23 - 1}), ErrorCode::kResourceExhausted);
  }
}

}  // namespace
}  // namespace octavo
