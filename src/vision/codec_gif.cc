#include "vision/codec_gif.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include <gif_lib.h>

#include "vision/byte_reader.h"
#include "vision/row_sink.h"

namespace octavo {
namespace {

// What follows the first frame.
enum class Rest { kTrailer, kAnotherFrame, kCut };

struct Source {
  std::span<const std::byte> bytes;
  size_t offset = 0;
};

int OnRead(GifFileType* gif, GifByteType* out, int count) {
  auto* source = static_cast<Source*>(gif->UserData);
  const size_t num_bytes =
      std::min(static_cast<size_t>(std::max(count, 0)), source->bytes.size() - source->offset);
  if (num_bytes > 0) std::memcpy(out, source->bytes.data() + source->offset, num_bytes);
  source->offset += num_bytes;
  return static_cast<int>(num_bytes);
}

struct CloseGif {
  void operator()(GifFileType* gif) const { DGifCloseFile(gif, nullptr); }
};

// Skips sub-blocks: a length (1) and as many bytes, until a length of 0. False at the file's end.
bool SkipSubBlocks(const ByteReader& in, uint64_t* at) {
  while (in.Has(*at, 1)) {
    const uint32_t length = in.U8(*at);
    *at += 1 + length;
    if (length == 0) return true;
  }
  return false;
}

Rest WhatFollows(std::span<const std::byte> bytes, uint64_t at) {
  constexpr uint32_t kExtension = 0x21;
  constexpr uint32_t kFrame = 0x2C;
  constexpr uint32_t kTrailer = 0x3B;
  const ByteReader in(bytes, ByteOrder::kLittle);
  while (in.Has(at, 1)) {
    const uint32_t kind = in.U8(at);
    if (kind == kTrailer) return Rest::kTrailer;
    if (kind == kFrame) return Rest::kAnotherFrame;
    if (kind != kExtension) return Rest::kCut;
    at += 2;  // and the label
    if (!SkipSubBlocks(in, &at)) return Rest::kCut;
  }
  return Rest::kCut;
}

class GifReader {
 public:
  GifReader(std::span<const std::byte> bytes, std::string_view where)
      : source_{bytes}, where_(where) {
    int code = 0;
    gif_.reset(DGifOpen(&source_, OnRead, &code));
    if (gif_ == nullptr) Fail(GifErrorString(code));
  }

  // Up to the first frame's pixels.
  void FindFrame();
  // Valid after FindFrame: the frame, and the canvas that holds screen and frame.
  const GifImageDesc& frame() const { return gif_->Image; }
  int64_t canvas_width() const { return std::max(gif_->SWidth, frame().Left + frame().Width); }
  int64_t canvas_height() const { return std::max(gif_->SHeight, frame().Top + frame().Height); }
  bool has_alpha() const {
    return transparent_ != NO_TRANSPARENT_COLOR || frame().Left != 0 || frame().Top != 0 ||
           frame().Width < canvas_width() || frame().Height < canvas_height();
  }
  // [256] RGBA.
  std::array<std::array<uint8_t, 4>, 256> Palette() const;

  // The next row of the frame in the file's order: [frame width] colour indices.
  void ReadRow(uint8_t* indices);
  // All rows of an interlaced frame, in the picture's order.
  LargeBuffer ReadInterlaced();
  // REQUIRES: all rows read.
  Rest WhatFollowsTheFrame() const { return WhatFollows(source_.bytes, source_.offset); }

 private:
  [[noreturn]] void Fail(const char* what) const {
    throw CorruptImage(where_, "GIF", what == nullptr ? "damaged" : what);
  }
  [[noreturn]] void FailAsLibrary() const { Fail(GifErrorString(gif_->Error)); }
  void ReadExtension();

