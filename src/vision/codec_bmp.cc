// A BMP file, all numbers little endian:
//   [0, 14)   "BM", file size (4), reserved (4), offset of the pixels (4)
//   [14, …)   header; its first 4 bytes are its size:
//             12: width (2), height (2), planes (2), bits (2)              OS/2 1, Windows 2
//             16 and more: width (4), height (4), planes (2), bits (2), compression (4), image size
//             (4), resolution (8), colours in the palette (4), important ones (4); from 52 on masks
//             of red, green, blue (12), from 56 on of alpha (4)
//   then      masks (12 or 16) if the header is of 40 bytes and compression asks for them
//   then      palette: blue, green, red, and a fourth byte unless the header is of 12
//   pixels    rows of a multiple of 4 bytes, lowest first unless the height is negative
#include "vision/codec_bmp.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/str_cat.h"
#include "vision/byte_reader.h"
#include "vision/row_sink.h"

namespace octavo {
namespace {

constexpr size_t kFileHeaderBytes = 14;
constexpr uint32_t kCoreHeaderBytes = 12;
constexpr uint32_t kInfoHeaderBytes = 40;

enum Compression : uint32_t { kRgb = 0, kRle8 = 1, kRle4 = 2, kBitFields = 3, kAlphaFields = 6 };

// One channel of a pixel of 16 or 32 bits.
struct ChannelMask {
  uint32_t mask = 0;
  int shift = 0;
  uint32_t largest = 0;

  ChannelMask() = default;
  explicit ChannelMask(uint32_t bits) : mask(bits) {
    if (mask == 0) return;
    shift = std::countr_zero(mask);
    largest = mask >> shift;
  }
  uint8_t Of(uint32_t pixel) const {
    if (largest == 0) return 0;
    const uint64_t value = (pixel & mask) >> shift;
    return static_cast<uint8_t>((value * 255 + largest / 2) / largest);
  }
};

using Palette = std::array<std::array<uint8_t, 3>, 256>;

struct BmpHeader {
  int64_t width = 0;
  int64_t height = 0;
  bool is_top_down = false;
  uint32_t num_bits = 0;
  uint32_t compression = kRgb;
  std::array<ChannelMask, 4> channels = {};  // red, green, blue, alpha; of 16 and 32 bits
  Palette palette = {};                      // of 1 to 8 bits
  size_t pixels_at = 0;

  bool is_rle() const { return compression == kRle4 || compression == kRle8; }
  uint64_t row_bytes() const { return (static_cast<uint64_t>(width) * num_bits + 31) / 32 * 4; }
};

class BmpReader {
 public:
  BmpReader(std::span<const std::byte> bytes, std::string_view where)
      : bytes_(bytes), in_(bytes, ByteOrder::kLittle), where_(where) {}

  BmpHeader ReadHeader(const DecodeOptions& options) const;
  // Colour indices [height, width], the topmost row first.
  LargeBuffer ReadRle(const BmpHeader& header) const;
  // Row y from the top, as stored. REQUIRES: no RLE.
  const uint8_t* Row(const BmpHeader& header, int64_t y) const;
  // Whether every pixel's alpha is 0.
  bool IsAlphaBlank(const BmpHeader& header) const;

 private:
  [[noreturn]] void Fail(const std::string& what) const { throw CorruptImage(where_, "BMP", what); }
  [[noreturn]] void Refuse(const std::string& what) const {
    throw UnsupportedImage(where_, "BMP", what);
  }
  void CheckForm(const BmpHeader& header) const;
  // Returns where they end.
  uint64_t ReadMasks(uint32_t header_bytes, BmpHeader* header) const;
  void ReadPalette(uint64_t at, bool is_core, uint32_t num_wanted, BmpHeader* header) const;

  std::span<const std::byte> bytes_;
  ByteReader in_;
  std::string_view where_;
};

// Where an RLE picture is drawn. Its codes are pairs of bytes: a count and what is repeated; or 0
// and: 0 end of the row, 1 end of the picture, 2 a step right and up (2 more bytes), n literal
// pixels, padded to an even number of bytes.
class RleCanvas {
 public:
  static constexpr uint32_t kEndOfPicture = 1;
  static constexpr uint32_t kStep = 2;

