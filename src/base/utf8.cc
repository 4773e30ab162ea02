#include "base/utf8.h"

#include <algorithm>
#include <cstdint>

#include "base/check.h"

namespace octavo {
namespace {

// A lead byte's sequence length and the range of the byte that follows it (Unicode 15, table 3-7).
// The second byte's range excludes overlong forms, surrogates and values above U+10FFFF.
struct Lead {
  int num_bytes;  // 0: no lead byte
  uint8_t second_low;
  uint8_t second_high;
};

Lead ClassifyLead(uint8_t byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xC2) return {0, 0, 0};
  if (byte < 0xE0) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

// How many bytes of `text` belong to the sequence that its lead byte begins (1 to lead.num_bytes).
int MatchedLength(std::string_view text, const Lead& lead) {
  int matched = 1;
  while (matched < lead.num_bytes && static_cast<size_t>(matched) < text.size()) {
    const auto byte = static_cast<uint8_t>(text[static_cast<size_t>(matched)]);
    const uint8_t low = matched == 1 ? lead.second_low : 0x80;
    const uint8_t high = matched == 1 ? lead.second_high : 0xBF;
    if (byte < low || byte > high) break;
    ++matched;
  }
  return matched;
}

}  // namespace

DecodedChar DecodeUtf8(std::string_view text) noexcept {
  OCTAVO_DCHECK(!text.empty());
  const auto first = static_cast<uint8_t>(text[0]);
  const Lead lead = ClassifyLead(first);
  if (lead.num_bytes == 0) return {kReplacementCharacter, 1, false};
  if (lead.num_bytes == 1) return {first, 1, true};
  const int matched = MatchedLength(text, lead);
  if (matched < lead.num_bytes) return {kReplacementCharacter, matched, false};
  // 5, 4 or 3 payload bits in the lead byte of 2, 3 or 4 bytes.
  char32_t code_point = first & (0x7Fu >> lead.num_bytes);
  for (int i = 1; i < lead.num_bytes; ++i) {
    const auto byte = static_cast<uint8_t>(text[static_cast<size_t>(i)]);
    code_point = (code_point << 6) | (byte & 0x3Fu);
  }
  return {code_point, lead.num_bytes, true};
}

void AppendUtf8(char32_t code_point, std::string* out) {
  OCTAVO_DCHECK(code_point <= 0x10FFFF && (code_point < 0xD800 || code_point > 0xDFFF),
                static_cast<uint32_t>(code_point));
  const auto append = [out](char32_t byte) {
    out->push_back(static_cast<char>(static_cast<uint8_t>(byte)));
  };
  if (code_point < 0x80) {
    append(code_point);
    return;
  }
  if (code_point < 0x800) {
    append(0xC0 | (code_point >> 6));
  } else if (code_point < 0x10000) {
    append(0xE0 | (code_point >> 12));
    append(0x80 | ((code_point >> 6) & 0x3F));
  } else {
    append(0xF0 | (code_point >> 18));
    append(0x80 | ((code_point >> 12) & 0x3F));
    append(0x80 | ((code_point >> 6) & 0x3F));
  }
  append(0x80 | (code_point & 0x3F));
}

bool IsValidUtf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const DecodedChar c = DecodeUtf8(text);
    if (!c.valid) return false;
    text.remove_prefix(static_cast<size_t>(c.num_bytes));
  }
  return true;
}

std::string ReplaceInvalidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const DecodedChar c = DecodeUtf8(text);
    const auto num_bytes = static_cast<size_t>(c.num_bytes);
    if (c.valid) {
      out.append(text.substr(0, num_bytes));
    } else {
      AppendUtf8(kReplacementCharacter, &out);
    }
    text.remove_prefix(num_bytes);
  }
  return out;
}

size_t IncompleteSuffixLength(std::string_view text) noexcept {
  const size_t longest = std::min<size_t>(3, text.size());
  for (size_t length = 1; length <= longest; ++length) {
    const std::string_view suffix = text.substr(text.size() - length);
    const auto first = static_cast<uint8_t>(suffix[0]);
    if (first >= 0x80 && first < 0xC0) continue;  // a continuation byte: its lead stands before
    const Lead lead = ClassifyLead(first);
    const bool incomplete = lead.num_bytes > static_cast<int>(length) &&
                            MatchedLength(suffix, lead) == static_cast<int>(length);
    return incomplete ? length : 0;
  }
  return 0;
}

std::string PrintableName(std::string_view text, size_t max_bytes) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  while (!text.empty()) {
    const DecodedChar c = DecodeUtf8(text);
    const auto num_bytes = static_cast<size_t>(c.num_bytes);
    if (out.size() + num_bytes > max_bytes) return out + "...";
    const bool is_control = c.code_point < 0x20 || (c.code_point >= 0x7F && c.code_point < 0xA0) ||
                            c.code_point == 0x2028 || c.code_point == 0x2029;
    if (c.valid && !is_control) {
      out.append(text.substr(0, num_bytes));
    } else {
      for (size_t i = 0; i < num_bytes; ++i) {
        const auto byte = static_cast<uint8_t>(text[i]);
        out += "\\x";
        out += kHex[byte >> 4];
        out += kHex[byte & 15];
      }
    }
    text.remove_prefix(num_bytes);
  }
  return out;
}

}  // namespace octavo
