#include "base/base64.h"

#include <array>
#include <cstdint>

namespace octavo {
namespace {

constexpr int8_t kOther = -1;
constexpr int8_t kSpace = -2;
constexpr int8_t kPadding = -3;

constexpr std::array<int8_t, 256> MakeValues() {
  std::array<int8_t, 256> values{};
  values.fill(kOther);
  int8_t value = 0;
  for (unsigned char c = 'A'; c <= 'Z'; ++c) values[c] = value++;
  for (unsigned char c = 'a'; c <= 'z'; ++c) values[c] = value++;
  for (unsigned char c = '0'; c <= '9'; ++c) values[c] = value++;
  values['+'] = values['-'] = 62;
  values['/'] = values['_'] = 63;
  for (const unsigned char space : {'\n', '\r', '\t', ' '}) values[space] = kSpace;
  values['='] = kPadding;
  return values;
}

constexpr std::array<int8_t, 256> kValues = MakeValues();

}  // namespace

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  uint32_t bits = 0;
  int num_characters = 0;  // of the group so far
  int num_padding = 0;
  for (const char c : text) {
    const int8_t value = kValues[static_cast<unsigned char>(c)];
    if (value == kSpace) continue;
    if (value == kPadding) {
      ++num_padding;
      continue;
    }
    if (value == kOther || num_padding > 0) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(value);
    if (++num_characters < 4) continue;
    for (const int shift : {16, 8, 0}) bytes += static_cast<char>(bits >> shift & 255);
    num_characters = 0;
    bits = 0;
  }
  if (num_characters == 1) return std::nullopt;
  if (num_padding > 0 && (num_characters < 2 || num_characters + num_padding != 4)) {
    return std::nullopt;
  }
  if (num_characters >= 2) bytes += static_cast<char>(bits >> (num_characters == 2 ? 4 : 10) & 255);
  if (num_characters == 3) bytes += static_cast<char>(bits >> 2 & 255);
  return bytes;
}

}  // namespace octavo
