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

// The references take neither profiles nor 16-bit samples as octavo does.
DecodeOptions ReferenceRule(AlphaRule alpha, bool apply_exif_orientation) {
  return {.alpha = alpha,
          .samples = SampleRule::kAsPillow,
          .profile = ProfileRule::kIgnore,
          .apply_exif_orientation = apply_exif_orientation};
}

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
    SCOPED_TRACE(name);
    const std::string bytes = ReadTestFile("files/" + name);
    const int tolerance = row["lossless"].get<bool>() ? 0 : kLossyTolerance;
    const Image client = reference.Get(name + ".client_rgb");
    EXPECT_LE(MaxDifference(Decode(bytes, ReferenceRule(AlphaRule::kDrop, false)), client),
              tolerance);
    const Image on_white = row["transformers_rgb_equal"].get<bool>()
                               ? client
                               : reference.Get(name + ".transformers_rgb");
    EXPECT_LE(MaxDifference(Decode(bytes, ReferenceRule(AlphaRule::kOnWhite, false)), on_white),
              tolerance);
    const Image upright = row["exif_transposed_equal"].get<bool>()
                              ? client
                              : reference.Get(name + ".exif_transposed_rgb");
    EXPECT_LE(MaxDifference(Decode(bytes, ReferenceRule(AlphaRule::kDrop, true)), upright),
              tolerance);
    ++num_checked;
  }
  EXPECT_EQ(num_checked, 46);
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
  EXPECT_EQ(sniff(ReadTestFile("files/webp_lossy.webp")), "webp");
  EXPECT_EQ(sniff(ReadTestFile("files/tiff_g4.tif")), "tiff");
  EXPECT_EQ(sniff(ReadTestFile("files/gif_static.gif")), "gif");
  EXPECT_EQ(sniff(ReadTestFile("files/bmp_24.bmp")), "bmp");
  EXPECT_EQ(sniff("P6\n1 1\n255\nabc"), "ppm");
  EXPECT_EQ(sniff("P60"), "");
  EXPECT_EQ(sniff("%PDF-1.7"), "");
  EXPECT_EQ(sniff(""), "");
  EXPECT_EQ(sniff("\x89PNG\r\n\x1a"), "");
  EXPECT_EQ(sniff("\xFF\xD8"), "");
}

TEST(ImageCodec, LimitsPixelsBeforeDecoding) {
  for (const char* name :
       {"files/png_rgb.png", "files/png_interlaced.png", "files/jpeg_444.jpg",
        "files/webp_lossless.webp", "files/webp_animated.webp", "files/tiff_rgb.tif",
        "files/tiff_g4.tif", "files/gif_static.gif", "files/bmp_24.bmp"}) {
    const std::string bytes = ReadTestFile(name);  // 31 x 23
    EXPECT_NO_THROW(Decode(bytes, {.max_pixels = 31 * 23})) << name;
    EXPECT_EQ(DecodeError(bytes, {.max_pixels = 31 * 23 - 1}), ErrorCode::kResourceExhausted);
  }
}

TEST(ImageCodec, ReadsTheSamePictureUnderAnyNameAndInEveryLosslessFormat) {
  const Image picture = Picture(23, 31, 1);
  for (const char* name : {"files/png_rgb.png", "files/webp_lossless.webp", "files/tiff_lzw.tif",
                           "files/bmp_24.bmp"}) {
    EXPECT_EQ(MaxDifference(Decode(ReadTestFile(name)), picture), 0) << name;
  }
}

TEST(ImageCodec, TurnsPicturesUprightInEveryFormatThatSaysHow) {
  // What all but tag 6 of TIFF stands for was checked against the reference above.
  const std::string tiff = ReadTestFile("cases/grey4_deflate_orientation6.tif");
  const Image stored = Decode(tiff, {.apply_exif_orientation = false});
  const Image upright = Decode(tiff);
  EXPECT_EQ(stored.width, 31);
  EXPECT_EQ(MaxDifference(upright, RotateCounterClockwise(stored, 270)), 0);
}

TEST(ImageCodec, ListsAndDecodesPages) {
  const auto list = [](const std::string& bytes) {
    return ListImagePages(std::as_bytes(std::span(bytes)), "test");
  };
  EXPECT_EQ(list(ReadTestFile("files/png_rgb.png")).size(), 1u);
  EXPECT_EQ(list(ReadTestFile("files/gif_animated.gif")).size(), 1u);
  const std::string tiff = ReadTestFile("files/tiff_two_pages.tif");
  const auto pages = list(tiff);
  ASSERT_EQ(pages.size(), 2u);
  const DecodedPicture second = DecodeImagePage(std::as_bytes(std::span(tiff)), pages[1], "test");
  EXPECT_EQ(MaxDifference(second.image, RotateCounterClockwise(Picture(23, 31, 1), 180)), 0);
  EXPECT_TRUE(second.warnings.empty());
  EXPECT_THROW(DecodeImagePage(std::as_bytes(std::span(tiff)), {12345678}, "test"), Error);
}

TEST(ImageCodec, HandsWarningsOver) {
  for (const char* name : {"files/gif_animated.gif", "files/webp_animated.webp"}) {
    const std::string bytes = ReadTestFile(name);
    const DecodedPicture picture = DecodeImagePage(std::as_bytes(std::span(bytes)), {}, "test");
    ASSERT_EQ(picture.warnings.size(), 1u) << name;
    EXPECT_EQ(picture.warnings[0].rfind("first_frame_only: ", 0), 0u);
  }
}

TEST(ImageCodec, SaysWhatItFoundInsteadOfAPicture) {
  const auto message = [](const std::string& bytes) -> std::string {
    try {
      Decode(bytes);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message(std::string("\0\0\0\x18"
                                "ftypheic",
                                12)),
            "test: unsupported_media: found HEIC picture, expected PNG, JPEG, WebP, TIFF, GIF, BMP "
            "or PPM");
  EXPECT_EQ(message("\1\2\3").find("test: unsupported_media: found no known file type"), 0u);
  EXPECT_EQ(message("").find("test: empty_file: "), 0u);
}

}  // namespace
}  // namespace octavo
