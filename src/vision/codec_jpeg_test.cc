#include "vision/codec_jpeg.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

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
  return DecodeJpeg(std::as_bytes(std::span(bytes)), "test", options);
}

ErrorCode DecodeError(const std::string& bytes, const DecodeOptions& options = {}) {
  return testing::ErrorCodeOf([&] { Decode(bytes, options); });
}

double MeanDifference(const Image& a, const Image& b) {
  double sum = 0;
  for (size_t i = 0; i < a.pixels.size(); ++i) {
    sum += std::fabs(double{0} + a.pixels[i] - b.pixels[i]);
  }
  return sum / static_cast<double>(a.pixels.size());
}

TEST(CodecJpeg, FindsTheOrientation) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const std::string name = "jpeg_exif" + std::to_string(orientation) + ".jpg";
    EXPECT_EQ(Decode(ReadTestFile(name)).orientation, orientation);
  }
  EXPECT_EQ(Decode(ReadTestFile("jpeg_444.jpg")).orientation, 1);
}

TEST(CodecJpeg, NeverReturnsAPictureOfACutFile) {
  for (const char* name : {"jpeg_444.jpg", "jpeg_420.jpg", "jpeg_progressive.jpg", "jpeg_grey.jpg",
                           "jpeg_cmyk.jpg", "jpeg_exif6.jpg"}) {
    const std::string bytes = ReadTestFile(name);
    for (size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_THROW(Decode(testing::CutCopy(bytes, size)), Error) << name << " cut at " << size;
    }
  }
}

// A cut file that somebody closed with an end marker: libjpeg alone would fill the rest with grey.
TEST(CodecJpeg, RefusesAScanThatEndsEarly) {
  for (const char* name : {"jpeg_444.jpg", "jpeg_420.jpg"}) {
    const std::string bytes = ReadTestFile(name);
    for (size_t missing = 8; missing < 300; missing += 7) {
      const std::string closed = bytes.substr(0, bytes.size() - missing) + "\xFF\xD9";
      EXPECT_EQ(DecodeError(closed), ErrorCode::kDataLoss) << name << " less " << missing;
    }
  }
}

TEST(CodecJpeg, RefusesWhatIsNoBaselineOrProgressivePicture) {
  std::string lossless = ReadTestFile("jpeg_444.jpg");
  lossless[lossless.find("\xFF\xC0") + 1] = '\xC3';
  EXPECT_EQ(DecodeError(lossless), ErrorCode::kUnsupported);
  std::string twelve_bits = ReadTestFile("jpeg_444.jpg");
  twelve_bits[twelve_bits.find("\xFF\xC0") + 4] = 12;
  EXPECT_EQ(DecodeError(twelve_bits), ErrorCode::kUnsupported);
  std::string no_height = ReadTestFile("jpeg_444.jpg");
  no_height.replace(no_height.find("\xFF\xC0") + 5, 2, std::string(2, '\0'));
  EXPECT_EQ(DecodeError(no_height), ErrorCode::kDataLoss);
}

TEST(CodecJpeg, RefusesEndlessScans) {
  const std::string bytes = ReadTestFile("jpeg_progressive.jpg");
  const size_t first = bytes.find("\xFF\xDA");
  const size_t second = bytes.find("\xFF\xC4", first);  // tables of the next scan
  ASSERT_NE(second, std::string::npos);
  std::string endless = bytes.substr(0, second);
  for (int i = 0; i < 2000; ++i) endless += bytes.substr(first, second - first);
  endless += bytes.substr(second);
  EXPECT_EQ(DecodeError(endless), ErrorCode::kDataLoss);
}

std::string Segment(char marker, const std::string& data) {
  const size_t size = data.size() + 2;
  return std::string("\xFF") + marker + static_cast<char>(size >> 8) +
         static_cast<char>(size & 255) + data;
}

// Grey, of side x side pixels, progressive; every scan refines all blocks and finds nothing there.
// Source: ITU-T T.81, G.1.2.3: runs of ended blocks, of at most 32767.
std::string EmptyScans(int side, int num_scans) {
  const std::string sides = {static_cast<char>(side >> 8), static_cast<char>(side & 255)};
  std::string bytes = "\xFF\xD8" + Segment('\xDB', '\0' + std::string(64, '\1')) +
                      Segment('\xC2', '\x08' + sides + sides + std::string("\1\1\x11\0", 4));
  // One code, of one bit: a run of 2^14 blocks and what the 14 bits behind it add.
  bytes += Segment('\xC4', "\x10\1" + std::string(15, '\0') + '\xE0');
  const int blocks_a_side = (side + 7) / 8;
  std::string bits;
  for (int left = blocks_a_side * blocks_a_side; left > 0; left -= 16384)
    bits += std::string(15, '0');
  bits.resize((bits.size() + 7) / 8 * 8, '1');
  std::string data;
  for (size_t i = 0; i < bits.size(); i += 8) {
    data += static_cast<char>(std::stoi(bits.substr(i, 8), nullptr, 2));
    if (data.back() == '\xFF') data += '\0';
  }
  const std::string scan = Segment('\xDA', std::string("\1\1\0\1\x3F\x10", 6)) + data;
  for (int i = 0; i < num_scans; ++i) bytes += scan;
  return bytes + "\xFF\xD9";
}

TEST(CodecJpeg, LimitsTheBlocksOfAllScans) {
  EXPECT_EQ(Decode(EmptyScans(64, 499)).image.width, 64);
  EXPECT_EQ(Decode(EmptyScans(3456, 10)).image.width, 3456);
  const DecodeOptions options = {.max_scanned_blocks = 10 * 16 * 16};  // 128 x 128 pixels
  EXPECT_EQ(Decode(EmptyScans(128, 10), options).image.width, 128);
  EXPECT_EQ(DecodeError(EmptyScans(128, 11), options), ErrorCode::kResourceExhausted);
}

