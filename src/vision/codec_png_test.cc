#include "vision/codec_png.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "octavo/error.h"
#include "testing/crc32.h"
#include "testing/damage.h"
#include "testing/error_code.h"
#include "testing/icc_profile.h"
#include "testing/picture.h"

namespace octavo {
namespace {

using testing::Crc32;
using testing::Picture;

std::string ReadTestFile(const std::string& name) {
  return ReadFile(std::string(OCTAVO_TEST_DATA_DIR) + "/images/files/" + name, size_t{1} << 20);
}

Image Decode(const std::string& bytes, const DecodeOptions& options = {}) {
  return DecodePng(std::as_bytes(std::span(bytes)), "test", options).image;
}

ErrorCode DecodeError(const std::string& bytes) {
  return testing::ErrorCodeOf([&] { Decode(bytes); });
}

std::string BigEndian32(uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16),
          static_cast<char>(value >> 8), static_cast<char>(value)};
}

std::string Chunk(const std::string& type_and_data) {
  return BigEndian32(static_cast<uint32_t>(type_and_data.size() - 4)) + type_and_data +
         BigEndian32(Crc32(type_and_data.data(), type_and_data.size()));
}

// zlib data of one stored block.
std::string Stored(const std::string& data) {
  const auto size = static_cast<uint32_t>(data.size());
  uint32_t a = 1;
  uint32_t b = 0;
  for (const char c : data) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  std::string out = {'\x78', '\x01', '\x01'};
  for (const uint32_t value : {size, ~size}) {
    out += static_cast<char>(value & 0xFF);
    out += static_cast<char>(value >> 8 & 0xFF);
  }
  return out + data + BigEndian32(b << 16 | a);
}

struct PngSpec {
  uint32_t width = 1;
  uint32_t height = 1;
  char depth = 8;
  char colour_type = 2;
  bool is_interlaced = false;
  std::string extra = {};  // chunks before the data
  std::string rows = {};   // each with its filter byte
};

std::string MakePng(const PngSpec& spec) {
  std::string header = "IHDR" + BigEndian32(spec.width) + BigEndian32(spec.height);
  header += spec.depth;
  header += spec.colour_type;
  header += std::string("\0\0", 2);
  header += spec.is_interlaced ? '\1' : '\0';
  return "\x89PNG\r\n\x1a\n" + Chunk(header) + spec.extra + Chunk("IDAT" + Stored(spec.rows)) +
         Chunk("IEND");
}

std::vector<int> Values(const Image& image) { return {image.pixels.begin(), image.pixels.end()}; }

TEST(CodecPng, ScalesSixteenBitGreyInsteadOfClippingIt) {
  // The file's values run evenly from 0 to 65535 over 31 x 23 pixels.
  const Image image = Decode(ReadTestFile("png_grey16.png"));
  constexpr int kLast = 31 * 23 - 1;
  for (int i = 0; i <= kLast; ++i) {
    const int stored = i * 65535 / kLast;
    const int wanted = (stored * 255 * 2 + 65535) / (2 * 65535);
    for (int c = 0; c < 3; ++c) {
      ASSERT_EQ(image.pixels[static_cast<size_t>(3 * i + c)], wanted) << i;
    }
  }
}

TEST(CodecPng, ClipsSixteenBitGreyWhereTheReferencesRuleIsAskedFor) {
  for (const bool is_interlaced : {false, true}) {
    // 255, 256 and 7.
    const std::string png = MakePng({.width = 1,
                                     .height = 3,
                                     .depth = 16,
                                     .colour_type = 0,
                                     .is_interlaced = is_interlaced,
                                     .rows = std::string("\0\0\xFF\0\1\0\0\0\7", 9)});
    // Passes of an interlaced picture of one column: row 0, row 2, row 1.
    EXPECT_EQ(Values(Decode(png, {.samples = SampleRule::kAsPillow})),
              is_interlaced ? (std::vector<int>{255, 255, 255, 7, 7, 7, 255, 255, 255})
                            : (std::vector<int>{255, 255, 255, 255, 255, 255, 7, 7, 7}));
  }
}

