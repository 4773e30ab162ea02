// libjpeg reports errors by longjmp. Every function that calls setjmp here keeps its state in the
// object and has only trivial locals, and everything that allocates through C++ runs between them,
// so that a jump skips no destructor.
#include "vision/codec_jpeg.h"

#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <jpeglib.h>

// After jpeglib.h, whose settings decide the numbers of the codes.
#include <jerror.h>

#include "base/check.h"
#include "base/str_cat.h"
#include "octavo/error.h"
#include "vision/exif.h"
#include "vision/row_sink.h"

namespace octavo {
namespace {

constexpr int kExifMarker = JPEG_APP0 + 1;
constexpr int kProfileMarker = JPEG_APP0 + 2;
// A progressive file may name the same pixels again and again; real ones have about ten scans.
constexpr int kMaxScans = 500;

// Where libjpeg's errors land, and what they said. `base` comes first: libjpeg's pointer to it is
// a pointer to all of it.
struct JpegErrors {
  jpeg_error_mgr base = {};
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX] = "";
  bool is_unsupported = false;
  bool is_too_large = false;
  bool is_cancelled = false;
};

// What the scans begun so far cost. `base` comes first, as above.
struct JpegProgress {
  jpeg_progress_mgr base = {};
  int scan = 0;
  int64_t num_blocks = 0;
  int64_t max_blocks = 0;
  const DecodeOptions* options = nullptr;
  int num_calls = 0;
};

[[noreturn]] void Fail(j_common_ptr info, const char* message) {
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  std::snprintf(errors->message, sizeof(errors->message), "%s", message);
  std::longjmp(errors->jump, 1);
}

[[noreturn]] void OnJpegError(j_common_ptr info) {
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  const int code = info->err->msg_code;
  errors->is_unsupported = code == JERR_SOF_UNSUPPORTED || code == JERR_BAD_PRECISION ||
                           code == JERR_CONVERSION_NOTIMPL || code == JERR_ARITH_NOTIMPL;
  info->err->format_message(info, errors->message);
  std::longjmp(errors->jump, 1);
}

// Warnings that mean lost pixels are errors: libjpeg would fill the gap with grey.
void OnJpegMessage(j_common_ptr info, int level) {
  if (level >= 0) return;
  switch (info->err->msg_code) {
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC:
    case JWRN_JPEG_EOF:
      OnJpegError(info);
    default:
      return;
  }
}

void OnJpegOutput(j_common_ptr) {}

void SetErrorHandlers(JpegErrors* errors) {
  jpeg_std_error(&errors->base);
  errors->base.error_exit = OnJpegError;
  errors->base.emit_message = OnJpegMessage;
  errors->base.output_message = OnJpegOutput;
}

// Without an exception, which may not pass through libjpeg.
bool IsCancelled(const DecodeOptions& options) noexcept {
  return options.is_cancelled && options.is_cancelled();
}

// Called for each row of blocks while scans are collected, when a scan's components are known.
void OnProgress(j_common_ptr info) {
  const auto* decoder = reinterpret_cast<j_decompress_ptr>(info);
  auto* progress = reinterpret_cast<JpegProgress*>(info->progress);
  constexpr int kCallsPerQuestion = 16;
  if (++progress->num_calls % kCallsPerQuestion == 0 && IsCancelled(*progress->options)) {
    reinterpret_cast<JpegErrors*>(info->err)->is_cancelled = true;
    Fail(info, "");
  }
  if (decoder->input_scan_number == progress->scan) return;
  progress->scan = decoder->input_scan_number;
  for (int i = 0; i < decoder->comps_in_scan; ++i) {
    const jpeg_component_info& component = *decoder->cur_comp_info[i];
    progress->num_blocks += int64_t{component.width_in_blocks} * component.height_in_blocks;
  }
  if (progress->scan > kMaxScans) Fail(info, "more scans than any real picture has");
  if (progress->num_blocks > progress->max_blocks) {
    reinterpret_cast<JpegErrors*>(info->err)->is_too_large = true;
    Fail(info, "");
  }
}

// The whole file is in memory, so a wish for more bytes means that it is cut.
boolean OnFill(j_decompress_ptr info) {
  Fail(reinterpret_cast<j_common_ptr>(info), "the file is cut");
}

void OnSkip(j_decompress_ptr info, long count) {
  if (count <= 0) return;
  const size_t num_bytes = static_cast<size_t>(count);
  if (num_bytes > info->src->bytes_in_buffer) OnFill(info);
  info->src->next_input_byte += num_bytes;
  info->src->bytes_in_buffer -= num_bytes;
}

void OnSource(j_decompress_ptr) {}

class JpegReader {
 public:
  JpegReader(std::span<const std::byte> bytes, const DecodeOptions& options) {
    progress_.max_blocks = options.max_scanned_blocks;
    progress_.options = &options;
    SetErrorHandlers(&errors_);
    source_.next_input_byte = reinterpret_cast<const JOCTET*>(bytes.data());
    source_.bytes_in_buffer = bytes.size();
    source_.init_source = OnSource;
    source_.fill_input_buffer = OnFill;
    source_.skip_input_data = OnSkip;
    source_.resync_to_restart = jpeg_resync_to_restart;
    source_.term_source = OnSource;
    progress_.base.progress_monitor = OnProgress;
  }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
  ~JpegReader() {
    jpeg_destroy_decompress(&info_);
    std::free(profile_);
  }

