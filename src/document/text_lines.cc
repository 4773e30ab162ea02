#include "document/text_lines.h"

#include "base/utf8.h"
#include "document/white_space.h"

namespace octavo {
namespace {

bool EndsLine(char32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
}

}  // namespace

std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  size_t begin = 0;
  for (size_t i = 0; i < text.size();) {
    const DecodedChar c = DecodeUtf8(text.substr(i));
    size_t length = static_cast<size_t>(c.num_bytes);
    if (!c.valid || !EndsLine(c.code_point)) {
      i += length;
      continue;
    }
    lines.push_back(text.substr(begin, i - begin));
    if (text.substr(i, 2) == "\r\n") length = 2;
    i += length;
    begin = i;
  }
  if (begin < text.size()) lines.push_back(text.substr(begin));
  return lines;
}

std::string JoinLines(const std::vector<std::string>& lines, std::string_view source) {
  std::string out;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out += '\n';
    out += lines[i];
  }
  if (!source.empty() && source.back() == '\n') out += '\n';
  return out;
}

size_t CountChars(std::string_view text) noexcept {
  size_t count = 0;
  while (!text.empty()) {
    text.remove_prefix(static_cast<size_t>(DecodeUtf8(text).num_bytes));
    ++count;
  }
  return count;
}

std::string CollapseSpace(std::string_view text) {
  std::string out;
  bool has_space = false;
  for (text = TrimSpace(text); !text.empty();) {
    const DecodedChar c = DecodeUtf8(text);
    const auto length = static_cast<size_t>(c.num_bytes);
    if (c.valid && IsSpace(c.code_point)) {
      has_space = true;
    } else {
      if (has_space) out += ' ';
      has_space = false;
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string LowerAscii(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

size_t CountOf(std::string_view text, std::string_view word) noexcept {
  size_t count = 0;
  for (size_t i = text.find(word); i != std::string_view::npos;
       i = text.find(word, i + word.size())) {
    ++count;
  }
  return count;
}

std::string ReplaceAll(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  size_t begin = 0;
  for (size_t i = text.find(from); i != std::string_view::npos; i = text.find(from, begin)) {
    out += text.substr(begin, i - begin);
    out += to;
    begin = i + from.size();
  }
  out += text.substr(begin);
  return out;
}

}  // namespace octavo
