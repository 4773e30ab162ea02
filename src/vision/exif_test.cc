#include "vision/exif.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace octavo {
namespace {

std::span<const std::byte> Bytes(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

void AppendInteger(std::string* out, uint32_t value, int num_bytes, bool is_big_endian) {
  for (int i = 0; i < num_bytes; ++i) {
    const int shift = 8 * (is_big_endian ? num_bytes - 1 - i : i);
    out->push_back(static_cast<char>(value >> shift & 0xFF));
  }
}

struct Entry {
  uint32_t tag = 0;
  uint32_t type = 3;
  uint32_t count = 1;
  uint32_t value = 0;
};

// EXIF data with one directory of these entries.
std::string Exif(const std::vector<Entry>& entries, bool is_big_endian) {
  std::string out = is_big_endian ? std::string("MM\0*", 4) : std::string("II*\0", 4);
  AppendInteger(&out, 8, 4, is_big_endian);
  AppendInteger(&out, static_cast<uint32_t>(entries.size()), 2, is_big_endian);
  for (const Entry& entry : entries) {
    AppendInteger(&out, entry.tag, 2, is_big_endian);
    AppendInteger(&out, entry.type, 2, is_big_endian);
    AppendInteger(&out, entry.count, 4, is_big_endian);
    const int num_bytes = entry.type == 3 ? 2 : 4;
    AppendInteger(&out, entry.value, num_bytes, is_big_endian);
    AppendInteger(&out, 0, 4 - num_bytes, is_big_endian);
  }
  AppendInteger(&out, 0, 4, is_big_endian);
  return out;
}

TEST(Exif, FindsTheTagInEitherByteOrder) {
  for (const bool is_big_endian : {false, true}) {
    for (uint32_t value = 1; value <= 8; ++value) {
      const std::string exif =
          Exif({{.tag = 0x010F, .value = 5}, {.tag = 0x0112, .value = value}}, is_big_endian);
      EXPECT_EQ(ExifOrientation(Bytes(exif)), static_cast<int>(value));
      const std::string with_head = std::string("Exif\0\0", 6) + exif;
      EXPECT_EQ(ExifOrientation(Bytes(with_head)), static_cast<int>(value));
    }
    EXPECT_EQ(ExifOrientation(Bytes(Exif({{.tag = 0x0112, .type = 4, .value = 6}}, is_big_endian))),
              6);
  }
}

TEST(Exif, TakesValuesOutOfRangeAsUpright) {
  for (const uint32_t value : {0u, 9u, 255u, 256u, 0xFFFFu}) {
    EXPECT_EQ(ExifOrientation(Bytes(Exif({{.tag = 0x0112, .value = value}}, true))), 1) << value;
  }
  EXPECT_EQ(ExifOrientation(Bytes(Exif({{.tag = 0x0112, .type = 2, .value = 6}}, true))), 1);
  EXPECT_EQ(ExifOrientation(Bytes(Exif({{.tag = 0x0112, .count = 2, .value = 6}}, true))), 1);
}

TEST(Exif, IsUprightWhenTheTagIsAbsent) {
  EXPECT_EQ(ExifOrientation({}), 1);
  EXPECT_EQ(ExifOrientation(Bytes(Exif({}, true))), 1);
  EXPECT_EQ(ExifOrientation(Bytes(Exif({{.tag = 0x0111, .value = 6}}, false))), 1);
  EXPECT_EQ(ExifOrientation(Bytes("http://ns.adobe.com/xap/1.0/")), 1);
}

TEST(Exif, SurvivesACutAtEveryOffset) {
  const std::string exif = std::string("Exif\0\0", 6) +
                           Exif({{.tag = 0x010F, .value = 5}, {.tag = 0x0112, .value = 6}}, true);
  constexpr size_t kEndOfEntry = 6 + 8 + 2 + 2 * 12;
  for (size_t size = 0; size <= exif.size(); ++size) {
    const std::vector<std::byte> cut(Bytes(exif).begin(), Bytes(exif).begin() + size);
    EXPECT_EQ(ExifOrientation(cut), size >= kEndOfEntry ? 6 : 1) << size;
  }
}

TEST(Exif, SurvivesEveryValueOfEveryByte) {
  const std::string exif = Exif({{.tag = 0x010F, .value = 5}, {.tag = 0x0112, .value = 6}}, false);
  for (size_t i = 0; i < exif.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::vector<std::byte> damaged(Bytes(exif).begin(), Bytes(exif).end());
      damaged[i] = static_cast<std::byte>(value);
      const int orientation = ExifOrientation(damaged);
      EXPECT_GE(orientation, 1);
      EXPECT_LE(orientation, 8);
    }
  }
}

TEST(Exif, SurvivesADirectoryAtTheEndOfTheAddressRange) {
  std::string exif = Exif({{.tag = 0x0112, .value = 6}}, false);
  exif.replace(4, 4, "\xFF\xFF\xFF\xFF");
  EXPECT_EQ(ExifOrientation(Bytes(exif)), 1);
}

// [height 2, width 3] with values 1..6, turned: reds in reading order.
TEST(Exif, TurnsAsTheStandardSays) {
  Image image(3, 2);
  for (size_t i = 0; i < 18; ++i) image.pixels[i] = static_cast<uint8_t>(i / 3 + 1);
  const std::vector<std::vector<int>> wanted = {
      {1, 2, 3, 4, 5, 6}, {3, 2, 1, 6, 5, 4}, {6, 5, 4, 3, 2, 1}, {4, 5, 6, 1, 2, 3},
      {1, 4, 2, 5, 3, 6}, {4, 1, 5, 2, 6, 3}, {6, 3, 5, 2, 4, 1}, {3, 6, 2, 5, 1, 4}};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Image turned = ApplyOrientation(image, orientation);
    EXPECT_EQ(turned.width, orientation <= 4 ? 3 : 2);
    std::vector<int> reds;
    for (size_t i = 0; i < 18; i += 3) reds.push_back(turned.pixels[i]);
    EXPECT_EQ(reds, wanted[static_cast<size_t>(orientation - 1)]) << orientation;
  }
}

}  // namespace
}  // namespace octavo
