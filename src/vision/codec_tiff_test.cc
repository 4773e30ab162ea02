#include "vision/codec_tiff.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "octavo/error.h"
#include "testing/damage.h"
#include "testing/error_code.h"
#include "testing/icc_profile.h"
#include "testing/picture.h"
#include "testing/tiff_file.h"
#include "vision/tiff_pages.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using testing::Picture;
using testing::TiffFile;

constexpr TiffFile::Type kShort = TiffFile::kShort;
constexpr TiffFile::Type kLong = TiffFile::kLong;

std::string ReadTestFile(const std::string& name) {
  return ReadFile(std::string(OCTAVO_TEST_DATA_DIR) + "/images/" + name, size_t{1} << 20);
}

DecodedImage Decode(const std::string& bytes, const DecodeOptions& options = {}, size_t page = 0) {
  const auto span = std::as_bytes(std::span(bytes));
  return DecodeTiff(span, ListTiffPages(span, "test").at(page), "test", options);
}

ErrorCode DecodeError(const std::string& bytes, const DecodeOptions& options = {}) {
  return testing::ErrorCodeOf([&] { Decode(bytes, options); }, "test: ");
}

struct TiffSpec {
  uint32_t width = 1;
  uint32_t height = 1;
  uint32_t bits = 8;
  uint32_t num_samples = 1;
  uint32_t photometric = 1;
  uint32_t compression = 1;
  uint32_t rows_per_strip = 1000;
  bool is_big_endian = false;
  bool is_big_tiff = false;
  std::vector<TiffFile::Tag> more = {};  // ascending and above 278
  std::vector<std::string> strips = {};
};

std::vector<TiffFile::Tag> Tags(const TiffSpec& spec) {
  std::vector<TiffFile::Tag> tags = {
      {256, kLong, {spec.width}},
      {257, kLong, {spec.height}},
      {258, kShort, std::vector<uint32_t>(spec.num_samples, spec.bits)},
      {259, kShort, {spec.compression}},
      {262, kShort, {spec.photometric}},
      {277, kShort, {spec.num_samples}},
      {278, kLong, {spec.rows_per_strip}},
  };
  tags.insert(tags.end(), spec.more.begin(), spec.more.end());
  return tags;
}

std::string MakeTiff(const TiffSpec& spec) {
  TiffFile file(spec.is_big_endian, spec.is_big_tiff);
  return file.AddPage(Tags(spec), spec.strips).bytes();
}

std::vector<int> Values(const Image& image) { return {image.pixels.begin(), image.pixels.end()}; }

int MaxDifference(const Image& a, const Image& b) {
  if (a.width != b.width || a.height != b.height) return 1000;
  int largest = 0;
  for (size_t i = 0; i < a.pixels.size(); ++i) {
    largest = std::max(largest, std::abs(int{a.pixels[i]} - int{b.pixels[i]}));
  }
  return largest;
}

// The green channel of the reference picture cut to its highest bits and spread again.
Image GreyPicture(int bits) {
  Image image = Picture(23, 31, 1);
  for (size_t i = 0; i < image.pixels.size(); i += 3) {
    const int largest = (1 << bits) - 1;
    const int kept = image.pixels[i + 1] >> (8 - bits);
    const auto grey = static_cast<uint8_t>((kept * 255 * 2 + largest) / (2 * largest));
    image.pixels[i] = image.pixels[i + 1] = image.pixels[i + 2] = grey;
  }
  return image;
}

TEST(CodecTiff, ReadsEveryCompression) {
  const Image color = Picture(23, 31, 1);
  const Image black_white = GreyPicture(1);
  for (const char* name :
       {"packbits", "lzw_predictor", "deflate_tiles", "lzma", "zstd", "webp_lossless", "lerc"}) {
    const DecodedImage decoded = Decode(ReadTestFile(std::string("cases/") + name + ".tif"));
    EXPECT_EQ(MaxDifference(decoded.image, color), 0) << name;
  }
  EXPECT_EQ(MaxDifference(Decode(ReadTestFile("cases/rle.tif")).image, black_white), 0);
  Image inverted = black_white;
  for (uint8_t& value : inverted.pixels) value = static_cast<uint8_t>(255 - value);
  for (const char* name : {"g3_1d", "g3_2d", "g4_strips"}) {
    const DecodedImage decoded = Decode(ReadTestFile(std::string("cases/") + name + ".tif"));
    EXPECT_EQ(MaxDifference(decoded.image, inverted), 0) << name;
    EXPECT_TRUE(decoded.warnings.empty()) << name;
  }
  // Lossy ones: within what quality 95 costs at hard edges.
  EXPECT_LE(MaxDifference(Decode(ReadTestFile("cases/jpeg_rgb_tiles.tif")).image, color), 60);
  EXPECT_LE(MaxDifference(Decode(ReadTestFile("cases/jpeg_ycbcr.tif")).image, color), 90);
  EXPECT_LE(MaxDifference(Decode(ReadTestFile("cases/jpeg_grey.tif")).image, GreyPicture(8)), 20);
}