  // Each step returns false after an error; message() then says which. In this order:
  bool ReadHeader();
  bool Start();
  bool ReadRow(uint8_t* row);
  bool Finish();

  const char* message() const { return errors_.message; }
  bool is_unsupported() const { return errors_.is_unsupported; }
  bool is_too_large() const { return errors_.is_too_large; }
  bool is_cancelled() const { return errors_.is_cancelled; }
  uint32_t width() const { return info_.image_width; }
  uint32_t height() const { return info_.image_height; }
  // Of the rows. CMYK comes as stored: 255 is no ink.
  PixelLayout layout() const;
  // What Start will allocate to collect scans.
  // What a picture of several scans is held as until the last; 0 with one scan.
  uint64_t coefficient_bytes() const;
  // The embedded profile; empty if there is none. Valid as long as this object, and only between
  // ReadHeader and Finish to be asked for.
  std::span<const std::byte> Profile();
  // Valid after Start.
  size_t row_bytes() const {
    return size_t{info_.output_width} * static_cast<size_t>(info_.output_components);
  }
  // Valid between ReadHeader and Finish, which frees the markers.
  int Orientation() const;

 private:
  JpegErrors errors_;
  jpeg_source_mgr source_ = {};
  JpegProgress progress_;
  jpeg_decompress_struct info_ = {};
  JOCTET* profile_ = nullptr;  // malloc's
  unsigned profile_bytes_ = 0;
};

bool JpegReader::ReadHeader() {
  info_.err = &errors_.base;
  if (setjmp(errors_.jump)) return false;
  jpeg_create_decompress(&info_);
  info_.src = &source_;
  info_.progress = &progress_.base;
  jpeg_save_markers(&info_, kExifMarker, 0xFFFF);
  jpeg_save_markers(&info_, kProfileMarker, 0xFFFF);
  jpeg_read_header(&info_, TRUE);
  switch (info_.jpeg_color_space) {
    case JCS_GRAYSCALE:
      info_.out_color_space = JCS_GRAYSCALE;
      return true;
    case JCS_RGB:
    case JCS_YCbCr:
      info_.out_color_space = JCS_RGB;
      return true;
    case JCS_CMYK:
    case JCS_YCCK:
      info_.out_color_space = JCS_CMYK;
      return true;
    default:
      errors_.is_unsupported = true;
      Fail(reinterpret_cast<j_common_ptr>(&info_), "unknown colour space");
  }
}

bool JpegReader::Start() {
  if (setjmp(errors_.jump)) return false;
  jpeg_start_decompress(&info_);
  return true;
}

bool JpegReader::ReadRow(uint8_t* row) {
  if (setjmp(errors_.jump)) return false;
  JSAMPROW rows[1] = {row};
  jpeg_read_scanlines(&info_, rows, 1);
  return true;
}

// Reads up to the end marker, so that a file cut after the last pixel is found too.
bool JpegReader::Finish() {
  if (setjmp(errors_.jump)) return false;
  jpeg_finish_decompress(&info_);
  return true;
}

int JpegReader::Orientation() const {
  constexpr size_t kHeadBytes = 6;
  for (const jpeg_marker_struct* marker = info_.marker_list; marker != nullptr;
       marker = marker->next) {
    if (marker->marker != kExifMarker || marker->data_length < kHeadBytes) continue;
    if (std::memcmp(marker->data, "Exif\0\0", kHeadBytes) != 0) continue;
    return ExifOrientation({reinterpret_cast<const std::byte*>(marker->data), marker->data_length});
  }
  return 1;
}

PixelLayout JpegReader::layout() const {
  if (info_.out_color_space == JCS_CMYK) return PixelLayout::kCmyk;
  return info_.out_color_space == JCS_GRAYSCALE ? PixelLayout::kGrey : PixelLayout::kRgb;
}

uint64_t JpegReader::coefficient_bytes() const {
  if (!jpeg_has_multiple_scans(const_cast<jpeg_decompress_struct*>(&info_))) return 0;
  const auto max_h = static_cast<uint64_t>(info_.max_h_samp_factor);
  const auto max_v = static_cast<uint64_t>(info_.max_v_samp_factor);
  uint64_t bytes = 0;
  for (int i = 0; i < info_.num_components; ++i) {
    const jpeg_component_info& component = info_.comp_info[i];
    const auto h = static_cast<uint64_t>(component.h_samp_factor);
    const auto v = static_cast<uint64_t>(component.v_samp_factor);
    bytes += info_.image_width * h / max_h * (info_.image_height * v / max_v) * sizeof(JCOEF);
  }
  return bytes;
}

std::span<const std::byte> JpegReader::Profile() {
  if (setjmp(errors_.jump)) return {};
  if (!jpeg_read_icc_profile(&info_, &profile_, &profile_bytes_)) return {};
  return {reinterpret_cast<const std::byte*>(profile_), profile_bytes_};
}

class JpegWriter {
 public:
  JpegWriter() {
    SetErrorHandlers(&errors_);
    destination_.base.init_destination = OnStart;
    destination_.base.empty_output_buffer = OnFull;
    destination_.base.term_destination = OnEnd;
    destination_.writer = this;
  }
  JpegWriter(const JpegWriter&) = delete;
  JpegWriter& operator=(const JpegWriter&) = delete;
  ~JpegWriter() { jpeg_destroy_compress(&info_); }

