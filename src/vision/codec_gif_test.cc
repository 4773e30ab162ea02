#include "vision/codec_gif.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "octavo/error.h"
#include "testing/damage.h"
#include "testing/error_code.h"

namespace octavo {
namespace {

std::string ReadTestFile(const std::string& name) {
  return ReadFile(std::string(OCTAVO_TEST_DATA_DIR) + "/images/files/" + name, size_t{1} << 20);
}

DecodedImage Decode(const std::string& bytes, const DecodeOptions& options = {}) {
  return DecodeGif(std::as_bytes(std::span(bytes)), "test", options);
}

ErrorCode DecodeError(const std::string& bytes, const DecodeOptions& options = {}) {
  return testing::ErrorCodeOf([&] { Decode(bytes, options); });
}

std::string Little16(int value) {
  return {static_cast<char>(value & 255), static_cast<char>(value >> 8)};
}

// LZW of 8-bit indices without any compression: a clear code before the table grows to 10 bits.
std::string Lzw(const std::string& indices) {
  std::vector<int> codes;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (i % 200 == 0) codes.push_back(256);
    codes.push_back(static_cast<unsigned char>(indices[i]));
  }
  codes.push_back(257);
  std::string data;
  int bits = 0;
  int num_bits = 0;
  for (const int code : codes) {
    bits |= code << num_bits;
    for (num_bits += 9; num_bits >= 8; num_bits -= 8, bits >>= 8) {
      data += static_cast<char>(bits & 255);
    }
  }
  data += static_cast<char>(bits & 255);
  std::string blocks = "\x08";
  for (size_t at = 0; at < data.size(); at += 255) {
    const std::string block = data.substr(at, 255);
    blocks += static_cast<char>(block.size()) + block;
  }
  return blocks + std::string(1, '\0');
}

struct Frame {
  int left = 0;
  int top = 0;
  int width = 1;
  int height = 1;
  bool is_interlaced = false;
  int transparent = -1;
  std::string palette = {};  // of the frame's own, 2 colours
  std::string indices = {};
};

std::string FrameBytes(const Frame& frame) {
  std::string bytes;
  if (frame.transparent >= 0) {
    bytes += std::string("\x21\xF9\4\1\0\0", 6) + static_cast<char>(frame.transparent) + '\0';
  }
  bytes += ',';
  for (const int number : {frame.left, frame.top, frame.width, frame.height}) {
    bytes += Little16(number);
  }
  bytes += static_cast<char>((frame.palette.empty() ? 0 : 0x80) | (frame.is_interlaced ? 0x40 : 0));
  return bytes + frame.palette + Lzw(frame.indices);
}

// A screen with a palette of two colours, black and 1, 2, 3.
std::string GifHead(int width, int height) {
  return "GIF89a" + Little16(width) + Little16(height) + std::string("\x80\0\0", 3) +
         std::string("\0\0\0\1\2\3", 6);
}

std::vector<int> Values(const Image& image) { return {image.pixels.begin(), image.pixels.end()}; }

const std::string kOneAndZero("\1\0", 2);

TEST(CodecGif, ReadsTheFirstFrameAndSaysSo) {
  const std::string frame = FrameBytes({.width = 2, .indices = kOneAndZero});
  const DecodedImage single = Decode(GifHead(2, 1) + frame + ";");
  EXPECT_EQ(Values(single.image), (std::vector<int>{1, 2, 3, 0, 0, 0}));
  EXPECT_TRUE(single.warnings.empty());
  const DecodedImage animated = Decode(GifHead(2, 1) + frame + frame + ";");
  EXPECT_EQ(animated.image.pixels, single.image.pixels);
  ASSERT_EQ(animated.warnings.size(), 1u);
  EXPECT_EQ(animated.warnings[0].rfind("first_frame_only: ", 0), 0u);
  EXPECT_EQ(Decode(ReadTestFile("gif_animated.gif")).warnings.size(), 1u);
  EXPECT_EQ(Decode(ReadTestFile("gif_static.gif")).warnings.size(), 0u);
}

TEST(CodecGif, LaysTheFrameOnTheScreen) {
  const Frame frame = {.left = 1, .width = 1, .indices = std::string("\1")};
  const std::string gif = GifHead(2, 2) + FrameBytes(frame) + ";";
  EXPECT_EQ(Values(Decode(gif).image),
            (std::vector<int>{255, 255, 255, 1, 2, 3, 255, 255, 255, 255, 255, 255}));
}

TEST(CodecGif, GrowsTheScreenForAFrameThatReachesBeyond) {
  const Frame frame = {.left = 2, .top = 1, .width = 1, .indices = std::string("\1")};
  const Image image = Decode(GifHead(1, 1) + FrameBytes(frame) + ";").image;
  EXPECT_EQ(image.width, 3);
  EXPECT_EQ(image.height, 2);
  EXPECT_EQ(Decode(GifHead(0, 0) + FrameBytes(frame) + ";").image.width, 3);
}

TEST(CodecGif, ResolvesTheTransparentColour) {
  const Frame frame = {.width = 2, .transparent = 1, .indices = kOneAndZero};
  const std::string gif = GifHead(2, 1) + FrameBytes(frame) + ";";
  EXPECT_EQ(Values(Decode(gif).image), (std::vector<int>{255, 255, 255, 0, 0, 0}));
  EXPECT_EQ(Values(Decode(gif, {.alpha = AlphaRule::kDrop}).image),
            (std::vector<int>{1, 2, 3, 0, 0, 0}));
}

TEST(CodecGif, PrefersTheFramesOwnPalette) {
  const Frame frame = {
      .width = 2, .palette = std::string("\7\7\7\x8\x8\x8", 6), .indices = kOneAndZero};
  EXPECT_EQ(Values(Decode(GifHead(2, 1) + FrameBytes(frame) + ";").image),
            (std::vector<int>{8, 8, 8, 7, 7, 7}));
}

TEST(CodecGif, TakesIndicesBeyondThePaletteAsBlack) {
  const Frame frame = {.width = 2, .indices = std::string("\xFF\1", 2)};
  EXPECT_EQ(Values(Decode(GifHead(2, 1) + FrameBytes(frame) + ";").image),
            (std::vector<int>{0, 0, 0, 1, 2, 3}));
}

TEST(CodecGif, OrdersInterlacedRows) {
  // Rows 0, 8, 4, 2, 6, 1, 3, 5, 7: their numbers as indices into nine greys.
  std::string palette;
  for (int i = 0; i < 16; ++i) palette += std::string(3, static_cast<char>(10 * i));
  Frame frame = {
      .height = 9, .is_interlaced = true, .indices = std::string("\0\x8\4\2\6\1\3\5\7", 9)};
  std::string gif = "GIF87a" + Little16(1) + Little16(9) + std::string("\x83\0\0", 3) + palette +
                    FrameBytes(frame) + ";";
  const Image image = Decode(gif).image;
  for (int y = 0; y < 9; ++y) EXPECT_EQ(image.row(y)[0], 10 * y);
  EXPECT_EQ(DecodeError(gif, {.max_whole_pixels = 8}), ErrorCode::kResourceExhausted);
}

TEST(CodecGif, RefusesAFileWithoutFrameOrPalette) {
  EXPECT_EQ(DecodeError(GifHead(2, 1) + ";"), ErrorCode::kDataLoss);
  const std::string no_palette = "GIF89a" + Little16(1) + Little16(1) + std::string(3, '\0') +
                                 FrameBytes({.indices = "\1"}) + ";";
  EXPECT_EQ(DecodeError(no_palette), ErrorCode::kDataLoss);
}

TEST(CodecGif, LimitsPixelsBeforeAllocation) {
  const Frame huge = {.width = 65535, .height = 65535, .indices = "\1"};
  EXPECT_EQ(DecodeError(GifHead(1, 1) + FrameBytes(huge) + ";"), ErrorCode::kResourceExhausted);
  EXPECT_EQ(DecodeError(GifHead(65535, 65535) + FrameBytes({.indices = "\1"}) + ";"),
            ErrorCode::kResourceExhausted);
}

TEST(CodecGif, NeverReturnsPartOfACutFrame) {
  for (const char* name : {"gif_static.gif", "gif_transparent.gif", "gif_animated.gif"}) {
    const std::string bytes = ReadTestFile(name);
    const DecodedImage whole = Decode(bytes);
    int num_read = 0;
    for (size_t size = 0; size < bytes.size(); ++size) {
      try {
        const DecodedImage cut = Decode(testing::CutCopy(bytes, size));
        EXPECT_EQ(cut.image.pixels, whole.image.pixels) << name << " cut at " << size;
        EXPECT_EQ(cut.warnings.size(), 1u) << name << " cut at " << size;
        ++num_read;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kDataLoss);
      }
    }
    EXPECT_GE(num_read, 1) << name;  // without its trailer at least
  }
}

TEST(CodecGif, SurvivesRandomDamage) {
  std::vector<std::string> files = {ReadTestFile("gif_static.gif"),
                                    ReadTestFile("gif_transparent.gif"),
                                    ReadTestFile("gif_animated.gif")};
  files.push_back(GifHead(2, 2) +
                  FrameBytes({.left = 1,
                              .height = 2,
                              .is_interlaced = true,
                              .transparent = 0,
                              .indices = kOneAndZero}) +
                  ";");
  for (const std::string& bytes : files) {
    for (uint64_t seed = 0; seed < 500; ++seed) {
      try {
        Decode(testing::FlipBytes(bytes, seed), {.max_pixels = 1 << 20});
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace
}  // namespace octavo
