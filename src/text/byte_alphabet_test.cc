#include "text/byte_alphabet.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/utf8.h"

namespace octavo {
namespace {

TEST(ByteAlphabet, GivesEveryByteItsOwnVisibleCharacter) {
  std::set<char32_t> seen;
  for (int byte = 0; byte < 256; ++byte) {
    const char32_t c = CharOfByte(static_cast<uint8_t>(byte));
    EXPECT_TRUE(seen.insert(c).second) << byte;
    EXPECT_GT(c, 0x20u);
    std::string spelling;
    AppendUtf8(c, &spelling);
    std::string bytes;
    ASSERT_TRUE(BytesOfSpelling(spelling, &bytes)) << byte;
    EXPECT_EQ(bytes, std::string(1, static_cast<char>(byte)));
  }
}

TEST(ByteAlphabet, KeepsTheKnownSubstitutes) {
  EXPECT_EQ(CharOfByte(' '), U'\u0120');
  EXPECT_EQ(CharOfByte('\n'), U'\u010A');
  EXPECT_EQ(CharOfByte(0), U'\u0100');
  EXPECT_EQ(CharOfByte(0x7F), U'\u0121');
  EXPECT_EQ(CharOfByte(0xAD), U'\u0143');
  EXPECT_EQ(CharOfByte(0xFF), U'\u00FF');
}

TEST(ByteAlphabet, RefusesOtherCharacters) {
  std::string bytes;
  for (const char* spelling : {" ", "a b", "\u0144", "\u4E2D", "\u00AD", "a\xFF"}) {
    EXPECT_FALSE(BytesOfSpelling(spelling, &bytes)) << spelling;
  }
}

}  // namespace
}  // namespace octavo
