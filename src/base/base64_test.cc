#include "base/base64.h"

#include <string>

#include <gtest/gtest.h>

#include "base/random.h"

namespace octavo {
namespace {

// The obvious encoder.
std::string Encode(const std::string& bytes) {
  constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t bits = 0;
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    for (size_t j = 0; j < 3; ++j) {
      bits = bits << 8 | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    for (size_t j = 0; j < 4; ++j) {
      text += j <= count ? kAlphabet[bits >> (18 - 6 * j) & 63] : '=';
    }
  }
  return text;
}

TEST(Base64, ReadsTheExamplesOfTheRfc) {
  EXPECT_EQ(DecodeBase64(""), "");
  EXPECT_EQ(DecodeBase64("Zg=="), "f");
  EXPECT_EQ(DecodeBase64("Zm8="), "fo");
  EXPECT_EQ(DecodeBase64("Zm9v"), "foo");
  EXPECT_EQ(DecodeBase64("Zm9vYg=="), "foob");
  EXPECT_EQ(DecodeBase64("Zm9vYmE="), "fooba");
  EXPECT_EQ(DecodeBase64("Zm9vYmFy"), "foobar");
}

TEST(Base64, ReadsWhatWasEncoded) {
  Random random(1);
  for (size_t length = 0; length < 200; ++length) {
    std::string bytes;
    for (size_t i = 0; i < length; ++i) bytes += static_cast<char>(random.Below(256));
    std::string text = Encode(bytes);
    EXPECT_EQ(DecodeBase64(text), bytes);
    while (!text.empty() && text.back() == '=') text.pop_back();
    EXPECT_EQ(DecodeBase64(text), bytes);
  }
}

TEST(Base64, ReadsWrappedTextAndTheUrlAlphabet) {
  EXPECT_EQ(DecodeBase64("Zm9v\r\nYmFy\n"), "foobar");
  EXPECT_EQ(DecodeBase64("-_-_"), DecodeBase64("+/+/"));
}

TEST(Base64, RefusesWhatIsNone) {
  for (const char* text : {"Z", "Zm9vY", "Zg=", "Zg===", "Z===", "====", "=", "Zg==Zg==", "Zm9%",
                           "Zm\xC3\xA4v", "Zm9v!"}) {
    EXPECT_EQ(DecodeBase64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace octavo
