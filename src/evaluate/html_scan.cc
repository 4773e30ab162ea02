#include "evaluate/html_scan.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/utf8.h"

namespace octavo {
namespace {

constexpr size_t kMaxTagBytes = 4096;
constexpr size_t kMaxEntityBytes = 12;
constexpr int kMaxSpan = 1000;

constexpr std::array<std::string_view, 20> kInlineElements = {
    "a",   "abbr", "b", "cite", "code",  "del",  "em",     "font", "i",   "ins",
    "kbd", "mark", "s", "samp", "small", "span", "strong", "sub",  "sup", "u"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kEntities = {{
    {"amp", "&"},
    {"lt", "<"},
    {"gt", ">"},
    {"quot", "\""},
    {"apos", "'"},
    {"nbsp", " "},
    {"ndash", "\u2013"},
    {"mdash", "\u2014"},
    {"lsquo", "\u2018"},
    {"rsquo", "\u2019"},
    {"ldquo", "\u201C"},
    {"rdquo", "\u201D"},
    {"hellip", "\u2026"},
    {"times", "\u00D7"},
    {"deg", "\u00B0"},
    {"copy", "\u00A9"},
}};

bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsAsciiDigit(char c) { return c >= '0' && c <= '9'; }
char LowerCase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Position of the ">" that ends a tag; quoted values may hold others.
size_t EndOfTag(std::string_view text, size_t at) {
  char quote = 0;
  const size_t end = std::min(text.size(), at + kMaxTagBytes);
  for (size_t i = at; i < end; ++i) {
    if (quote != 0) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == '>') {
      return i;
    } else if (text[i] == '"' && text[i - 1] == '=') {
      quote = '"';
    } else if (text[i] == '\'' && text[i - 1] == '=') {
      quote = '\'';
    }
  }
  return std::string_view::npos;
}

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Bytes of the value at attributes[at], which follows "="; 0 if there is none.
size_t ValueLength(std::string_view attributes, size_t at) {
  constexpr std::string_view kNotBare = " \t\r\n\"'=<>`";
  if (at >= attributes.size()) return 0;
  const char quote = attributes[at];
  if (quote == '"' || quote == '\'') {
    const size_t end = attributes.find(quote, at + 1);
    return end == std::string_view::npos ? 0 : end + 1 - at;
  }
  const size_t end = attributes.find_first_of(kNotBare, at);
  return std::min(end, attributes.size()) - at;
}

// What may stand between the name of a tag and its ">": names, each behind a blank, with or
// without a value, and a slash at the end. Source: CommonMark 0.31, "Raw HTML".
bool AreAttributes(std::string_view attributes) {
  size_t at = 0;
  const auto skip_spaces = [&] {
    const size_t begin = at;
    while (at < attributes.size() && IsSpace(attributes[at])) ++at;
    return at > begin;
  };
  while (at < attributes.size()) {
    const bool has_space = skip_spaces();
    if (at == attributes.size()) return true;
    if (attributes[at] == '/') return at + 1 == attributes.size();
    if (!has_space || !(IsAsciiLetter(attributes[at]) || attributes[at] == '_')) return false;
    while (at < attributes.size() &&
           (IsAsciiLetter(attributes[at]) || IsAsciiDigit(attributes[at]) ||
            std::string_view("_.:-").find(attributes[at]) != std::string_view::npos)) {
      ++at;
    }
    const size_t end_of_name = at;
    skip_spaces();
    if (at == attributes.size() || attributes[at] != '=') {
      at = end_of_name;
      continue;
    }
    ++at;
    skip_spaces();
    const size_t length = ValueLength(attributes, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

// A comment (of any length) or a declaration.
std::optional<HtmlTag> ReadDeclaration(std::string_view text, size_t at) {
  HtmlTag tag;
  tag.name = "!";
  const bool is_comment = text.substr(at, 4) == "<!--";
  if (!is_comment && (at + 2 >= text.size() || !IsAsciiLetter(text[at + 2]))) return std::nullopt;
  const std::string_view close = is_comment ? "-->" : ">";
  const size_t end = text.substr(0, at + kMaxTagBytes).find(close, at + 2);
  if (end == std::string_view::npos) return std::nullopt;
  tag.num_bytes = end + close.size() - at;
  return tag;
}

bool IsScalarValue(uint32_t value) {
  return value != 0 && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
}

// "#8211" or "#x2013"; 0 if it is neither.
uint32_t NumberOfReference(std::string_view body) {
  const bool is_hex = body.size() > 1 && (body[1] == 'x' || body[1] == 'X');
  const std::string_view digits = body.substr(is_hex ? 2 : 1);
  uint32_t value = 0;
  for (const char c : digits) {
    const char lower = LowerCase(c);
    uint32_t digit = 0;
    if (IsAsciiDigit(c)) {
      digit = static_cast<uint32_t>(c - '0');
    } else if (is_hex && lower >= 'a' && lower <= 'f') {
      digit = static_cast<uint32_t>(lower - 'a' + 10);
    } else {
      return 0;
    }
    value = value * (is_hex ? 16 : 10) + digit;
    if (value > 0x10FFFF) return 0;
  }
  return IsScalarValue(value) ? value : 0;
}

}  // namespace

std::optional<HtmlTag> ReadHtmlTag(std::string_view text, size_t at) {
  if (text[at] != '<' || at + 1 >= text.size()) return std::nullopt;
  if (text[at + 1] == '!') return ReadDeclaration(text, at);
  HtmlTag tag;
  tag.is_closing = text[at + 1] == '/';
  size_t i = at + (tag.is_closing ? 2 : 1);
  if (i >= text.size() || !IsAsciiLetter(text[i])) return std::nullopt;
  for (; i < text.size() && (IsAsciiLetter(text[i]) || IsAsciiDigit(text[i])); ++i) {
    tag.name += LowerCase(text[i]);
  }
  const size_t end = EndOfTag(text, i);
  if (end == std::string_view::npos) return std::nullopt;
  tag.attributes = text.substr(i, end - i);
  tag.num_bytes = end + 1 - at;
  // "<b and c>" has no blank where a name would end; "<x@y>" is no tag either.
  if (!tag.attributes.empty() && !IsSpace(tag.attributes.front()) &&
      tag.attributes.front() != '/') {
    return std::nullopt;
  }
  return tag;
}

std::optional<HtmlTag> ReadInlineHtmlTag(std::string_view text, size_t at) {
  std::optional<HtmlTag> tag = ReadHtmlTag(text, at);
  if (tag && tag->name != "!" && !AreAttributes(tag->attributes)) tag.reset();
  return tag;
}

bool IsInlineElement(std::string_view name) {
  return std::find(kInlineElements.begin(), kInlineElements.end(), name) != kInlineElements.end();
}

size_t DecodeEntity(std::string_view text, size_t at, std::string* out) {
  if (text[at] != '&') return 0;
  const size_t end = text.substr(0, at + kMaxEntityBytes).find(';', at);
  if (end == std::string_view::npos || end < at + 2) return 0;
  const std::string_view body = text.substr(at + 1, end - at - 1);
  if (body.front() == '#') {
    const uint32_t number = body.size() > 1 ? NumberOfReference(body) : 0;
    if (number == 0) return 0;
    AppendUtf8(number, out);
    return end + 1 - at;
  }
  const auto* const found = std::find_if(kEntities.begin(), kEntities.end(),
                                         [&](const auto& entity) { return entity.first == body; });
  if (found == kEntities.end()) return 0;
  *out += found->second;
  return end + 1 - at;
}

std::string DecodeEntities(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const size_t used = DecodeEntity(text, i, &out);
    if (used == 0) out += text[i];
    i += std::max<size_t>(used, 1);
  }
  return out;
}

std::string EscapeForHtml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else {
      out += c;
    }
  }
  return out;
}

int SpanOf(std::string_view attributes, std::string_view name) {
  std::string lower(attributes);
  std::transform(lower.begin(), lower.end(), lower.begin(), LowerCase);
  size_t i = lower.find(name);
  if (i == std::string::npos) return 1;
  i = lower.find_first_not_of(" \t\r\n=\"'", i + name.size());
  int value = 0;
  for (; i < lower.size() && IsAsciiDigit(lower[i]) && value <= kMaxSpan; ++i) {
    value = value * 10 + (lower[i] - '0');
  }
  return std::clamp(value, 1, kMaxSpan);
}

}  // namespace octavo