TEST(CodecTiff, HandsOverTheOrientation) {
  const DecodedImage decoded = Decode(ReadTestFile("cases/grey4_deflate_orientation6.tif"));
  EXPECT_EQ(decoded.orientation, 6);
  EXPECT_EQ(MaxDifference(decoded.image, GreyPicture(4)), 0);
  EXPECT_EQ(Decode(MakeTiff({.more = {}, .strips = {"a"}})).orientation, 1);
}

TEST(CodecTiff, ReadsBothByteOrdersAndBigTiff) {
  for (const bool is_big_endian : {false, true}) {
    for (const bool is_big_tiff : {false, true}) {
      const TiffFile numbers(is_big_endian);
      const std::string tiff = MakeTiff({.width = 2,
                                         .bits = 16,
                                         .is_big_endian = is_big_endian,
                                         .is_big_tiff = is_big_tiff,
                                         .strips = {numbers.Int(0x8000, 2) + numbers.Int(257, 2)}});
      EXPECT_EQ(Values(Decode(tiff).image), (std::vector<int>{128, 128, 128, 1, 1, 1}));
    }
  }
}

TEST(CodecTiff, ReadsPagesApart) {
  TiffFile file;
  for (int i = 0; i < 3; ++i) {
    file.AddPage(Tags({.width = static_cast<uint32_t>(i + 1)}), {std::string("abc")});
  }
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(Decode(file.bytes(), {}, i).image.width, static_cast<int>(i + 1));
  }
  EXPECT_EQ(MaxDifference(Decode(ReadTestFile("files/tiff_two_pages.tif"), {}, 0).image,
                          Picture(23, 31, 1)),
            0);
  EXPECT_EQ(MaxDifference(Decode(ReadTestFile("files/tiff_two_pages.tif"), {}, 1).image,
                          RotateCounterClockwise(Picture(23, 31, 1), 180)),
            0);
}

TEST(CodecTiff, ReadsThePagesAroundADamagedOne) {
  TiffFile file;
  for (int i = 0; i < 3; ++i) file.AddPage(Tags({}), {std::string(1, static_cast<char>(i))});
  std::string bytes = file.bytes();
  const auto pages = ListTiffPages(std::as_bytes(std::span(bytes)), "test");
  // The second page's width becomes 0.
  bytes.replace(pages[1].offset + 2 + 8, 4, std::string(4, '\0'));
  EXPECT_EQ(Decode(bytes, {}, 0).image.pixels[0], 0);
  EXPECT_THROW(Decode(bytes, {}, 1), Error);
  EXPECT_EQ(Decode(bytes, {}, 2).image.pixels[0], 2);
}

TEST(CodecTiff, ReadsPalettesOfSixteenAndOfEightBits) {
  const auto tiff = [](const std::vector<uint32_t>& map) {
    return MakeTiff({.width = 2,
                     .bits = 1,
                     .photometric = 3,
                     .more = {{320, kShort, map}},
                     .strips = {"\x40"}});
  };
  EXPECT_EQ(Values(Decode(tiff({0, 0xFFFF, 0x8080, 257, 514, 0})).image),
            (std::vector<int>{0, 128, 2, 255, 1, 0}));
  EXPECT_EQ(Values(Decode(tiff({0, 255, 128, 1, 2, 0})).image),
            (std::vector<int>{0, 128, 2, 255, 1, 0}));
}

