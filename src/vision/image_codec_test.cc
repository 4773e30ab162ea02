#include "vision/image_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/memory_info.h"
#include "octavo/error.h"
#include "testing/crc32.h"
#include "testing/error_code.h"
#include "testing/picture.h"
#include "testing/tiff_file.h"

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
  return testing::ErrorCodeOf([&] { Decode(bytes, options); }, "test: ");
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

std::string Number(uint64_t value, size_t num_bytes, bool is_big_endian) {
  std::string text;
  for (size_t i = 0; i < num_bytes; ++i) {
    text += static_cast<char>(value >> 8 * (is_big_endian ? num_bytes - 1 - i : i) & 255);
  }
  return text;
}

std::string PngChunk(const std::string& type_and_data) {
  return Number(type_and_data.size() - 4, 4, true) + type_and_data +
         Number(testing::Crc32(type_and_data.data(), type_and_data.size()), 4, true);
}

// Of grey pixels of this depth.
std::string PngOf(uint32_t width, uint32_t height, char depth, const std::string& deflated) {
  return "\x89PNG\r\n\x1a\n" +
         PngChunk("IHDR" + Number(width, 4, true) + Number(height, 4, true) + depth +
                  std::string(4, '\0')) +
         PngChunk("IDAT" + deflated) + PngChunk("IEND");
}

// Files of a few hundred bytes whose headers name a picture of these sides.
std::vector<std::string> HeadersOf(uint32_t side) {
  std::string jpeg = ReadTestFile("files/jpeg_444.jpg");
  jpeg.replace(jpeg.find("\xFF\xC0") + 5, 4, Number(side, 2, true) + Number(side, 2, true));
  std::string gif = ReadTestFile("files/gif_static.gif");
  const std::string sides = Number(side, 2, false) + Number(side, 2, false);
  gif.replace(6, 4, sides);
  gif.replace(gif.find(std::string(",\0\0\0\0", 5)) + 5, 4, sides);
  std::string bmp = ReadTestFile("files/bmp_24.bmp");
  bmp.replace(18, 8, Number(side, 4, false) + Number(side, 4, false));
  testing::TiffFile tiff;
  tiff.AddPage({{256, testing::TiffFile::kLong, {side}},
                {257, testing::TiffFile::kLong, {side}},
                {258, testing::TiffFile::kShort, {8}},
                {259, testing::TiffFile::kShort, {8}},
                {262, testing::TiffFile::kShort, {1}},
                {277, testing::TiffFile::kShort, {1}},
                {278, testing::TiffFile::kLong, {side}}},
               {"x\x9C"});
  const uint32_t webp_side = std::min<uint32_t>(side, 16384) - 1;
  const std::string webp = "RIFF" + Number(42, 4, false) + "WEBPVP8L" + Number(30, 4, false) +
                           "\x2F" + Number(webp_side | uint64_t{webp_side} << 14, 4, false) +
                           std::string(25, '\0');
  return {PngOf(side, side, 8, "x\x9C"),
          jpeg,
          gif,
          bmp,
          tiff.bytes(),
          webp,
          "P6 " + std::to_string(side) + " " + std::to_string(side) + " 255\n"};
}

// How much more memory was in use at some time while `work` ran.
template <typename Work>
int64_t PeakRise(const Work& work) {
  ResetPeakResidentBytes();
  const int64_t before = PeakResidentBytes();
  work();
  return PeakResidentBytes() - before;
}

constexpr int64_t kMegabyte = 1 << 20;

TEST(ImageCodec, RefusesBombsOfEveryFormatWithoutTakingMemory) {
  for (const std::string& bytes : HeadersOf(65500)) {
    SCOPED_TRACE(SniffImageFormat(std::as_bytes(std::span(bytes))));
    const int64_t rise =
        PeakRise([&] { EXPECT_EQ(DecodeError(bytes), ErrorCode::kResourceExhausted); });
    EXPECT_LT(rise, 64 * kMegabyte);
  }
}

// Within the limit, but with no pixels behind the header: memory is taken as rows come.
TEST(ImageCodec, TakesNoMemoryForPixelsThatAreNotThere) {
  for (const std::string& bytes : HeadersOf(8000)) {
    const std::string_view format = SniffImageFormat(std::as_bytes(std::span(bytes)));
    SCOPED_TRACE(format);
    // These can only be read whole.
    const ErrorCode expected =
        format == "webp" || format == "gif" ? ErrorCode::kResourceExhausted : ErrorCode::kDataLoss;
    const int64_t rise = PeakRise([&] { EXPECT_EQ(DecodeError(bytes), expected); });
    EXPECT_LT(rise, 64 * kMegabyte);
  }
}

