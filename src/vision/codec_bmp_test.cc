#include "vision/codec_bmp.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "octavo/error.h"
#include "testing/damage.h"
#include "testing/error_code.h"
#include "testing/picture.h"

namespace octavo {
namespace {

using testing::Picture;

std::string ReadTestFile(const std::string& name) {
  return ReadFile(std::string(OCTAVO_TEST_DATA_DIR) + "/images/files/" + name, size_t{1} << 20);
}

Image Decode(const std::string& bytes, const DecodeOptions& options = {}) {
  return DecodeBmp(std::as_bytes(std::span(bytes)), "test", options).image;
}

ErrorCode DecodeError(const std::string& bytes, const DecodeOptions& options = {}) {
  return testing::ErrorCodeOf([&] { Decode(bytes, options); });
}

std::string Little(uint64_t value, size_t num_bytes) {
  std::string text;
  for (size_t i = 0; i < num_bytes; ++i) text += static_cast<char>(value >> (8 * i) & 255);
  return text;
}

struct BmpSpec {
  int32_t width = 1;
  int32_t height = 1;
  uint16_t bits = 24;
  uint32_t compression = 0;
  uint32_t header_bytes = 40;
  uint32_t num_colors = 0;
  std::vector<uint32_t> masks = {};
  std::string palette = {};
  std::string pixels = {};
};

std::string MakeBmp(const BmpSpec& spec) {
  std::string header;
  if (spec.header_bytes == 12) {
    header = Little(12, 4) + Little(static_cast<uint64_t>(spec.width), 2) +
             Little(static_cast<uint64_t>(spec.height), 2) + Little(1, 2) + Little(spec.bits, 2);
  } else {
    header = Little(spec.header_bytes, 4) + Little(static_cast<uint32_t>(spec.width), 4) +
             Little(static_cast<uint32_t>(spec.height), 4) + Little(1, 2) + Little(spec.bits, 2) +
             Little(spec.compression, 4) + std::string(12, '\0') + Little(spec.num_colors, 4) +
             Little(0, 4);
    for (const uint32_t mask : spec.masks) header += Little(mask, 4);
    if (header.size() < spec.header_bytes) header.resize(spec.header_bytes, '\0');
  }
  const std::string start = header + spec.palette;
  return "BM" + Little(14 + start.size() + spec.pixels.size(), 4) + Little(0, 4) +
         Little(14 + start.size(), 4) + start + spec.pixels;
}

std::vector<int> Values(const Image& image) { return {image.pixels.begin(), image.pixels.end()}; }

const std::string kTwoColors("\1\2\3\0\7\x8\x9\0", 8);  // blue, green, red

TEST(CodecBmp, ReadsRowsFromTheBottomOrTheTop) {
  const std::string pixels("\1\2\3\0\4\5\6\0", 8);
  EXPECT_EQ(Values(Decode(MakeBmp({.height = 2, .pixels = pixels}))),
            (std::vector<int>{6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(Values(Decode(MakeBmp({.height = -2, .pixels = pixels}))),
            (std::vector<int>{3, 2, 1, 6, 5, 4}));
}

TEST(CodecBmp, ReadsEveryPaletteDepth) {
  // Pixels 0, 1, 1.
  const std::vector<int> wanted = {3, 2, 1, 9, 8, 7, 9, 8, 7};
  const std::pair<uint16_t, std::string> cases[] = {
      {1, std::string("\x60\0\0\0", 4)},
      {2, std::string("\x14\0\0\0", 4)},
      {4, std::string("\x01\x10\0\0", 4)},
      {8, std::string("\0\1\1\0", 4)},
  };
  for (const auto& [bits, pixels] : cases) {
    EXPECT_EQ(
        Values(Decode(MakeBmp(
            {.width = 3, .bits = bits, .num_colors = 2, .palette = kTwoColors, .pixels = pixels}))),
        wanted)
        << bits;
  }
}

TEST(CodecBmp, ReadsTheHeaderOfOs2WithThreeBytesAColour) {
  const std::string bmp = MakeBmp({.width = 2,
                                   .bits = 1,
                                   .header_bytes = 12,
                                   .palette = std::string("\1\2\3\7\x8\x9", 6),
                                   .pixels = std::string("\x40\0\0\0", 4)});
  EXPECT_EQ(Values(Decode(bmp)), (std::vector<int>{3, 2, 1, 9, 8, 7}));
}

TEST(CodecBmp, TakesIndicesBeyondThePaletteAsBlack) {
  const std::string bmp = MakeBmp({.width = 2,
                                   .bits = 8,
                                   .num_colors = 2,
                                   .palette = kTwoColors,
                                   .pixels = std::string("\1\xFF\0\0", 4)});
  EXPECT_EQ(Values(Decode(bmp)), (std::vector<int>{9, 8, 7, 0, 0, 0}));
}

TEST(CodecBmp, ReadsSixteenBitsWithAndWithoutMasks) {
  // 5-5-5: red 31, green 16, blue 0.
  EXPECT_EQ(Values(Decode(MakeBmp({.bits = 16, .pixels = Little(31 << 10 | 16 << 5, 4)}))),
            (std::vector<int>{255, 132, 0}));
  EXPECT_EQ(Values(Decode(MakeBmp({.bits = 16,
                                   .compression = 3,
                                   .masks = {0xF800, 0x07E0, 0x001F},
                                   .pixels = Little(0x801F, 4)}))),
            (std::vector<int>{132, 0, 255}));
}

TEST(CodecBmp, ReadsThirtyTwoBitsOfEveryHeader) {
  const std::string pixel("\1\2\3\x80", 4);
  EXPECT_EQ(Values(Decode(MakeBmp({.bits = 32, .pixels = pixel}))), (std::vector<int>{3, 2, 1}));
  const std::vector<uint32_t> masks = {0xFF, 0xFF00, 0xFF0000, 0xFF000000};
  for (const uint32_t header_bytes : {56u, 108u, 124u}) {
    const std::string bmp = MakeBmp({.bits = 32,
                                     .compression = 3,
                                     .header_bytes = header_bytes,
                                     .masks = masks,
                                     .pixels = pixel});
    EXPECT_EQ(Values(Decode(bmp, {.alpha = AlphaRule::kDrop})), (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(Values(Decode(bmp)), (std::vector<int>{128, 128, 129})) << header_bytes;
  }
  // With the masks of colours only, the fourth byte is nothing.
  EXPECT_EQ(Values(Decode(MakeBmp({.bits = 32,
                                   .compression = 3,
                                   .header_bytes = 52,
                                   .masks = {0xFF, 0xFF00, 0xFF0000},
                                   .pixels = pixel}))),
            (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(Values(Decode(MakeBmp({.bits = 32, .compression = 6, .masks = masks, .pixels = pixel}),
                          {.alpha = AlphaRule::kDrop})),
            (std::vector<int>{1, 2, 3}));
}

TEST(CodecBmp, TakesAlphaThatIsNowhereSetAsAbsent) {
  const BmpSpec spec = {.width = 2,
                        .bits = 32,
                        .compression = 3,
                        .header_bytes = 124,
                        .masks = {0xFF0000, 0xFF00, 0xFF, 0xFF000000},
                        .pixels = std::string("\1\2\3\0\4\5\6\0", 8)};
  EXPECT_EQ(Values(Decode(MakeBmp(spec))), (std::vector<int>{3, 2, 1, 6, 5, 4}));
  BmpSpec one_set = spec;
  one_set.pixels[7] = '\xFF';
  EXPECT_EQ(Values(Decode(MakeBmp(one_set))), (std::vector<int>{255, 255, 255, 6, 5, 4}));
}

TEST(CodecBmp, ReadsRunsOfEightBits) {
  // Bottom row: two of 1, then literals 0 1 0 and padding. Above: a step of one, then one of 1.
  const std::string pixels("\2\1\0\3\0\1\0\0\0\0\0\2\1\0\1\1\0\1", 18);
  const Image image = Decode(MakeBmp({.width = 5,
                                      .height = 2,
                                      .bits = 8,
                                      .compression = 1,
                                      .num_colors = 2,
                                      .palette = kTwoColors,
                                      .pixels = pixels}));
  std::string reds;
  for (size_t i = 0; i < image.pixels.size(); i += 3) reds += image.pixels[i] == 9 ? '1' : '0';
  EXPECT_EQ(reds, "0100011010");
}

TEST(CodecBmp, ReadsRunsOfFourBits) {
  // A run of five of 1 0 1 0 1, then the end of the row; three literals 0 1 1, padded.
  const std::string pixels("\5\x10\0\0\0\3\x01\x10\0\1", 10);
  const Image image = Decode(MakeBmp({.width = 5,
                                      .height = 2,
                                      .bits = 4,
                                      .compression = 2,
                                      .num_colors = 2,
                                      .palette = kTwoColors,
                                      .pixels = pixels}));
  std::string reds;
  for (size_t i = 0; i < image.pixels.size(); i += 3) reds += image.pixels[i] == 9 ? '1' : '0';
  EXPECT_EQ(reds, "0110010101");
}

TEST(CodecBmp, RefusesRunsThatLeaveThePicture) {
  const auto rle = [](const std::string& pixels) {
    return MakeBmp({.width = 2,
                    .height = 1,
                    .bits = 8,
                    .compression = 1,
                    .num_colors = 2,
                    .palette = kTwoColors,
                    .pixels = pixels});
  };
  EXPECT_EQ(Values(Decode(rle(std::string("\2\1\0\1", 4)))).size(), 6u);
  EXPECT_EQ(DecodeError(rle(std::string("\3\1\0\1", 4))), ErrorCode::kDataLoss);
  EXPECT_EQ(DecodeError(rle(std::string("\0\0\1\1\0\1", 6))), ErrorCode::kDataLoss);
  EXPECT_EQ(DecodeError(rle(std::string("\0\2\xFF\xFF\1\1\0\1", 8))), ErrorCode::kDataLoss);
  EXPECT_EQ(DecodeError(rle(std::string("\2\1", 2))), ErrorCode::kDataLoss);
}

TEST(CodecBmp, RefusesFormsThatItDoesNotKnow) {
  EXPECT_EQ(DecodeError(MakeBmp({.bits = 24, .compression = 4})), ErrorCode::kUnsupported);
  EXPECT_EQ(DecodeError(MakeBmp({.bits = 24, .compression = 5})), ErrorCode::kUnsupported);
  EXPECT_EQ(DecodeError(MakeBmp({.bits = 48})), ErrorCode::kUnsupported);
  EXPECT_EQ(DecodeError(MakeBmp({.bits = 8, .compression = 3})), ErrorCode::kUnsupported);
  EXPECT_EQ(DecodeError(MakeBmp({.header_bytes = 200})), ErrorCode::kUnsupported);
  EXPECT_EQ(
      DecodeError(MakeBmp(
          {.bits = 32, .compression = 3, .masks = {0xF0F, 0xF000, 0xF0000}, .pixels = "abcd"})),
      ErrorCode::kDataLoss);
}

TEST(CodecBmp, LimitsPixelsBeforeAllocation) {
  const std::string huge = MakeBmp({.width = 65535, .height = 65535, .pixels = "abcd"});
  EXPECT_EQ(DecodeError(huge), ErrorCode::kResourceExhausted);
  EXPECT_EQ(DecodeError(MakeBmp({.width = 13000, .height = 13000, .pixels = "abcd"})),
            ErrorCode::kDataLoss);
  EXPECT_EQ(DecodeError(MakeBmp({.width = 1, .height = INT32_MIN})), ErrorCode::kResourceExhausted);
  EXPECT_EQ(DecodeError(MakeBmp({.width = -5, .height = 5})), ErrorCode::kDataLoss);
  EXPECT_EQ(DecodeError(MakeBmp({.width = 30,
                                 .height = 30,
                                 .bits = 8,
                                 .compression = 1,
                                 .palette = std::string(1024, '\0')}),
                        {.max_whole_pixels = 899}),
            ErrorCode::kResourceExhausted);
}

TEST(CodecBmp, AveragesWhatIsOverTheLimitDown) {
  const std::string bytes = ReadTestFile("bmp_24.bmp");
  const Image image = Decode(bytes, {.max_decoded_pixels = 16 * 12});
  EXPECT_EQ(image.width, 16);
  EXPECT_EQ(image.height, 12);
}

TEST(CodecBmp, NeverReturnsAPictureOfACutFile) {
  for (const char* name : {"bmp_1bit.bmp", "bmp_24.bmp", "bmp_palette.bmp"}) {
    const std::string bytes = ReadTestFile(name);
    EXPECT_EQ(Decode(bytes).width, 31);
    for (size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_THROW(Decode(testing::CutCopy(bytes, size)), Error) << name << " cut at " << size;
    }
  }
}

TEST(CodecBmp, SurvivesRandomDamage) {
  std::vector<std::string> files = {ReadTestFile("bmp_1bit.bmp"), ReadTestFile("bmp_24.bmp"),
                                    ReadTestFile("bmp_palette.bmp")};
  files.push_back(MakeBmp({.width = 5,
                           .height = 2,
                           .bits = 8,
                           .compression = 1,
                           .num_colors = 2,
                           .palette = kTwoColors,
                           .pixels = std::string("\2\1\0\3\0\1\0\0\0\0\0\2\1\0\1\1\0\1", 18)}));
  for (const std::string& bytes : files) {
    for (uint64_t seed = 0; seed < 500; ++seed) {
      std::string damaged = testing::FlipBytes(bytes, seed);
      if (seed % 2 == 0) damaged = testing::FlipBytes(bytes.substr(0, 64), seed) + bytes.substr(64);
      try {
        Decode(damaged, {.max_pixels = 1 << 20});
      } catch (const Error&) {
      }
    }
  }
}

TEST(CodecBmp, IsToldFromTextThatBeginsWithItsLetters) {
  const auto is_bmp = [](const std::string& bytes) {
    return IsBmp(std::as_bytes(std::span(bytes)));
  };
  EXPECT_TRUE(is_bmp(ReadTestFile("bmp_24.bmp")));
  EXPECT_FALSE(is_bmp("BMW builds cars, and this is a text of them."));
  EXPECT_FALSE(is_bmp("MB"));
}

}  // namespace
}  // namespace octavo
