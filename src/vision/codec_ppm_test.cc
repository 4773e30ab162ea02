#include "vision/codec_ppm.h"

#include <gtest/gtest.h>

#include <string>

#include "octavo/error.h"
#include "testing/damage.h"
#include "testing/error_code.h"
#include "testing/picture.h"

namespace octavo {
namespace {

Image Decode(const std::string& bytes, const DecodeOptions& options = {}) {
  return DecodePpm(std::as_bytes(std::span(bytes)), "test", options).image;
}

ErrorCode DecodeError(const std::string& bytes, const DecodeOptions& options = {}) {
  return testing::ErrorCodeOf([&] { Decode(bytes, options); });
}

std::string PixelBytes(const Image& image) { return {image.pixels.begin(), image.pixels.end()}; }

TEST(CodecPpm, ReadsWhatTheRendererWrites) {
  const Image image = testing::Picture(12, 7, 0);
  const Image back = Decode("P6\n7 12\n255\n" + PixelBytes(image));
  EXPECT_EQ(back.width, 7);
  EXPECT_EQ(back.height, 12);
  EXPECT_EQ(back.pixels, image.pixels);
}

TEST(CodecPpm, SkipsCommentsAndWhiteSpace) {
  EXPECT_EQ(Decode("P6 # a comment 9 9\n\t1\r\n# another\n 1 255 abc").pixels,
            (std::vector<uint8_t>{'a', 'b', 'c'}));
}

TEST(CodecPpm, RefusesOtherForms) {
  EXPECT_EQ(DecodeError("P5\n1 1\n255\na"), ErrorCode::kUnsupported);
  EXPECT_EQ(DecodeError("P6\n1 1\n65535\nabcdef"), ErrorCode::kUnsupported);
  EXPECT_EQ(DecodeError(""), ErrorCode::kUnsupported);
}

TEST(CodecPpm, RefusesWrongSizes) {
  EXPECT_EQ(DecodeError("P6\n1 1\n255\nab"), ErrorCode::kDataLoss);
  EXPECT_EQ(DecodeError("P6\n1 1\n255\nabcd"), ErrorCode::kDataLoss);
  EXPECT_EQ(DecodeError("P6\n0 1\n255\n"), ErrorCode::kDataLoss);
  EXPECT_EQ(DecodeError("P6\n-1 1\n255\n"), ErrorCode::kDataLoss);
  EXPECT_EQ(DecodeError("P6\n9999999999 1\n255\n"), ErrorCode::kDataLoss);
  EXPECT_EQ(DecodeError("P6\n99999 99999\n255\n"), ErrorCode::kResourceExhausted);
  EXPECT_EQ(DecodeError("P6\n2 1\n255\nabcdef", {.max_pixels = 1}), ErrorCode::kResourceExhausted);
}

TEST(CodecPpm, NeverReturnsAPictureOfACutFile) {
  const std::string bytes = "P6\n# c\n5 4\n255\n" + PixelBytes(testing::Picture(4, 5, 0));
  ASSERT_NO_THROW(Decode(bytes));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(Decode(testing::CutCopy(bytes, size)), Error) << size;
  }
}

}  // namespace
}  // namespace octavo
