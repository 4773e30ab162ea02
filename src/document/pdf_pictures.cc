#include "document/pdf_pictures.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>

namespace octavo {
namespace {

constexpr size_t kMaxDictionaryBytes = 4096;
constexpr size_t kMaxCutPictures = 10'000;
// No deflate stream is longer than this times its compressed form (zlib, technical details).
constexpr uint64_t kMaxDeflateRatio = 1032;
constexpr auto kNone = std::string_view::npos;

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

int ToInt(std::string_view digits) {
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() && end != digits.data() ? value : 0;
}

// Positive number behind a key such as "/Width"; 0 if there is none.
int NumberOf(std::string_view dictionary, std::string_view key) {
  const size_t at = dictionary.find(key);
  if (at == kNone) return 0;
  std::string_view rest = dictionary.substr(at + key.size());
  while (!rest.empty() && IsSpace(rest.front())) rest.remove_prefix(1);
  return std::max(0, ToInt(rest));
}

bool Contains(std::string_view text, std::string_view word) { return text.find(word) != kNone; }

// "12 0 " before the keyword "obj": 12; else 0.
int NumberBefore(std::string_view text) {
  for (int i = 0; i < 2; ++i) {
    while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
    size_t begin = text.size();
    while (begin > 0 && IsDigit(text[begin - 1])) --begin;
    if (i == 1) return ToInt(text.substr(begin));
    text = text.substr(0, begin);
  }
  return 0;
}

// Whether a JPEG's last scan is followed by the marker of its end. Segments before the first scan
// are stepped over: a preview in them has an end of its own.
bool HasJpegEnd(std::string_view jpeg) {
  size_t at = 2;
  while (at + 4 <= jpeg.size() && jpeg[at] == '\xFF' && jpeg[at + 1] != '\xDA') {
    const auto high = static_cast<unsigned char>(jpeg[at + 2]);
    const auto low = static_cast<unsigned char>(jpeg[at + 3]);
    at += 2 + std::max<size_t>(2, size_t{high} * 256 + low);
  }
  const size_t end = jpeg.rfind("\xFF\xD9");
  return end != kNone && end > at;
}

// An image object: its dictionary, and its data as stored.
bool IsCut(std::string_view dictionary, std::string_view data) {
  if (Contains(dictionary, "/DCTDecode")) {
    return data.substr(0, 2) == "\xFF\xD8" && !HasJpegEnd(data);
  }
  if (!Contains(dictionary, "/FlateDecode")) return false;
  const auto width = static_cast<uint64_t>(NumberOf(dictionary, "/Width"));
  const auto height = static_cast<uint64_t>(NumberOf(dictionary, "/Height"));
  const int bits = NumberOf(dictionary, "/BitsPerComponent");
  const uint64_t num_bytes = (width * static_cast<uint64_t>(std::clamp(bits, 1, 16)) + 7) / 8;
  return num_bytes * height / kMaxDeflateRatio > data.size() + 64;
}

}  // namespace

std::vector<int> FindCutPictures(std::string_view pdf) {
  constexpr std::string_view kImage = "/Image";
  std::vector<int> cut;
  size_t next = 0;
  for (size_t at = pdf.find(kImage); at != kNone; at = pdf.find(kImage, next)) {
    next = at + kImage.size();
    if (next >= pdf.size() || cut.size() >= kMaxCutPictures) break;
    // Not "/ImageMask" or the like.
    if (!IsSpace(pdf[next]) && pdf[next] != '/' && pdf[next] != '>') continue;
    const size_t from = at - std::min(at, kMaxDictionaryBytes);
    const size_t object = pdf.substr(from, at - from).rfind("obj");
    const size_t stream = pdf.substr(at, kMaxDictionaryBytes).find("stream");
    if (object == kNone || stream == kNone) continue;
    const std::string_view dictionary =
        pdf.substr(from + object + 3, at + stream - from - object - 3);
    const int number = NumberBefore(pdf.substr(from, object));
    if (number == 0 || Contains(dictionary, "endobj")) continue;
    std::string_view data = pdf.substr(at + stream + 6);
    if (data.substr(0, 1) == "\r") data.remove_prefix(1);
    if (data.substr(0, 1) == "\n") data.remove_prefix(1);
    data = data.substr(0, data.find("endstream"));
    if (IsCut(dictionary, data)) cut.push_back(number);
    next = static_cast<size_t>(data.data() + data.size() - pdf.data());
  }
  std::sort(cut.begin(), cut.end());
  cut.erase(std::unique(cut.begin(), cut.end()), cut.end());
  return cut;
}

std::vector<int> PicturesOfPdfImages(std::string_view output) {
  // page, num, type, width, height, color, comp, bpc, enc, interp, object, …
  constexpr int kObjectField = 10;
  std::vector<int> numbers;
  while (!output.empty()) {
    std::string_view line = output.substr(0, output.find('\n'));
    output.remove_prefix(std::min(output.size(), line.size() + 1));
    for (int field = 0; !line.empty(); ++field) {
      while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
      const std::string_view word = line.substr(0, line.find(' '));
      if (field == kObjectField && ToInt(word) > 0) numbers.push_back(ToInt(word));
      line.remove_prefix(word.size());
    }
  }
  return numbers;
}

}  // namespace octavo