TEST(CodecTiff, ReadsAlphaAsItIsDeclared) {
  const auto tiff = [](std::vector<TiffFile::Tag> more) {
    return MakeTiff({.num_samples = 4,
                     .photometric = 2,
                     .more = std::move(more),
                     .strips = {std::string("\x40\x20\x10\x80", 4)}});
  };
  const DecodeOptions drop = {.alpha = AlphaRule::kDrop};
  const std::vector<int> straight = {0x40, 0x20, 0x10};
  EXPECT_EQ(Values(Decode(tiff({{338, kShort, {2}}}), drop).image), straight);
  EXPECT_EQ(Values(Decode(tiff({{338, kShort, {2}}})).image), (std::vector<int>{159, 143, 135}));
  EXPECT_EQ(Values(Decode(tiff({{338, kShort, {1}}}), drop).image),
            (std::vector<int>{128, 64, 32}));
  EXPECT_EQ(Values(Decode(tiff({{338, kShort, {1}}})).image), (std::vector<int>{191, 159, 143}));
  EXPECT_EQ(Values(Decode(tiff({{338, kShort, {0}}})).image), straight);  // something else
  EXPECT_EQ(Values(Decode(tiff({})).image), straight);
}

TEST(CodecTiff, ReadsPlanesAndOddDepths) {
  EXPECT_EQ(Values(Decode(MakeTiff({.width = 2,
                                    .num_samples = 3,
                                    .photometric = 2,
                                    .more = {{284, kShort, {2}}},
                                    .strips = {"\1\2", "\3\4", "\5\6"}}))
                       .image),
            (std::vector<int>{1, 3, 5, 2, 4, 6}));
  // Two samples of 12 bits: 0x800, 0xFFF.
  EXPECT_EQ(Values(Decode(MakeTiff({.width = 2, .bits = 12, .strips = {"\x80\x0F\xFF"}})).image),
            (std::vector<int>{128, 128, 128, 255, 255, 255}));
}

TEST(CodecTiff, ReadsUncompressedTilesAtTheEdges) {
  // Two tiles of 16 x 16 for 20 x 3 pixels.
  std::string left;
  std::string right;
  for (int y = 0; y < 16; ++y) {
    for (int x = 0; x < 16; ++x) {
      left += static_cast<char>(10 * y + x);
      right += static_cast<char>(10 * y + x + 16);
    }
  }
  TiffSpec spec = {.width = 20, .height = 3, .strips = {left, right}};
  spec.more = {{322, kLong, {16}}, {323, kLong, {16}}};
  const Image image = Decode(MakeTiff(spec)).image;
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 20; ++x) ASSERT_EQ(image.row(y)[3 * x], 10 * y + x);
  }
}

TEST(CodecTiff, ConvertsSubsampledYCbCrAndLab) {
  // Two by two luma, then Cb and Cr: a neutral picture.
  const std::string tiff = MakeTiff(
      {.width = 2,
       .height = 2,
       .num_samples = 3,
       .photometric = 6,
       .more = {{530, kShort, {2, 2}},
                {532, TiffFile::kRational, {0, 1, 255, 1, 128, 1, 255, 1, 128, 1, 255, 1}}},
       .strips = {std::string("\x10\x20\x30\x40\x80\x80", 6)}});
  EXPECT_EQ(Values(Decode(tiff).image),
            (std::vector<int>{16, 16, 16, 32, 32, 32, 48, 48, 48, 64, 64, 64}));
  // L* 100 and 0, a* and b* 0.
  const Image lab = Decode(MakeTiff({.width = 2,
                                     .num_samples = 3,
                                     .photometric = 8,
                                     .strips = {std::string("\xFF\0\0\0\0\0", 6)}}))
                        .image;
  EXPECT_GE(lab.pixels[1], 250);
  EXPECT_LE(lab.pixels[4], 5);
}

TEST(CodecTiff, AppliesTheProfile) {
  const std::string profile = testing::GreyPressProfile();
  std::vector<uint32_t> values;
  for (const char c : profile) values.push_back(static_cast<unsigned char>(c));
  const std::string tiff = MakeTiff({.num_samples = 4,
                                     .photometric = 5,
                                     .more = {{34675, TiffFile::kUndefined, values}},
                                     .strips = {std::string("\xFF\0\0\0", 4)}});
  EXPECT_NEAR(Decode(tiff).image.pixels[0], 185, 4);
  EXPECT_EQ(Values(Decode(tiff, {.profile = ProfileRule::kIgnore}).image),
            (std::vector<int>{0, 255, 255}));
}