std::string TiffOfBits(uint32_t width, uint32_t height, uint32_t num_samples, uint32_t bits) {
  testing::TiffFile tiff;
  tiff.AddPage({{256, testing::TiffFile::kLong, {width}},
                {257, testing::TiffFile::kLong, {height}},
                {258, testing::TiffFile::kShort, std::vector<uint32_t>(num_samples, bits)},
                {259, testing::TiffFile::kShort, {1}},
                {262, testing::TiffFile::kShort, {1}},
                {277, testing::TiffFile::kShort, {num_samples}},
                {278, testing::TiffFile::kLong, {height}}},
               {"a"});
  return tiff.bytes();
}

// Few pixels as their limit goes, but rows of gigabytes, which are held whole.
TEST(ImageCodec, RefusesRowsBeyondAnyScanner) {
  constexpr uint32_t kSide = 1 << 29;
  for (const std::string& bytes :
       {TiffOfBits(kSide, 1, 1, 1), TiffOfBits(kSide, 1, 10, 1), TiffOfBits(1, kSide, 1, 1),
        PngOf(kSide, 1, 1, "x\x9C"), std::string("P6 536870912 1 255\n")}) {
    const int64_t rise =
        PeakRise([&] { EXPECT_EQ(DecodeError(bytes), ErrorCode::kResourceExhausted); });
    EXPECT_LT(rise, 64 * kMegabyte);
  }
}

TEST(ImageCodec, HoldsTheLongestRowsInLittleMemory) {
  const std::string bytes = TiffOfBits(1 << 20, 512, 16, 64);
  const int64_t rise = PeakRise([&] { EXPECT_NE(DecodeError(bytes), ErrorCode::kCancelled); });
  EXPECT_LT(rise, 64 * kMegabyte);
}

// A canvas of 13000 x 13000 pixels of which the only frame fills one.
std::string GifOfEmptyCanvas() {
  return "GIF89a" + Number(13000, 2, false) + Number(13000, 2, false) +
         std::string("\x80\0\0\0\0\0\xFF\xFF\xFF,\0\0\0\0\1\0\1\0\0\2\2\x44\1\0;", 25);
}

// A PPM, so that the file is as large as its pixels.
std::string PpmOf(int side, const std::function<int(int x, int y)>& grey) {
  std::string bytes = "P6 " + std::to_string(side) + " " + std::to_string(side) + " 255\n";
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) bytes.append(3, static_cast<char>(grey(x, y)));
  }
  return bytes;
}

TEST(ImageCodec, GivesFewPixelsForNothing) {
  const std::string gif = GifOfEmptyCanvas();
  Image image;
  const int64_t rise = PeakRise([&] { image = Decode(gif); });
  EXPECT_EQ(image.width, 3250);
  EXPECT_LT(rise, 64 * kMegabyte);
  // Many bytes that show nothing: paper with its noise, seen at half its size.
  const std::string paper = PpmOf(4000, [](int x, int y) { return 230 + (x * 7 + y * 13) % 16; });
  EXPECT_EQ(Decode(paper).width, 2000);
}

TEST(ImageCodec, GivesAPictureThePixelsThatItsContentsNeed) {
  const auto lines = [](int x, int) { return x % 400 == 0 ? 0 : 255; };
  EXPECT_EQ(Decode(PpmOf(4000, lines)).width, 4000);
  const auto few_lines = [](int x, int) { return x % 2000 == 0 ? 0 : 255; };
  EXPECT_EQ(Decode(PpmOf(4000, few_lines)).width, 2000);
  EXPECT_EQ(Decode(PpmOf(4000, lines), {.max_decoded_pixels = 1'000'000}).width, 1000);
}

TEST(ImageCodec, StopsWhenItIsCancelled) {
  DecodeOptions options;
  options.is_cancelled = [] { return true; };
  EXPECT_EQ(testing::ErrorCodeOf([&] { Decode(GifOfEmptyCanvas(), options); }, ""),
            ErrorCode::kCancelled);
}

TEST(ImageCodec, HoldsNoMoreThanTheResultOfAPictureThatItReduces) {
  // 8000 x 8000 of 1 bit, stored: 192 MB as RGB.
  std::string rows;
  for (int y = 0; y < 8000; ++y) rows += std::string(1, '\0') + std::string(1000, '\x55');
  std::string deflated = "\x78\x01";
  uint32_t a = 1;
  uint32_t b = 0;
  for (const char c : rows) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  for (size_t at = 0; at < rows.size(); at += 65535) {
    const std::string block = rows.substr(at, 65535);
    deflated += at + block.size() == rows.size() ? '\1' : '\0';
    deflated += Number(block.size(), 2, false) + Number(~block.size(), 2, false) + block;
  }
  deflated += Number(b << 16 | a, 4, true);
  const std::string png = PngOf(8000, 8000, 1, deflated);
  Image image;
  const int64_t rise = PeakRise([&] { image = Decode(png, {.max_decoded_pixels = 1000 * 1000}); });
  EXPECT_EQ(image.width, 1000);
  EXPECT_EQ(image.pixels[0], 128);
  EXPECT_LT(rise, 32 * kMegabyte);
}

}  // namespace
}  // namespace octavo
