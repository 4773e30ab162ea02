// The byte alphabet and its inverse, as two small tables.
#include "text/byte_alphabet.h"

#include <array>

#include "base/utf8.h"

namespace octavo {
namespace {

constexpr int kNoByte = -1;
constexpr size_t kAlphabetEnd = 0x100 + 68;

struct Alphabet {
  std::array<char32_t, 256> chars{};
  std::array<int16_t, kAlphabetEnd> bytes{};
};

constexpr Alphabet MakeAlphabet() {
  Alphabet alphabet;
  for (int16_t& byte : alphabet.bytes) byte = kNoByte;
  char32_t next_substitute = 0x100;
  for (size_t byte = 0; byte < 256; ++byte) {
    const bool is_visible =
        (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
    const char32_t c = is_visible ? static_cast<char32_t>(byte) : next_substitute++;
    alphabet.chars[byte] = c;
    alphabet.bytes[c] = static_cast<int16_t>(byte);
  }
  return alphabet;
}

constexpr Alphabet kAlphabet = MakeAlphabet();

}  // namespace

char32_t CharOfByte(uint8_t byte) noexcept { return kAlphabet.chars[byte]; }

bool BytesOfSpelling(std::string_view spelling, std::string* bytes) {
  bytes->clear();
  while (!spelling.empty()) {
    const auto first = static_cast<uint8_t>(spelling[0]);
    const DecodedChar c = first < 0x80 ? DecodedChar{first, 1, true} : DecodeUtf8(spelling);
    if (!c.valid || c.code_point >= kAlphabetEnd || kAlphabet.bytes[c.code_point] == kNoByte) {
      return false;
    }
    bytes->push_back(static_cast<char>(kAlphabet.bytes[c.code_point]));
    spelling.remove_prefix(static_cast<size_t>(c.num_bytes));
  }
  return true;
}

}  // namespace octavo