  // False if memory ran out, the only way in which writing can fail.
  bool Write(const Image& image, int quality);
  std::string TakeBytes() { return std::move(bytes_); }

 private:
  // `base` comes first: libjpeg's pointer to it is a pointer to all of it.
  struct Destination {
    jpeg_destination_mgr base = {};
    JpegWriter* writer = nullptr;
    JOCTET buffer[16384];
  };

  static Destination* Get(j_compress_ptr info) {
    return reinterpret_cast<Destination*>(info->dest);
  }
  static void OnStart(j_compress_ptr info) {
    info->dest->next_output_byte = Get(info)->buffer;
    info->dest->free_in_buffer = sizeof(Destination::buffer);
  }
  static void Append(j_compress_ptr info, size_t count) {
    bool is_out_of_memory = false;
    try {
      Get(info)->writer->bytes_.append(reinterpret_cast<const char*>(Get(info)->buffer), count);
    } catch (const std::exception&) {
      is_out_of_memory = true;
    }
    if (is_out_of_memory) Fail(reinterpret_cast<j_common_ptr>(info), "out of memory");
  }
  static boolean OnFull(j_compress_ptr info) {
    Append(info, sizeof(Destination::buffer));
    OnStart(info);
    return TRUE;
  }
  static void OnEnd(j_compress_ptr info) {
    Append(info, sizeof(Destination::buffer) - info->dest->free_in_buffer);
  }