  Source source_;
  std::string_view where_;
  std::unique_ptr<GifFileType, CloseGif> gif_;
  int transparent_ = NO_TRANSPARENT_COLOR;
};

void GifReader::ReadExtension() {
  int code = 0;
  GifByteType* block = nullptr;  // length, then as many bytes
  if (DGifGetExtension(gif_.get(), &code, &block) != GIF_OK) FailAsLibrary();
  while (block != nullptr) {
    GraphicsControlBlock control = {};
    if (code == GRAPHICS_EXT_FUNC_CODE &&
        DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK) {
      transparent_ = control.TransparentColor;
    }
    if (DGifGetExtensionNext(gif_.get(), &block) != GIF_OK) FailAsLibrary();
  }
}

void GifReader::FindFrame() {
  while (true) {
    GifRecordType kind = UNDEFINED_RECORD_TYPE;
    if (DGifGetRecordType(gif_.get(), &kind) != GIF_OK) FailAsLibrary();
    switch (kind) {
      case IMAGE_DESC_RECORD_TYPE:
        if (DGifGetImageDesc(gif_.get()) != GIF_OK) FailAsLibrary();
        return;
      case EXTENSION_RECORD_TYPE:
        ReadExtension();
        break;
      case TERMINATE_RECORD_TYPE:
        Fail("no frame in the file");
      default:
        Fail("unknown record");
    }
  }
}

std::array<std::array<uint8_t, 4>, 256> GifReader::Palette() const {
  const ColorMapObject* map = frame().ColorMap != nullptr ? frame().ColorMap : gif_->SColorMap;
  if (map == nullptr) Fail("neither the file nor its frame has a palette");
  std::array<std::array<uint8_t, 4>, 256> palette = {};
  for (size_t i = 0; i < palette.size(); ++i) {
    if (i < static_cast<size_t>(map->ColorCount)) {
      const GifColorType& color = map->Colors[i];
      palette[i] = {color.Red, color.Green, color.Blue, 255};
    }
    palette[i][3] = static_cast<int>(i) == transparent_ ? 0 : 255;
  }
  return palette;
}

void GifReader::ReadRow(uint8_t* indices) {
  if (DGifGetLine(gif_.get(), indices, frame().Width) != GIF_OK) FailAsLibrary();
}

LargeBuffer GifReader::ReadInterlaced() {
  struct Pass {
    size_t first;
    size_t step;
  };
  constexpr Pass kPasses[] = {{0, 8}, {4, 8}, {2, 4}, {1, 2}};
  const auto width = static_cast<size_t>(frame().Width);
  const auto height = static_cast<size_t>(frame().Height);
  LargeBuffer indices = NewLargeBuffer(width * height);
  for (const Pass& pass : kPasses) {
    for (size_t y = pass.first; y < height; y += pass.step) ReadRow(indices.get() + y * width);
  }
  return indices;
}

}  // namespace

bool IsGif(std::span<const std::byte> bytes) noexcept {
  return bytes.size() >= 6 && (std::memcmp(bytes.data(), "GIF87a", 6) == 0 ||
                               std::memcmp(bytes.data(), "GIF89a", 6) == 0);
}

DecodedImage DecodeGif(std::span<const std::byte> bytes, std::string_view where,
                       const DecodeOptions& options) {
  GifReader reader(bytes, where);
  reader.FindFrame();
  const GifImageDesc& frame = reader.frame();
  CheckImageSize(frame.Width, frame.Height, where, options);
  CheckImageSize(reader.canvas_width(), reader.canvas_height(), where, options);
  const auto palette = reader.Palette();
  LargeBuffer whole;
  std::vector<uint8_t> indices;  // one row
  if (frame.Interlace) {
    CheckHeldWhole({frame.Width, frame.Height,
                    static_cast<uint64_t>(frame.Width) * static_cast<uint64_t>(frame.Height),
                    bytes.size(), "interlaced GIF"},
                   where, options);
    whole = reader.ReadInterlaced();
  } else {
    indices.resize(static_cast<size_t>(frame.Width));
  }

  const PixelLayout layout = reader.has_alpha() ? PixelLayout::kRgba : PixelLayout::kRgb;
  RowSink sink(reader.canvas_width(), reader.canvas_height(), layout, {}, options);
  for (int64_t y = 0; y < reader.canvas_height(); ++y) {
    uint8_t* row = sink.row();
    const bool is_in_frame = y >= frame.Top && y - frame.Top < frame.Height;
    if (reader.has_alpha()) std::memset(row, 0, sink.row_bytes());
    if (is_in_frame) {
      const uint8_t* in = indices.data();
      if (frame.Interlace) {
        in = whole.get() + (y - frame.Top) * frame.Width;
      } else {
        reader.ReadRow(indices.data());
      }
      uint8_t* out = row + static_cast<size_t>(frame.Left) * NumChannels(layout);
      for (int x = 0; x < frame.Width; ++x, out += NumChannels(layout)) {
        std::memcpy(out, palette[in[x]].data(), NumChannels(layout));
      }
    }
    sink.TakeRow();
  }
  DecodedImage decoded = sink.Finish();
  decoded.bits_per_pixel = 8;
  const Rest rest = reader.WhatFollowsTheFrame();
  if (rest == Rest::kAnotherFrame) decoded.warnings.push_back(FirstFrameOnly());
  if (rest == Rest::kCut) {
    decoded.warnings.emplace_back("image_truncated: the GIF ends behind its first frame");
  }
  return decoded;
}

}  // namespace octavo