  explicit RleCanvas(const BmpHeader& header)
      : width_(static_cast<size_t>(header.width)),
        height_(static_cast<size_t>(header.height)),
        is_rle4_(header.compression == kRle4),
        indices_(NewLargeBuffer(width_ * height_)) {}

  bool is_finished() const { return is_finished_; }
  // code: end of the row, or of the picture.
  void End(uint32_t code) {
    x_ = 0;
    ++y_;
    is_finished_ = code == kEndOfPicture;
  }
  void Step(uint32_t right, uint32_t up) {
    x_ += right;
    y_ += up;
  }
  uint64_t LiteralBytes(uint32_t count) const { return is_rle4_ ? (count + 1) / 2 : count; }
  // Both return false if a pixel lies outside the picture.
  bool PutRun(uint32_t count, uint32_t value) {
    for (uint32_t i = 0; i < count; ++i) {
      if (!Put(is_rle4_ ? Nibble(value, i) : value)) return false;
    }
    return true;
  }
  // REQUIRES: LiteralBytes(count) in `bytes`.
  bool PutLiterals(uint32_t count, std::span<const std::byte> bytes) {
    for (uint32_t i = 0; i < count; ++i) {
      const auto value = static_cast<uint32_t>(bytes[is_rle4_ ? i / 2 : i]);
      if (!Put(is_rle4_ ? Nibble(value, i) : value)) return false;
    }
    return true;
  }
  // [height, width], the topmost row first.
  LargeBuffer TakeIndices() { return std::move(indices_); }

 private:
  static uint32_t Nibble(uint32_t byte, uint32_t i) { return i % 2 == 0 ? byte >> 4 : byte & 15; }
  bool Put(uint32_t index) {
    if (x_ >= width_ || y_ >= height_) return false;
    indices_[(height_ - 1 - y_) * width_ + x_++] = static_cast<uint8_t>(index);
    return true;
  }

