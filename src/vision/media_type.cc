#include "vision/media_type.h"

#include <algorithm>

namespace octavo {
namespace {

constexpr size_t kHeadBytes = 4096;

struct Signature {
  size_t offset;
  std::string_view bytes;
  std::string_view name;
};

using namespace std::string_view_literals;

constexpr Signature kSignatures[] = {
    {0, "%PDF-", "PDF"},
    {0, "\xFF\x0A", "JPEG XL picture"},
    {0, "\0\0\0\x0CJXL "sv, "JPEG XL picture"},
    {0, "\0\0\0\x0CjP  "sv, "JPEG 2000 picture"},
    {0, "\xFF\x4F\xFF\x51", "JPEG 2000 picture"},
    {0, "8BPS", "Photoshop picture"},
    {0, "AT&TFORM", "DjVu document"},
    {0, "\x76\x2F\x31\x01", "OpenEXR picture"},
    {0, "#?RADIANCE", "Radiance HDR picture"},
    {0, "\0\0\1\0"sv, "Windows icon"},
    {0, "\0\0\2\0"sv, "Windows cursor"},
    {0, "\xD7\xCD\xC6\x9A", "Windows metafile"},
    {40, " EMF", "Windows metafile"},
    {128, "DICM", "DICOM picture"},
    {0, "SIMPLE  =", "FITS picture"},
    {0, "qoif", "QOI picture"},
    {0, "farbfeld", "farbfeld picture"},
    {0, "\x97JB2\r\n\x1A\n", "JBIG2 picture"},
    {0, "\x0A\x05\x01", "PCX picture"},
    {0, "P1\n", "PBM picture"},
    {0, "P2\n", "PGM picture"},
    {0, "P3\n", "PPM picture in text form"},
    {0, "P4\n", "PBM picture"},
    {0, "P5\n", "PGM picture"},
    {0, "P7\n", "PAM picture"},
    {0, "%!PS", "PostScript document"},
    {0, "\xC5\xD0\xD3\xC6", "PostScript document"},
    {0, "{\\rtf", "RTF document"},
    {0, "PK\3\4", "ZIP archive or Office document"},
    {0, "PK\5\6", "ZIP archive or Office document"},
    {0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "old Office document"},
    {0, "\x1F\x8B", "gzip archive"},
    {0, "BZh", "bzip2 archive"},
    {0,
     "\xFD"
     "7zXZ",
     "xz archive"},
    {0, "\x28\xB5\x2F\xFD", "zstd archive"},
    {0, "7z\xBC\xAF\x27\x1C", "7-Zip archive"},
    {0, "Rar!\x1A\7", "RAR archive"},
    {257, "ustar", "tar archive"},
    {0,
     "\x7F"
     "ELF",
     "program"},
    {0, "MZ", "program"},
    {0, "\x1A\x45\xDF\xA3", "video"},
    {8, "AVI ", "video"},
    {8, "WAVE", "sound"},
    {0, "ID3", "sound"},
    {0, "OggS", "sound or video"},
    {0, "fLaC", "sound"},
    {0, "GGUF", "GGUF checkpoint"},
    {0, "SQLite format 3", "SQLite database"},
};

bool Contains(std::string_view text, std::string_view what) {
  return text.find(what) != std::string_view::npos;
}

// ISO base media: size (4), "ftyp", brand (4), version (4), compatible brands.
std::string_view NameIsoMedia(std::string_view head) {
  const std::string_view brands = head.substr(8, std::min<size_t>(head.size() - 8, 56));
  if (Contains(brands, "avif") || Contains(brands, "avis")) return "AVIF picture";
  for (const std::string_view brand : {"heic", "heix", "hevc", "mif1", "msf1", "heim", "heis"}) {
    if (Contains(brands, brand)) return "HEIC picture";
  }
  if (brands.starts_with("crx ")) return "camera raw picture";
  return "video";
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool StartsWithNoCase(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() &&
         std::equal(lower.begin(), lower.end(), text.begin(),
                    [](char want, char c) { return want == Lower(c); });
}

// No control characters but white space. UTF-8 and 8-bit encodings alike.
bool IsText(std::string_view head) {
  return std::all_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 32 && byte != 127) || (byte >= 8 && byte <= 13) || byte == 27;
  });
}

std::string_view NameText(std::string_view head) {
  std::string_view text = head;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\r\n")));
  if (StartsWithNoCase(text, "<!doctype html") || StartsWithNoCase(text, "<html")) return "HTML";
  if (StartsWithNoCase(text, "<svg") ||
      (StartsWithNoCase(text, "<?xml") && Contains(text, "<svg"))) {
    return "SVG drawing";
  }
  if (StartsWithNoCase(text, "<?xml")) return Contains(text, "<html") ? "HTML" : "XML";
  if (text.starts_with("<!--") && Contains(text, "<svg")) return "SVG drawing";
  if (text.starts_with("version https://git-lfs")) return "Git LFS pointer";
  return "text";
}

}  // namespace

std::string_view NameMediaType(std::span<const std::byte> bytes) noexcept {
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()),
                              std::min(bytes.size(), kHeadBytes));
  if (head.empty()) return "";
  for (const Signature& signature : kSignatures) {
    if (head.size() >= signature.offset + signature.bytes.size() &&
        head.substr(signature.offset, signature.bytes.size()) == signature.bytes) {
      return signature.name;
    }
  }
  if (head.size() >= 12 && head.substr(4, 4) == "ftyp") return NameIsoMedia(head);
  if (head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF")) return "text in UTF-16";
  if (IsText(head)) return NameText(head);
  if (head.find_first_not_of('\0') == std::string_view::npos) return "zero bytes only";
  return "";
}

}  // namespace octavo