TEST(CodecJpeg, SurvivesRandomDamage) {
  for (const char* name : {"jpeg_444.jpg", "jpeg_420.jpg", "jpeg_progressive.jpg", "jpeg_grey.jpg",
                           "jpeg_cmyk.jpg", "jpeg_exif6.jpg"}) {
    const std::string bytes = ReadTestFile(name);
    for (uint64_t seed = 0; seed < 500; ++seed) {
      try {
        Decode(testing::FlipBytes(bytes, seed), {.max_pixels = 1 << 20});
      } catch (const Error&) {
      }
    }
  }
}

// The file with an APP2 segment behind its first two bytes.
std::string WithProfile(const std::string& jpeg, const std::string& profile) {
  const std::string payload = std::string("ICC_PROFILE\0\1\1", 14) + profile;
  const size_t size = payload.size() + 2;
  return jpeg.substr(0, 2) + "\xFF\xE2" + static_cast<char>(size >> 8) +
         static_cast<char>(size & 255) + payload + jpeg.substr(2);
}

TEST(CodecJpeg, AppliesTheProfileOfItsColours) {
  const std::string rgb = ReadTestFile("jpeg_444.jpg");
  const Image plain = Decode(rgb).image;
  const std::string wide = WithProfile(rgb, testing::WideRgbProfile());
  EXPECT_GT(MeanDifference(Decode(wide).image, plain), 0.1);
  EXPECT_EQ(Decode(wide, {.profile = ProfileRule::kIgnore}).image.pixels, plain.pixels);
  // Of other colours, broken, and nearly sRGB: as if it were not there.
  EXPECT_EQ(Decode(WithProfile(rgb, testing::GreyPressProfile())).image.pixels, plain.pixels);
  EXPECT_EQ(Decode(WithProfile(rgb, "broken")).image.pixels, plain.pixels);
  EXPECT_EQ(Decode(WithProfile(rgb, testing::NearSrgbProfile())).image.pixels, plain.pixels);

  const std::string cmyk = ReadTestFile("jpeg_cmyk.jpg");
  const Image press = Decode(WithProfile(cmyk, testing::GreyPressProfile())).image;
  int farthest = 0;  // from grey
  for (size_t i = 0; i < press.pixels.size(); i += 3) {
    farthest = std::max(farthest, std::abs(int{press.pixels[i]} - int{press.pixels[i + 2]}));
  }
  EXPECT_LE(farthest, 2);
  const std::string grey = ReadTestFile("jpeg_grey.jpg");
  EXPECT_GT(MeanDifference(Decode(WithProfile(grey, testing::GreyProfile(1.0))).image,
                           Decode(grey).image),
            5.0);
}

TEST(CodecJpeg, AveragesWhatIsOverTheLimitDown) {
  for (const char* name : {"jpeg_444.jpg", "jpeg_progressive.jpg", "jpeg_cmyk.jpg"}) {
    const DecodedImage decoded = Decode(ReadTestFile(name), {.max_decoded_pixels = 16 * 12});
    EXPECT_EQ(decoded.image.width, 16);
    EXPECT_EQ(decoded.warnings.size(), 1u);
  }
}

TEST(CodecJpeg, LimitsTheCoefficientsOfSeveralScans) {
  // Sides of 20000 and of 8000 pixels in three full components: 2.4 GB of coefficients, and 384 MB
  // that a file of so few bytes cannot mean.
  for (const char* sides : {"\x4E\x20\x4E\x20", "\x1F\x40\x1F\x40"}) {
    std::string huge = ReadTestFile("jpeg_progressive.jpg");
    const size_t frame = huge.find("\xFF\xC2");
    ASSERT_NE(frame, std::string::npos);
    huge.replace(frame + 5, 4, sides);
    huge[frame + 11] = 0x11;  // no subsampling
    EXPECT_EQ(DecodeError(huge), ErrorCode::kResourceExhausted);
  }
}

TEST(CodecJpeg, IgnoresWhatFollowsThePicture) {
  const std::string bytes = ReadTestFile("jpeg_420.jpg");
  EXPECT_EQ(Decode(bytes + "trailing").image.pixels, Decode(bytes).image.pixels);
}

TEST(CodecJpeg, GivesEncodedPicturesBackNearly) {
  Image image(200, 150);
  for (int y = 0; y < 150; ++y) {
    for (int x = 0; x < 600; ++x) image.row(y)[x] = static_cast<uint8_t>((x / 3 + y) / 2);
  }
  const std::string fine = EncodeJpeg(image, 95);
  const std::string coarse = EncodeJpeg(image, 10);
  const Image back = Decode(fine).image;
  ASSERT_EQ(back.width, 200);
  ASSERT_EQ(back.height, 150);
  EXPECT_LT(MeanDifference(image, back), 1.5);
  EXPECT_LT(coarse.size(), fine.size());
  const Image single = Image(1, 1, 77);
  EXPECT_LE(MeanDifference(single, Decode(EncodeJpeg(single, 100)).image), 1.0);
}

TEST(CodecJpeg, EncodesMoreThanOneBufferOfOutput) {
  const Image image = Picture(400, 400, 2);
  const std::string bytes = EncodeJpeg(image, 100);
  EXPECT_GT(bytes.size(), size_t{40000});
  EXPECT_EQ(Decode(bytes).image.height, 400);
}

TEST(CodecJpeg, RefusesSidesThatTheFormatCannotHold) {
  EXPECT_THROW(EncodeJpeg(Image(65501, 1), 80), Error);
  EXPECT_EQ(Decode(EncodeJpeg(Image(65500, 1), 80)).image.width, 65500);
}

}  // namespace
}  // namespace octavo
