#include "vision/codec_jpeg.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "base/file.h"
#include "octavo/error.h"
#include "testing/damage.h"
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

ErrorCode DecodeError(const std::string& bytes) {
  try {
    Decode(bytes);
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "accepted";
  return ErrorCode::kCancelled;
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
  // Sides of 20000 x 20000 pixels in three full components: 2.4 GB of coefficients.
  std::string huge = ReadTestFile("jpeg_progressive.jpg");
  const size_t frame = huge.find("\xFF\xC2");
  ASSERT_NE(frame, std::string::npos);
  huge.replace(frame + 5, 4, "\x4E\x20\x4E\x20");
  huge[frame + 11] = 0x11;  // no subsampling
  EXPECT_EQ(DecodeError(huge), ErrorCode::kResourceExhausted);
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