  size_t width_;
  size_t height_;
  bool is_rle4_;
  LargeBuffer indices_;
  size_t x_ = 0;
  size_t y_ = 0;  // from the bottom
  bool is_finished_ = false;
};

BmpHeader BmpReader::ReadHeader(const DecodeOptions& options) const {
  if (!in_.Has(0, kFileHeaderBytes + 4)) Fail("the file ends inside its header");
  const uint32_t header_bytes = in_.U32(kFileHeaderBytes);
  if (!in_.Has(kFileHeaderBytes, header_bytes)) Fail("the file ends inside its header");
  BmpHeader header;
  const bool is_core = header_bytes == kCoreHeaderBytes;
  uint32_t num_colors = 0;
  if (is_core) {
    header.width = in_.U16(18);
    header.height = in_.U16(20);
    header.num_bits = in_.U16(24);
  } else if (header_bytes >= 16 && header_bytes <= 124) {
    header.width = static_cast<int32_t>(in_.U32(18));
    header.height = static_cast<int32_t>(in_.U32(22));
    header.num_bits = in_.U16(28);
    if (header_bytes >= 20) header.compression = in_.U32(30);
    if (header_bytes >= 36) num_colors = in_.U32(46);
  } else {
    Refuse(StrCat("header of ", header_bytes, " bytes, expected 12 or 16 to 124"));
  }
  header.is_top_down = header.height < 0;
  header.height = header.is_top_down ? -header.height : header.height;
  CheckForm(header);
  CheckImageSize(header.width, header.height, where_, options);
  const uint64_t palette_at = ReadMasks(header_bytes, &header);
  if (header.num_bits <= 8) ReadPalette(palette_at, is_core, num_colors, &header);
  header.pixels_at = in_.U32(10);
  const uint64_t num_needed =
      header.is_rle() ? 0 : header.row_bytes() * static_cast<uint64_t>(header.height);
  if (!in_.Has(header.pixels_at, num_needed)) {
    Fail(StrCat("the file ends before its pixels do: ", num_needed, " bytes of pixels from byte ",
                header.pixels_at, " on, the file has ", bytes_.size()));
  }
  return header;
}

void BmpReader::CheckForm(const BmpHeader& header) const {
  const uint32_t bits = header.num_bits;
  bool is_known =
      bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16 || bits == 24 || bits == 32;
  switch (header.compression) {
    case kRgb:
      break;
    case kRle8:
      is_known = bits == 8;
      break;
    case kRle4:
      is_known = bits == 4;
      break;
    case kBitFields:
    case kAlphaFields:
      is_known = bits == 16 || bits == 32;
      break;
    default:
      is_known = false;
  }
  if (!is_known) {
    Refuse(StrCat(bits, " bits a pixel with compression ", header.compression,
                  ", expected 1 to 32 bits with compression 0, 1, 2, 3 or 6"));
  }
  if (header.is_rle() && header.is_top_down) Fail("RLE picture with its top row first");
}

uint64_t BmpReader::ReadMasks(uint32_t header_bytes, BmpHeader* header) const {
  uint64_t end = kFileHeaderBytes + header_bytes;
  const bool has_masks = header->compression == kBitFields || header->compression == kAlphaFields;
  if (!has_masks) {
    const bool is_555 = header->num_bits == 16;
    header->channels = {ChannelMask(is_555 ? 0x7C00 : 0xFF0000),
                        ChannelMask(is_555 ? 0x3E0 : 0xFF00), ChannelMask(is_555 ? 0x1F : 0xFF),
                        ChannelMask()};
    return end;
  }
  constexpr uint64_t kMasksAt = kFileHeaderBytes + kInfoHeaderBytes;
  size_t num_masks = header->compression == kAlphaFields ? 4 : 3;
  if (header_bytes >= 56) {
    num_masks = 4;
  } else if (header_bytes <= kInfoHeaderBytes) {
    end = kMasksAt + num_masks * 4;
  }
  if (header_bytes < kInfoHeaderBytes || !in_.Has(kMasksAt, num_masks * 4)) {
    Fail("bit fields without masks");
  }
  for (size_t i = 0; i < num_masks; ++i) {
    const ChannelMask channel(in_.U32(kMasksAt + i * 4));
    if (!std::has_single_bit(uint64_t{channel.largest} + 1)) Fail("bit field with a gap");
    header->channels[i] = channel;
  }
  return end;
}

void BmpReader::ReadPalette(uint64_t at, bool is_core, uint32_t num_wanted,
                            BmpHeader* header) const {
  const uint64_t entry_bytes = is_core ? 3 : 4;
  const uint32_t largest = 1u << header->num_bits;
  const uint32_t num_colors = num_wanted == 0 ? largest : std::min(num_wanted, largest);
  if (!in_.Has(at, num_colors * entry_bytes)) Fail("the file ends inside its palette");
  for (uint32_t i = 0; i < num_colors; ++i) {
    const uint64_t entry = at + i * entry_bytes;
    for (uint64_t c = 0; c < 3; ++c) {
      header->palette[i][c] = static_cast<uint8_t>(in_.U8(entry + 2 - c));
    }
  }
}

LargeBuffer BmpReader::ReadRle(const BmpHeader& header) const {
  RleCanvas canvas(header);
  const auto need = [&](uint64_t at, uint64_t num_bytes) {
    if (!in_.Has(at, num_bytes)) Fail("the file ends inside its pixels");
  };
  for (uint64_t at = header.pixels_at; !canvas.is_finished();) {
    need(at, 2);
    const uint32_t count = in_.U8(at);
    const uint32_t value = in_.U8(at + 1);
    at += 2;
    bool is_inside = true;
    if (count > 0) {
      is_inside = canvas.PutRun(count, value);
    } else if (value <= RleCanvas::kEndOfPicture) {
      canvas.End(value);
    } else if (value == RleCanvas::kStep) {
      need(at, 2);
      canvas.Step(in_.U8(at), in_.U8(at + 1));
      at += 2;
    } else {
      const uint64_t num_bytes = canvas.LiteralBytes(value);
      need(at, num_bytes);
      is_inside = canvas.PutLiterals(value, bytes_.subspan(static_cast<size_t>(at)));
      at += (num_bytes + 1) / 2 * 2;
    }
    if (!is_inside) Fail("run of pixels past the edge of the picture");
  }
  return canvas.TakeIndices();
}

const uint8_t* BmpReader::Row(const BmpHeader& header, int64_t y) const {
  const int64_t stored = header.is_top_down ? y : header.height - 1 - y;
  return reinterpret_cast<const uint8_t*>(bytes_.data()) + header.pixels_at +
         static_cast<uint64_t>(stored) * header.row_bytes();
}

uint32_t WidePixel(const uint8_t* row, int64_t x, uint32_t num_bits) {
  const uint8_t* p = row + x * (num_bits / 8);
  uint32_t pixel = 0;
  for (uint32_t i = 0; i < num_bits / 8; ++i) pixel |= static_cast<uint32_t>(p[i]) << (8 * i);
  return pixel;
}

bool BmpReader::IsAlphaBlank(const BmpHeader& header) const {
  for (int64_t y = 0; y < header.height; ++y) {
    const uint8_t* row = Row(header, y);
    for (int64_t x = 0; x < header.width; ++x) {
      if ((WidePixel(row, x, header.num_bits) & header.channels[3].mask) != 0) return false;
    }
  }
  return true;
}

// [width] indices of 1 to 8 bits to RGB.
void IndexedRow(const BmpHeader& header, const uint8_t* in, uint32_t num_bits, uint8_t* rgb) {
  const uint32_t mask = (1u << num_bits) - 1;
  for (int64_t x = 0; x < header.width; ++x, rgb += 3) {
    const int64_t bit = x * num_bits;
    const uint32_t index = (in[bit / 8] >> (8 - num_bits - bit % 8)) & mask;
    std::memcpy(rgb, header.palette[index].data(), 3);
  }
}

// [width] pixels of 16 to 32 bits to RGB or, with alpha, RGBA.
void WideRow(const BmpHeader& header, const uint8_t* in, size_t num_channels, uint8_t* out) {
  for (int64_t x = 0; x < header.width; ++x, out += num_channels) {
    const uint32_t pixel = WidePixel(in, x, header.num_bits);
    for (size_t c = 0; c < num_channels; ++c) out[c] = header.channels[c].Of(pixel);
  }
}

}  // namespace

bool IsBmp(std::span<const std::byte> bytes) noexcept {
  // "BM" alone begins many a text: the header's size must be one that there is.
  if (bytes.size() < 2 || std::memcmp(bytes.data(), "BM", 2) != 0) return false;
  const ByteReader in(bytes, ByteOrder::kLittle);
  if (!in.Has(kFileHeaderBytes, 4)) return true;
  return in.U32(kFileHeaderBytes) <= 1024;
}

DecodedImage DecodeBmp(std::span<const std::byte> bytes, std::string_view where,
                       const DecodeOptions& options) {
  const BmpReader reader(bytes, where);
  const BmpHeader header = reader.ReadHeader(options);
  const bool has_alpha = header.channels[3].mask != 0 && !reader.IsAlphaBlank(header);
  LargeBuffer indices;
  if (header.is_rle()) {
    CheckHeldWhole({header.width, header.height,
                    static_cast<uint64_t>(header.width) * static_cast<uint64_t>(header.height),
                    bytes.size(), "BMP with RLE"},
                   where, options);
    indices = reader.ReadRle(header);
  }
  RowSink sink(header.width, header.height, has_alpha ? PixelLayout::kRgba : PixelLayout::kRgb, {},
               options);
  for (int64_t y = 0; y < header.height; ++y) {
    if (header.is_rle()) {
      IndexedRow(header, indices.get() + y * header.width, 8, sink.row());
    } else if (header.num_bits <= 8) {
      IndexedRow(header, reader.Row(header, y), header.num_bits, sink.row());
    } else {
      WideRow(header, reader.Row(header, y), has_alpha ? 4 : 3, sink.row());
    }
    sink.TakeRow();
  }
  DecodedImage decoded = sink.Finish();
  decoded.bits_per_pixel = header.num_bits;
  return decoded;
}

}  // namespace octavo
