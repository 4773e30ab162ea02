// Finds literals by narrowing a sorted list, one byte at a time.
#include "text/added_token_matcher.h"

#include <algorithm>

#include "base/utf8.h"
#include "text/unicode.h"

namespace octavo {
namespace {

unsigned char ByteAt(const TokenPattern& pattern, size_t depth) {
  return static_cast<unsigned char>(pattern.content[depth]);
}

// Where the white space that ends at `end` begins; not before `floor`.
size_t WhiteSpaceBegin(std::string_view text, size_t floor, size_t end) {
  while (end > floor) {
    size_t begin = end - 1;
    while (begin > floor && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
    if (!IsWhiteSpace(DecodeUtf8(text.substr(begin, end - begin)).code_point)) break;
    end = begin;
  }
  return end;
}

// Where the white space that begins at `begin` ends.
size_t WhiteSpaceEnd(std::string_view text, size_t begin) {
  while (begin < text.size()) {
    const DecodedChar c = DecodeUtf8(text.substr(begin));
    if (!IsWhiteSpace(c.code_point)) break;
    begin += static_cast<size_t>(c.num_bytes);
  }
  return begin;
}

}  // namespace

AddedTokenMatcher::AddedTokenMatcher(std::vector<TokenPattern> patterns)
    : patterns_(std::move(patterns)) {
  std::sort(patterns_.begin(), patterns_.end(),
            [](const TokenPattern& a, const TokenPattern& b) { return a.content < b.content; });
  size_t next = 0;
  for (size_t byte = 0; byte < 256; ++byte) {
    first_[byte] = next;
    while (next < patterns_.size() && ByteAt(patterns_[next], 0) == byte) ++next;
  }
  first_[256] = next;
}

const TokenPattern* AddedTokenMatcher::FindAt(std::string_view text, size_t pos) const noexcept {
  const auto first_byte = static_cast<unsigned char>(text[pos]);
  auto begin = patterns_.begin() + static_cast<ptrdiff_t>(first_[first_byte]);
  auto end = patterns_.begin() + static_cast<ptrdiff_t>(first_[size_t{first_byte} + 1]);
  const TokenPattern* longest = nullptr;
  // All of [begin, end) share their first `depth` bytes with the text.
  for (size_t depth = 1; begin != end; ++depth) {
    if (begin->content.size() == depth) {  // the shortest sorts first
      longest = &*begin;
      ++begin;
    }
    if (pos + depth >= text.size()) break;
    const auto byte = static_cast<unsigned char>(text[pos + depth]);
    begin = std::partition_point(begin, end,
                                 [&](const TokenPattern& p) { return ByteAt(p, depth) < byte; });
    end = std::partition_point(begin, end,
                               [&](const TokenPattern& p) { return ByteAt(p, depth) == byte; });
  }
  return longest;
}

void AddedTokenMatcher::Split(std::string_view text, FunctionRef<void(std::string_view)> on_text,
                              FunctionRef<void(int32_t)> on_token) const {
  size_t text_begin = 0;  // of the stretch not yet passed on
  size_t pos = 0;
  while (pos < text.size()) {
    const auto byte = static_cast<unsigned char>(text[pos]);
    const TokenPattern* match =
        first_[byte] == first_[size_t{byte} + 1] ? nullptr : FindAt(text, pos);
    if (match == nullptr) {
      ++pos;
      continue;
    }
    const size_t begin = match->lstrip ? WhiteSpaceBegin(text, text_begin, pos) : pos;
    if (begin > text_begin) on_text(text.substr(text_begin, begin - text_begin));
    on_token(match->id);
    pos += match->content.size();
    if (match->rstrip) pos = WhiteSpaceEnd(text, pos);
    text_begin = pos;
  }
  if (text_begin < text.size()) on_text(text.substr(text_begin));
}

}  // namespace octavo