TEST(CodecPng, AppliesTheProfileUnlessTheFileSaysSrgb) {
  const std::string profile = "iCCPx" + std::string(2, '\0') + Stored(testing::WideRgbProfile());
  const std::string rows("\0\x64\x96\x64", 4);
  const std::vector<int> plain = {100, 150, 100};
  const std::string png = MakePng({.extra = Chunk(profile), .rows = rows});
  EXPECT_NE(Values(Decode(png)), plain);
  EXPECT_EQ(Values(Decode(png, {.profile = ProfileRule::kIgnore})), plain);
  const std::string srgb = Chunk(std::string("sRGB\0", 5));
  EXPECT_EQ(Values(Decode(MakePng({.extra = srgb, .rows = rows}))), plain);
  const std::string broken = Chunk("iCCPx" + std::string(2, '\0') + Stored("no profile"));
  EXPECT_EQ(Values(Decode(MakePng({.extra = broken, .rows = rows}))), plain);
}

TEST(CodecPng, SaysThatItReadsTheFirstFrameOnly) {
  const auto warnings = [](uint32_t num_frames) {
    const std::string control = Chunk("acTL" + BigEndian32(num_frames) + BigEndian32(0));
    const std::string png = MakePng({.extra = control, .rows = std::string("\0\1\2\3", 4)});
    return DecodePng(std::as_bytes(std::span(png)), "test", {}).warnings;
  };
  EXPECT_TRUE(warnings(1).empty());
  ASSERT_EQ(warnings(2).size(), 1u);
  EXPECT_EQ(warnings(2)[0].rfind("first_frame_only: ", 0), 0u);
}

TEST(CodecPng, AveragesWhatIsOverTheLimitDownUnlessInterlaced) {
  for (const char* name : {"png_rgba.png", "png_1bit.png", "png_palette_alpha.png"}) {
    const Image image = Decode(ReadTestFile(name), {.max_decoded_pixels = 16 * 12});
    EXPECT_EQ(image.width, 16) << name;
    EXPECT_EQ(image.height, 12) << name;
  }
  try {
    Decode(ReadTestFile("png_interlaced.png"), {.max_whole_pixels = 31 * 23 - 1});
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kResourceExhausted);
  }
}

TEST(CodecPng, ReadsEverySmallDepthOfGrey) {
  EXPECT_EQ(Values(Decode(MakePng(
                {.width = 2, .depth = 1, .colour_type = 0, .rows = std::string("\0\x40", 2)}))),
            (std::vector<int>{0, 0, 0, 255, 255, 255}));
  EXPECT_EQ(Values(Decode(MakePng(
                {.width = 2, .depth = 2, .colour_type = 0, .rows = std::string("\0\x60", 2)}))),
            (std::vector<int>{85, 85, 85, 170, 170, 170}));
  EXPECT_EQ(Values(Decode(MakePng(
                {.width = 2, .depth = 4, .colour_type = 0, .rows = std::string("\0\x1F", 2)}))),
            (std::vector<int>{17, 17, 17, 255, 255, 255}));
}

TEST(CodecPng, TakesAnIndexedColourAsTransparent) {
  const std::string palette = Chunk(std::string("PLTE\x0A\x14\x1E\x28\x32\x3C", 10));
  const std::string transparency = Chunk(std::string("tRNS\0", 5));
  const std::string png = MakePng({.width = 2,
                                   .depth = 1,
                                   .colour_type = 3,
                                   .extra = palette + transparency,
                                   .rows = std::string("\0\x40", 2)});
  EXPECT_EQ(Values(Decode(png)), (std::vector<int>{255, 255, 255, 40, 50, 60}));
  EXPECT_EQ(Values(Decode(png, {.alpha = AlphaRule::kDrop})),
            (std::vector<int>{10, 20, 30, 40, 50, 60}));
}

TEST(CodecPng, TakesOneGreyLevelAsTransparent) {
  const std::string png = MakePng({.width = 2,
                                   .depth = 2,
                                   .colour_type = 0,
                                   .extra = Chunk(std::string("tRNS\0\1", 6)),
                                   .rows = std::string("\0\x60", 2)});
  EXPECT_EQ(Values(Decode(png)), (std::vector<int>{255, 255, 255, 170, 170, 170}));
}

TEST(CodecPng, ComparesTransparencyBeforeItScalesToEightBits) {
  // 0x8000 is transparent, 0x8001 is not, though both scale to 128.
  const std::string png = MakePng({.width = 2,
                                   .depth = 16,
                                   .colour_type = 0,
                                   .extra = Chunk(std::string("tRNS\x80\0", 6)),
                                   .rows = std::string("\0\x80\0\x80\1", 5)});
  EXPECT_EQ(Values(Decode(png)), (std::vector<int>{255, 255, 255, 128, 128, 128}));
}

