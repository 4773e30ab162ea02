#include "vision/codec_ppm.h"

#include <cstring>
#include <string>

#include "base/str_cat.h"
#include "vision/row_sink.h"

namespace octavo {
namespace {

std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

// Header of a netpbm file: numbers between white space and comments.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  [[noreturn]] void Fail(const char* what) const {
    throw CorruptImage(where_, "PPM", StrCat(what, " at byte ", offset_));
  }

  // At most 9 digits, so that no sum overflows.
  int Number() {
    SkipSpaceAndComments();
    int value = 0;
    int num_digits = 0;
    while (offset_ < text_.size() && text_[offset_] >= '0' && text_[offset_] <= '9') {
      if (++num_digits > 9) Fail("number too long");
      value = value * 10 + (text_[offset_++] - '0');
    }
    if (num_digits == 0) Fail("no number where the header needs one");
    return value;
  }

  // Offset of the pixels: one white-space character after the last number.
  size_t EndOfHeader() {
    if (offset_ >= text_.size() || !IsSpace(text_[offset_])) Fail("header does not end");
    return offset_ + 1;
  }

 private:
  void SkipSpaceAndComments() {
    while (offset_ < text_.size()) {
      if (text_[offset_] == '#') {
        while (offset_ < text_.size() && text_[offset_] != '\n') ++offset_;
      } else if (IsSpace(text_[offset_])) {
        ++offset_;
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  std::string_view where_;
  size_t offset_ = 2;
};

}  // namespace

bool IsPpm(std::span<const std::byte> bytes) noexcept {
  const std::string_view text = AsText(bytes);
  return text.size() >= 3 && text.starts_with("P6") && (IsSpace(text[2]) || text[2] == '#');
}

DecodedImage DecodePpm(std::span<const std::byte> bytes, std::string_view where,
                       const DecodeOptions& options) {
  if (!IsPpm(bytes)) throw UnsupportedImage(where, "PPM", "not in binary form");
  const std::string_view text = AsText(bytes);
  HeaderReader header(text, where);
  const int width = header.Number();
  const int height = header.Number();
  const int max_value = header.Number();
  if (max_value != 255) {
    throw UnsupportedImage(where, "PPM", StrCat("maximum of ", max_value, ", expected 255"));
  }
  const size_t pixels_at = header.EndOfHeader();
  CheckImageSize(width, height, where, options);
  const size_t needed = static_cast<size_t>(width) * static_cast<size_t>(height) * 3;
  const size_t found = bytes.size() - pixels_at;
  if (found != needed) {
    throw CorruptImage(
        where, "PPM",
        StrCat(width, "x", height, " pixels with ", found, " bytes, expected ", needed));
  }
  RowSink sink(width, height, PixelLayout::kRgb, {}, options);
  const auto* pixels = reinterpret_cast<const uint8_t*>(bytes.data()) + pixels_at;
  for (int y = 0; y < height; ++y, pixels += sink.row_bytes()) {
    std::memcpy(sink.row(), pixels, sink.row_bytes());
    sink.TakeRow();
  }
  return sink.Finish();
}

}  // namespace octavo