TEST(CodecTiff, RefusesFormsThatItDoesNotRead) {
  EXPECT_EQ(DecodeError(MakeTiff({.compression = 6, .strips = {"a"}})), ErrorCode::kUnsupported);
  EXPECT_EQ(DecodeError(MakeTiff({.compression = 34661, .strips = {"a"}})),
            ErrorCode::kUnsupported);
  EXPECT_EQ(DecodeError(MakeTiff({.compression = 34712, .strips = {"a"}})),
            ErrorCode::kUnsupported);
  EXPECT_EQ(DecodeError(MakeTiff({.photometric = 32803, .strips = {"a"}})),
            ErrorCode::kUnsupported);
  EXPECT_EQ(DecodeError(MakeTiff({.more = {{339, kShort, {2}}}, .strips = {"a"}})),
            ErrorCode::kUnsupported);
  EXPECT_EQ(DecodeError(MakeTiff({.num_samples = 17, .strips = {std::string(17, 'a')}})),
            ErrorCode::kUnsupported);
  EXPECT_EQ(DecodeError(MakeTiff({.photometric = 2, .strips = {"a"}})), ErrorCode::kDataLoss);
  EXPECT_EQ(DecodeError(MakeTiff({.bits = 4, .photometric = 3, .strips = {"a"}})),
            ErrorCode::kDataLoss);
}

TEST(CodecTiff, LimitsPixelsAndBandsBeforeAllocation) {
  EXPECT_EQ(DecodeError(MakeTiff({.width = 65535, .height = 65535, .strips = {"a"}})),
            ErrorCode::kResourceExhausted);
  // A small picture in one tile of many gigabytes.
  TiffSpec spec = {.width = 20, .height = 3, .strips = {"a"}};
  spec.more = {{322, kLong, {65536}}, {323, kLong, {65536}}};
  EXPECT_EQ(DecodeError(MakeTiff(spec)), ErrorCode::kResourceExhausted);
  spec.more = {{322, kLong, {0xFFFFFFF0u}}, {323, kLong, {0xFFFFFFF0u}}};
  EXPECT_NE(DecodeError(MakeTiff(spec)), ErrorCode::kCancelled);
  // Planes of many gigabytes: 16 of 13000 x 13000 samples of 4 bytes in one strip each.
  spec = {.width = 13000, .height = 13000, .bits = 32, .num_samples = 16, .compression = 8};
  spec.rows_per_strip = 13000;
  spec.more = {{284, kShort, {2}}};
  spec.strips = std::vector<std::string>(16, "a");
  EXPECT_EQ(DecodeError(MakeTiff(spec)), ErrorCode::kResourceExhausted);
}

TEST(CodecTiff, ToleratesFewBadLinesOfAFax) {
  const std::string bytes = ReadTestFile("files/tiff_g4.tif");
  int num_warned = 0;
  for (size_t at = 8; at + 1 < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] ^= 0x10;
    try {
      const DecodedImage decoded = Decode(damaged);
      for (const std::string& warning : decoded.warnings) {
        EXPECT_EQ(warning.rfind("image_damaged: ", 0), 0u) << warning;
        ++num_warned;
      }
    } catch (const Error&) {
    }
  }
  EXPECT_GT(num_warned, 0);
}

TEST(CodecTiff, AveragesWhatIsOverTheLimitDown) {
  for (const char* name : {"files/tiff_lzw.tif", "cases/deflate_tiles.tif"}) {
    const DecodedImage decoded = Decode(ReadTestFile(name), {.max_decoded_pixels = 16 * 12});
    EXPECT_EQ(decoded.image.width, 16);
    EXPECT_EQ(decoded.warnings.size(), 1u);
  }
}

std::vector<std::string> AllFiles() {
  std::vector<std::string> files;
  for (const char* folder : {"/images/files", "/images/cases"}) {
    for (const auto& entry : fs::directory_iterator(OCTAVO_TEST_DATA_DIR + std::string(folder))) {
      if (entry.path().extension() == ".tif") files.push_back(ReadFile(entry.path(), 1 << 20));
    }
  }
  return files;
}

// A directory may stand behind the pixels, so that a cut takes it all; or before them.
TEST(CodecTiff, NeverReturnsAPictureOfACutFile) {
  const std::vector<std::string> files = AllFiles();
  EXPECT_EQ(files.size(), 24u);
  for (const std::string& bytes : files) {
    const Image whole = Decode(bytes).image;
    for (size_t size = 0; size < bytes.size(); size += size < 400 ? 1 : 3) {
      try {
        EXPECT_EQ(MaxDifference(Decode(testing::CutCopy(bytes, size)).image, whole), 0) << size;
      } catch (const Error&) {
      }
    }
  }
}

TEST(CodecTiff, SurvivesRandomDamage) {
  for (const std::string& bytes : AllFiles()) {
    for (uint64_t seed = 0; seed < 200; ++seed) {
      try {
        Decode(testing::FlipBytes(bytes, seed), {.max_pixels = 1 << 20});
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace
}  // namespace octavo