  JpegErrors errors_;
  Destination destination_;
  jpeg_compress_struct info_ = {};
  std::string bytes_;
};

bool JpegWriter::Write(const Image& image, int quality) {
  info_.err = &errors_.base;
  if (setjmp(errors_.jump)) return false;
  jpeg_create_compress(&info_);
  info_.dest = &destination_.base;
  info_.image_width = static_cast<JDIMENSION>(image.width);
  info_.image_height = static_cast<JDIMENSION>(image.height);
  info_.input_components = 3;
  info_.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info_);
  jpeg_set_quality(&info_, quality, TRUE);
  jpeg_start_compress(&info_, TRUE);
  for (int y = 0; y < image.height; ++y) {
    JSAMPROW rows[1] = {const_cast<uint8_t*>(image.row(y))};
    jpeg_write_scanlines(&info_, rows, 1);
  }
  jpeg_finish_compress(&info_);
  return true;
}

void Invert(uint8_t* bytes, size_t count) {
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<uint8_t>(255 - bytes[i]);
}

}  // namespace

bool IsJpeg(std::span<const std::byte> bytes) noexcept {
  return bytes.size() >= 3 && std::memcmp(bytes.data(), "\xFF\xD8\xFF", 3) == 0;
}

DecodedImage DecodeJpeg(std::span<const std::byte> bytes, std::string_view where,
                        const DecodeOptions& options) {
  JpegReader reader(bytes, options);
  const auto fail = [&] {
    if (reader.is_cancelled()) CheckCancelled(options);
    if (reader.is_too_large()) {
      return TooLargeImage(where, StrCat("JPEG whose scans go through more than ",
                                         options.max_scanned_blocks, " blocks"));
    }
    return reader.is_unsupported() ? UnsupportedImage(where, "JPEG", reader.message())
                                   : CorruptImage(where, "JPEG", reader.message());
  };
  if (!reader.ReadHeader()) throw fail();
  CheckImageSize(reader.width(), reader.height(), where, options);
  if (reader.coefficient_bytes() > 0) {
    CheckHeldWhole({reader.width(), reader.height(), reader.coefficient_bytes(), bytes.size(),
                    "JPEG of several scans"},
                   where, options);
  }
  RowSink sink(reader.width(), reader.height(), reader.layout(), reader.Profile(), options);
  const int orientation = reader.Orientation();
  if (!reader.Start()) throw fail();
  OCTAVO_CHECK(reader.row_bytes() == sink.row_bytes(), reader.row_bytes());
  for (uint32_t y = 0; y < reader.height(); ++y) {
    uint8_t* row = sink.row();
    if (!reader.ReadRow(row)) throw fail();
    if (reader.layout() == PixelLayout::kCmyk) Invert(row, sink.row_bytes());
    sink.TakeRow();
  }
  if (!reader.Finish()) throw fail();
  DecodedImage decoded = sink.Finish();
  decoded.orientation = orientation;
  return decoded;
}

std::string EncodeJpeg(const Image& image, int quality) {
  OCTAVO_CHECK(!image.empty() && quality >= 1 && quality <= 100, quality);
  if (image.width > JPEG_MAX_DIMENSION || image.height > JPEG_MAX_DIMENSION) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat("picture of ", image.width, "x", image.height,
                       " pixels, JPEG holds at most ", JPEG_MAX_DIMENSION, " a side"));
  }
  JpegWriter writer;
  if (!writer.Write(image, quality)) throw std::bad_alloc();
  return writer.TakeBytes();
}

}  // namespace octavo
