#include <gtest/gtest.h>

#include "octavo/engine.h"
#include "tests/testing/picture.h"

namespace octavo {
namespace {

TEST(ReadPicture, GivesTheFilesPixels) {
  const Picture picture = ReadPicture(OCTAVO_TEST_DATA_DIR "/stages/image_a.png");
  EXPECT_EQ(picture.width, 103);
  EXPECT_EQ(picture.height, 70);
  EXPECT_EQ(picture.rgb, testing::Picture(70, 103, 0).pixels);
}

TEST(ReadPicture, RefusesWhatIsAbsentOrNoPicture) {
  const auto code_of = [](const char* path) {
    try {
      ReadPicture(path);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::kCancelled;
  };
  EXPECT_EQ(code_of("/absent.png"), ErrorCode::kNotFound);
  EXPECT_EQ(code_of(OCTAVO_TEST_DATA_DIR "/stages/index.json"), ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace octavo