TEST(CodecPng, ReadsSixteenBitsWithAlpha) {
  const std::string png = MakePng(
      {.depth = 16, .colour_type = 6, .rows = std::string("\0\0\0\xFF\xFF\x80\x80\x80\x80", 9)});
  // Alpha 128 of 255 over black, white and grey 128.
  EXPECT_EQ(Values(Decode(png)), (std::vector<int>{127, 255, 191}));
}

TEST(CodecPng, ReadsInterlacedAlpha) {
  // Two pixels: the first comes in pass 1, the second in pass 6.
  const std::string png = MakePng({.width = 2,
                                   .colour_type = 6,
                                   .is_interlaced = true,
                                   .rows = std::string("\0\1\2\3\xFF\0\4\5\6\0", 10)});
  EXPECT_EQ(Values(Decode(png)), (std::vector<int>{1, 2, 3, 255, 255, 255}));
  EXPECT_EQ(Values(Decode(png, {.alpha = AlphaRule::kDrop})), (std::vector<int>{1, 2, 3, 4, 5, 6}));
}

TEST(CodecPng, FindsTheOrientationBehindThePixels) {
  const std::string exif("eXIfMM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0\6\0\0\0\0\0\0", 30);
  std::string png = MakePng({.rows = std::string("\0\1\2\3", 4)});
  png.insert(png.size() - 12, Chunk(exif));
  EXPECT_EQ(DecodePng(std::as_bytes(std::span(png)), "test", {}).orientation, 6);
}

TEST(CodecPng, RefusesAClaimThatTheDataCannotHold) {
  const std::string png =
      MakePng({.width = 12000, .height = 12000, .rows = std::string("\0\1\2\3", 4)});
  EXPECT_EQ(DecodeError(png), ErrorCode::kDataLoss);
}

TEST(CodecPng, RefusesMissingRowsAndBadChecksums) {
  EXPECT_EQ(DecodeError(MakePng({.height = 2, .rows = std::string("\0\1\2\3", 4)})),
            ErrorCode::kDataLoss);
  const std::string good = MakePng({.rows = std::string("\0\1\2\3", 4)});
  EXPECT_EQ(Values(Decode(good)), (std::vector<int>{1, 2, 3}));
  std::string bad = good;
  bad[bad.size() - 14] ^= 1;  // CRC of IDAT
  EXPECT_EQ(DecodeError(bad), ErrorCode::kDataLoss);
  std::string text = MakePng({.extra = Chunk("tEXtTitle"), .rows = std::string("\0\1\2\3", 4)});
  EXPECT_EQ(Values(Decode(text)), (std::vector<int>{1, 2, 3}));
  text[text.find("Title")] ^= 1;
  EXPECT_EQ(DecodeError(text), ErrorCode::kDataLoss);
}

TEST(CodecPng, NeverReturnsAPictureOfACutFile) {
  for (const char* name : {"png_rgba.png", "png_interlaced.png", "png_palette_alpha.png",
                           "png_exif6.png", "png_grey16.png"}) {
    const std::string bytes = ReadTestFile(name);
    for (size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_THROW(Decode(testing::CutCopy(bytes, size)), Error) << name << " cut at " << size;
    }
  }
}

TEST(CodecPng, SurvivesRandomDamage) {
  for (const char* name : {"png_rgba.png", "png_interlaced.png", "png_palette_alpha.png",
                           "png_rgb_trns.png", "png_1bit.png", "png_exif6.png"}) {
    const std::string bytes = ReadTestFile(name);
    for (uint64_t seed = 0; seed < 500; ++seed) {
      try {
        Decode(testing::FlipBytes(bytes, seed), {.max_pixels = 1 << 20});
      } catch (const Error&) {
      }
    }
  }
}

TEST(CodecPng, GivesEncodedPicturesBackUnchanged) {
  for (const auto& [h, w] : {std::pair{1, 1}, {1, 200}, {200, 1}, {67, 45}}) {
    for (int kind = 0; kind < 3; ++kind) {
      const Image image = Picture(h, w, kind);
      const std::string bytes = EncodePng(image);
      const Image back = Decode(bytes);
      EXPECT_EQ(back.width, w);
      EXPECT_EQ(back.pixels, image.pixels);
    }
  }
}

}  // namespace
}  // namespace octavo
