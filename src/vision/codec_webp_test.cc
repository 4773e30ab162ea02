#include "vision/codec_webp.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "octavo/error.h"
#include "testing/damage.h"
#include "testing/error_code.h"
#include "testing/icc_profile.h"
#include "testing/picture.h"

namespace octavo {
namespace {

using testing::Picture;

std::string ReadTestFile(const std::string& name) {
  return ReadFile(std::string(OCTAVO_TEST_DATA_DIR) + "/images/files/" + name, size_t{1} << 20);
}

DecodedImage Decode(const std::string& bytes, const DecodeOptions& options = {}) {
  return DecodeWebp(std::as_bytes(std::span(bytes)), "test", options);
}

ErrorCode DecodeError(const std::string& bytes, const DecodeOptions& options = {}) {
  return testing::ErrorCodeOf([&] { Decode(bytes, options); });
}

std::string Little(uint64_t value, size_t num_bytes) {
  std::string text;
  for (size_t i = 0; i < num_bytes; ++i) text += static_cast<char>(value >> (8 * i) & 255);
  return text;
}

std::string Chunk(const std::string& name, const std::string& payload) {
  return name + Little(payload.size(), 4) + payload + std::string(payload.size() % 2, '\0');
}

std::string Riff(const std::string& chunks) {
  return "RIFF" + Little(chunks.size() + 4, 4) + "WEBP" + chunks;
}

// The picture of 31 x 23 pixels as a chunk, lossless.
std::string PictureChunk() { return ReadTestFile("webp_lossless.webp").substr(12); }

constexpr int kAnimation = 2;
constexpr int kExif = 8;
constexpr int kAlpha = 16;
constexpr int kIcc = 32;

std::string Extended(int flags, int width, int height, const std::string& chunks) {
  return Riff(Chunk("VP8X", Little(static_cast<uint64_t>(flags), 4) +
                                Little(static_cast<uint64_t>(width - 1), 3) +
                                Little(static_cast<uint64_t>(height - 1), 3)) +
              chunks);
}

// Offsets are halved in the file.
std::string Frame(int x, int y, const std::string& picture = PictureChunk()) {
  return Chunk("ANMF", Little(static_cast<uint64_t>(x / 2), 3) +
                           Little(static_cast<uint64_t>(y / 2), 3) + Little(30, 3) + Little(22, 3) +
                           Little(100, 3) + Little(0, 1) + picture);
}

const std::string kAnimationHead = Chunk("ANIM", std::string(6, '\0'));

TEST(CodecWebp, ReadsLosslessPicturesExactly) {
  EXPECT_EQ(Decode(ReadTestFile("webp_lossless.webp")).image.pixels, Picture(23, 31, 1).pixels);
}

TEST(CodecWebp, ReadsTheFirstFrameAndSaysSo) {
  const std::string frames = kAnimationHead + Frame(0, 0);
  const DecodedImage one = Decode(Extended(kAnimation, 31, 23, frames));
  EXPECT_EQ(one.image.pixels, Picture(23, 31, 1).pixels);
  EXPECT_TRUE(one.warnings.empty());
  const DecodedImage two = Decode(Extended(kAnimation, 31, 23, frames + Frame(0, 0)));
  EXPECT_EQ(two.image.pixels, one.image.pixels);
  ASSERT_EQ(two.warnings.size(), 1u);
  EXPECT_EQ(two.warnings[0].rfind("first_frame_only: ", 0), 0u);
  EXPECT_EQ(Decode(ReadTestFile("webp_animated.webp")).warnings.size(), 1u);
}

TEST(CodecWebp, LaysTheFrameOnTheCanvas) {
  const Image image = Decode(Extended(kAnimation, 40, 30, kAnimationHead + Frame(4, 6))).image;
  ASSERT_EQ(image.width, 40);
  ASSERT_EQ(image.height, 30);
  EXPECT_EQ(image.pixels, PadTo(Picture(23, 31, 1), 40, 30, 4, 6, 255).pixels);
}

TEST(CodecWebp, FindsTheOrientation) {
  const std::string exif("MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0\6\0\0\0\0\0\0", 26);
  for (const std::string& payload : {exif, "Exif" + std::string(2, '\0') + exif}) {
    const std::string webp = Extended(kExif, 31, 23, PictureChunk() + Chunk("EXIF", payload));
    EXPECT_EQ(Decode(webp).orientation, 6);
  }
  EXPECT_EQ(Decode(ReadTestFile("webp_lossless.webp")).orientation, 1);
}

TEST(CodecWebp, AppliesTheProfile) {
  const std::string webp =
      Extended(kIcc, 31, 23, Chunk("ICCP", testing::WideRgbProfile()) + PictureChunk());
  const Image plain = Picture(23, 31, 1);
  EXPECT_NE(Decode(webp).image.pixels, plain.pixels);
  EXPECT_EQ(Decode(webp, {.profile = ProfileRule::kIgnore}).image.pixels, plain.pixels);
  const std::string broken = Extended(kIcc, 31, 23, Chunk("ICCP", "none") + PictureChunk());
  EXPECT_EQ(Decode(broken).image.pixels, plain.pixels);
}

TEST(CodecWebp, RefusesFramesThatLeaveTheCanvas) {
  EXPECT_EQ(DecodeError(Extended(kAnimation, 31, 23, kAnimationHead + Frame(2, 0))),
            ErrorCode::kDataLoss);
  EXPECT_EQ(DecodeError(Extended(kAlpha, 32, 23, PictureChunk())), ErrorCode::kDataLoss);
}

TEST(CodecWebp, LimitsPixelsBeforeAllocation) {
  const std::string bytes = ReadTestFile("webp_lossy.webp");
  EXPECT_EQ(Decode(bytes, {.max_pixels = 31 * 23}).image.width, 31);
  EXPECT_EQ(DecodeError(bytes, {.max_pixels = 31 * 23 - 1}), ErrorCode::kResourceExhausted);
  EXPECT_EQ(DecodeError(bytes, {.max_whole_pixels = 31 * 23 - 1}), ErrorCode::kResourceExhausted);
  // A lossless header of 16384 x 16384 pixels: signature, two sides of 14 bits.
  EXPECT_EQ(DecodeError(Riff(Chunk("VP8L", "\x2F\xFF\xFF\xFF\x0F" + std::string(20, '\0')))),
            ErrorCode::kResourceExhausted);
}

TEST(CodecWebp, NeverReturnsAPictureOfACutFile) {
  for (const char* name :
       {"webp_lossless.webp", "webp_lossy.webp", "webp_alpha.webp", "webp_animated.webp"}) {
    const std::string bytes = ReadTestFile(name);
    for (size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_THROW(Decode(testing::CutCopy(bytes, size)), Error) << name << " cut at " << size;
    }
  }
}

TEST(CodecWebp, SurvivesRandomDamage) {
  for (const char* name :
       {"webp_lossless.webp", "webp_lossy.webp", "webp_alpha.webp", "webp_animated.webp"}) {
    const std::string bytes = ReadTestFile(name);
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
