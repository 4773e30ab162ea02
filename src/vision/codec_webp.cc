#include "vision/codec_webp.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include <webp/decode.h>
#include <webp/demux.h>

#include "vision/exif.h"
#include "vision/row_sink.h"

namespace octavo {
namespace {

struct CloseDemuxer {
  void operator()(WebPDemuxer* demuxer) const { WebPDemuxDelete(demuxer); }
};

const char* StatusText(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_OUT_OF_MEMORY:
      return "out of memory";
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return "unknown feature";
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED:
      return "the file is cut";
    default:
      return "damaged data";
  }
}

// An opened file and its first frame.
class WebpReader {
 public:
  WebpReader(std::span<const std::byte> bytes, std::string_view where);
  WebpReader(const WebpReader&) = delete;
  WebpReader& operator=(const WebpReader&) = delete;
  ~WebpReader() { WebPDemuxReleaseIterator(&frame_); }

  int64_t canvas_width() const { return Feature(WEBP_FF_CANVAS_WIDTH); }
  int64_t canvas_height() const { return Feature(WEBP_FF_CANVAS_HEIGHT); }
  bool is_animated() const { return frame_.num_frames > 1; }
  const WebPIterator& frame() const { return frame_; }
  bool covers_canvas() const {
    return frame_.width == canvas_width() && frame_.height == canvas_height();
  }
  bool frame_has_alpha() const { return features_.has_alpha != 0; }
  // The payload of the file's "ICCP" or "EXIF"; empty if absent. Lies in the file's bytes.
  std::span<const std::byte> Chunk(const char* name) const;
  // [frame height, frame width, 3 or 4]. REQUIRES: out of that size.
  void Decode(size_t num_channels, uint8_t* out) const;

 private:
  [[noreturn]] void Fail(const char* what) const { throw CorruptImage(where_, "WebP", what); }
  int64_t Feature(WebPFormatFeature feature) const {
    return WebPDemuxGetI(demuxer_.get(), feature);
  }

  std::string_view where_;
  std::unique_ptr<WebPDemuxer, CloseDemuxer> demuxer_;
  WebPIterator frame_ = {};
  WebPBitstreamFeatures features_ = {};
};

WebpReader::WebpReader(std::span<const std::byte> bytes, std::string_view where) : where_(where) {
  const WebPData data = {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
  WebPDemuxState state = WEBP_DEMUX_PARSE_ERROR;
  demuxer_.reset(WebPDemuxPartial(&data, &state));
  if (demuxer_ == nullptr || state != WEBP_DEMUX_DONE) {
    Fail(state == WEBP_DEMUX_PARSE_ERROR ? "damaged data" : "the file is cut");
  }
  if (WebPDemuxGetFrame(demuxer_.get(), 1, &frame_) == 0) Fail("no frame in the file");
  const VP8StatusCode status =
      WebPGetFeatures(frame_.fragment.bytes, frame_.fragment.size, &features_);
  if (status != VP8_STATUS_OK) Fail(StatusText(status));
  if (features_.width != frame_.width || features_.height != frame_.height ||
      frame_.x_offset + int64_t{frame_.width} > canvas_width() ||
      frame_.y_offset + int64_t{frame_.height} > canvas_height()) {
    Fail("a frame whose size differs from what the file says");
  }
}

std::span<const std::byte> WebpReader::Chunk(const char* name) const {
  WebPChunkIterator chunk = {};
  std::span<const std::byte> payload;
  if (WebPDemuxGetChunk(demuxer_.get(), name, 1, &chunk) != 0) {
    payload = {reinterpret_cast<const std::byte*>(chunk.chunk.bytes), chunk.chunk.size};
  }
  WebPDemuxReleaseChunkIterator(&chunk);
  return payload;
}

void WebpReader::Decode(size_t num_channels, uint8_t* out) const {
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0) Fail("libwebp of another version");
  const size_t row_bytes = static_cast<size_t>(frame_.width) * num_channels;
  config.output.colorspace = num_channels == 4 ? MODE_RGBA : MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = out;
  config.output.u.RGBA.stride = static_cast<int>(row_bytes);
  config.output.u.RGBA.size = row_bytes * static_cast<size_t>(frame_.height);
  const VP8StatusCode status = WebPDecode(frame_.fragment.bytes, frame_.fragment.size, &config);
  WebPFreeDecBuffer(&config.output);
  if (status == VP8_STATUS_OUT_OF_MEMORY) throw std::bad_alloc();
  if (status != VP8_STATUS_OK) Fail(StatusText(status));
}

}  // namespace

bool IsWebp(std::span<const std::byte> bytes) noexcept {
  return bytes.size() >= 12 && std::memcmp(bytes.data(), "RIFF", 4) == 0 &&
         std::memcmp(bytes.data() + 8, "WEBP", 4) == 0;
}

DecodedImage DecodeWebp(std::span<const std::byte> bytes, std::string_view where,
                        const DecodeOptions& options) {
  const WebpReader reader(bytes, where);
  CheckImageSize(reader.canvas_width(), reader.canvas_height(), where, options);
  const WebPIterator& frame = reader.frame();
  // The library holds four bytes a pixel of a picture without loss.
  CheckHeldWhole({reader.canvas_width(), reader.canvas_height(),
                  static_cast<uint64_t>(frame.width) * static_cast<uint64_t>(frame.height) * 4,
                  bytes.size(), "WebP picture"},
                 where, options);

  const bool has_alpha = reader.frame_has_alpha() || !reader.covers_canvas();
  const size_t num_channels = has_alpha ? 4 : 3;
  const size_t frame_row_bytes = static_cast<size_t>(frame.width) * num_channels;
  const LargeBuffer pixels = NewLargeBuffer(frame_row_bytes * static_cast<size_t>(frame.height));
  reader.Decode(num_channels, pixels.get());

  RowSink sink(reader.canvas_width(), reader.canvas_height(),
               has_alpha ? PixelLayout::kRgba : PixelLayout::kRgb, reader.Chunk("ICCP"), options);
  for (int64_t y = 0; y < reader.canvas_height(); ++y) {
    uint8_t* row = sink.row();
    if (!reader.covers_canvas()) std::memset(row, 0, sink.row_bytes());
    const int64_t frame_y = y - frame.y_offset;
    if (frame_y >= 0 && frame_y < frame.height) {
      std::memcpy(row + static_cast<size_t>(frame.x_offset) * num_channels,
                  pixels.get() + static_cast<size_t>(frame_y) * frame_row_bytes, frame_row_bytes);
    }
    sink.TakeRow();
  }
  DecodedImage decoded = sink.Finish();
  decoded.orientation = ExifOrientation(reader.Chunk("EXIF"));
  if (reader.is_animated()) decoded.warnings.push_back(FirstFrameOnly());
  return decoded;
}

}  // namespace octavo
