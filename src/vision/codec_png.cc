// libpng reports errors by longjmp. Every function that calls setjmp here keeps its state in the
// object and has only trivial locals, and everything that allocates through C++ runs between them,
// so that a jump skips no destructor.
#include "vision/codec_png.h"

#include <algorithm>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <png.h>

#include "base/check.h"
#include "base/str_cat.h"
#include "vision/exif.h"
#include "vision/row_sink.h"

namespace octavo {
namespace {

constexpr size_t kSignatureBytes = 8;
// No deflate stream is longer than this times its compressed form (zlib, technical details).
constexpr uint64_t kMaxDeflateRatio = 1032;

// Where libpng's errors land, and what they said.
struct PngErrors {
  std::jmp_buf jump;
  char message[160] = "";
};

[[noreturn]] void OnPngError(png_structp png, png_const_charp message) {
  auto* errors = static_cast<PngErrors*>(png_get_error_ptr(png));
  std::snprintf(errors->message, sizeof(errors->message), "%s", message);
  std::longjmp(errors->jump, 1);
}

void OnPngWarning(png_structp, png_const_charp) {}

class PngReader {
 public:
  PngReader(std::span<const std::byte> bytes, const DecodeOptions& options)
      : bytes_(bytes), options_(options) {}
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }

  // Each step returns false after an error; message() then says which.
  bool ReadHeader();
  // To be called once the size has been found acceptable: libpng allocates rows here.
  bool Start();
  // One row of row_bytes() bytes. For a picture of one pass.
  bool ReadRow(uint8_t* row);
  // Rows [begin, end) of one pass over pixels of height() rows, which keep what earlier passes left
  // there.
  bool ReadPass(uint8_t* pixels, size_t begin, size_t end);
  // A row as read to one as wanted, of the layout: the same but for clipped 16-bit grey.
  void FinishRow(const uint8_t* read, uint8_t* row) const;
  bool ReadEnd();

  const char* message() const { return errors_.message; }
  uint32_t width() const { return width_; }
  uint32_t height() const { return height_; }
  uint64_t stored_row_bytes() const { return stored_row_bytes_; }
  size_t row_bytes() const { return row_bytes_; }
  bool is_animated() const { return is_animated_; }
  bool is_clipped() const { return is_clipped_; }
  // Valid after Start.
  PixelLayout layout() const;
  // The embedded profile; empty if there is none, or the file says that it is sRGB.
  std::span<const std::byte> Profile();
  int num_passes() const { return num_passes_; }
  std::span<const std::byte> exif() const {
    return {reinterpret_cast<const std::byte*>(exif_), exif_bytes_};
  }

 private:
  static void OnRead(png_structp png, png_bytep out, size_t count);
  static int OnUnknownChunk(png_structp png, png_unknown_chunkp chunk);
  void IgnoreUnusedChunks();
  void ReduceSixteenBits();

  std::span<const std::byte> bytes_;
  const DecodeOptions& options_;
  size_t offset_ = 0;
  PngErrors errors_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  uint32_t width_ = 0;
  uint32_t height_ = 0;
  uint64_t stored_row_bytes_ = 0;
  size_t row_bytes_ = 0;
  int channels_ = 0;
  int num_passes_ = 1;
  bool is_animated_ = false;
  bool is_clipped_ = false;  // rows hold 16-bit grey, which FinishRow clips
  png_bytep exif_ = nullptr;
  uint32_t exif_bytes_ = 0;
};

void PngReader::OnRead(png_structp png, png_bytep out, size_t count) {
  auto* self = static_cast<PngReader*>(png_get_io_ptr(png));
  if (count > self->bytes_.size() - self->offset_) png_error(png, "the file is cut");
  std::memcpy(out, self->bytes_.data() + self->offset_, count);
  self->offset_ += count;
}

// APNG's acTL, which stands before the pixels: number of frames (4), of repetitions (4).
int PngReader::OnUnknownChunk(png_structp png, png_unknown_chunkp chunk) {
  if (std::memcmp(chunk->name, "acTL", 4) != 0 || chunk->size < 4) return 0;
  auto* self = static_cast<PngReader*>(png_get_user_chunk_ptr(png));
  self->is_animated_ = std::memcmp(chunk->data, "\0\0\0\1", 4) > 0;
  return 1;
}

// Text and the like are skipped unparsed; their CRC is still checked.
void PngReader::IgnoreUnusedChunks() {
  static const png_byte kUnused[] =
      "bKGD\0cHRM\0gAMA\0hIST\0iTXt\0oFFs\0pCAL\0pHYs\0sBIT\0sCAL\0sPLT\0tEXt\0tIME\0zTXt";
  png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, kUnused, sizeof(kUnused) / 5);
}

bool PngReader::ReadHeader() {
  if (setjmp(errors_.jump)) return false;
  png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &errors_, OnPngError, OnPngWarning);
  info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
  if (info_ == nullptr) {
    std::snprintf(errors_.message, sizeof(errors_.message), "out of memory");
    return false;
  }
  png_set_read_fn(png_, this, OnRead);
  png_set_read_user_chunk_fn(png_, this, OnUnknownChunk);
  png_set_crc_action(png_, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // CheckImageSize decides
  IgnoreUnusedChunks();
  png_read_info(png_, info_);
  width_ = png_get_image_width(png_, info_);
  height_ = png_get_image_height(png_, info_);
  stored_row_bytes_ = png_get_rowbytes(png_, info_);
  return true;
}

void PngReader::ReduceSixteenBits() {
  if (options_.samples == SampleRule::kScale) {
    png_set_scale_16(png_);
  } else if (png_get_bit_depth(png_, info_) == 16 &&
             png_get_color_type(png_, info_) == PNG_COLOR_TYPE_GRAY &&
             png_get_valid(png_, info_, PNG_INFO_tRNS) == 0) {
    is_clipped_ = true;
  } else {
    png_set_strip_16(png_);
  }
}

PixelLayout PngReader::layout() const {
  constexpr PixelLayout kLayouts[] = {PixelLayout::kGrey, PixelLayout::kGreyAlpha,
                                      PixelLayout::kRgb, PixelLayout::kRgba};
  OCTAVO_CHECK(channels_ >= 1 && channels_ <= 4, channels_);
  return kLayouts[channels_ - 1];
}

std::span<const std::byte> PngReader::Profile() {
  if (setjmp(errors_.jump)) return {};
  png_charp name = nullptr;
  int compression = 0;
  png_bytep profile = nullptr;
  png_uint_32 num_bytes = 0;
  if (png_get_valid(png_, info_, PNG_INFO_sRGB) != 0 ||
      png_get_iCCP(png_, info_, &name, &compression, &profile, &num_bytes) == 0) {
    return {};
  }
  return {reinterpret_cast<const std::byte*>(profile), num_bytes};
}

void PngReader::FinishRow(const uint8_t* read, uint8_t* row) const {
  if (!is_clipped_) {
    std::memcpy(row, read, row_bytes_);
    return;
  }
  for (size_t x = 0; x < width_; ++x) row[x] = read[2 * x] > 0 ? 255 : read[2 * x + 1];
}

bool PngReader::Start() {
  if (setjmp(errors_.jump)) return false;
  png_set_expand(png_);  // palette, fewer than 8 bits and tRNS to RGB, 8 bits and alpha
  ReduceSixteenBits();
  num_passes_ = png_set_interlace_handling(png_);
  png_read_update_info(png_, info_);
  channels_ = png_get_channels(png_, info_);
  row_bytes_ = png_get_rowbytes(png_, info_);
  return true;
}

bool PngReader::ReadRow(uint8_t* row) {
  if (setjmp(errors_.jump)) return false;
  png_read_row(png_, row, nullptr);
  return true;
}

bool PngReader::ReadPass(uint8_t* pixels, size_t begin, size_t end) {
  if (setjmp(errors_.jump)) return false;
  for (size_t y = begin; y < end; ++y) png_read_row(png_, pixels + y * row_bytes_, nullptr);
  return true;
}

bool PngReader::ReadEnd() {
  if (setjmp(errors_.jump)) return false;
  png_read_end(png_, info_);
  if (png_get_eXIf_1(png_, info_, &exif_bytes_, &exif_) == 0) exif_bytes_ = 0;
  return true;
}

// An interlaced picture is put together over seven passes, so all of it must be held as stored.
bool ReadInterlaced(PngReader* reader, const DecodeOptions& options, RowSink* sink) {
  constexpr size_t kRowsPerQuestion = 64;
  const LargeBuffer pixels = NewLargeBuffer(uint64_t{reader->row_bytes()} * reader->height());
  for (int pass = 0; pass < reader->num_passes(); ++pass) {
    for (size_t y = 0; y < reader->height(); y += kRowsPerQuestion) {
      CheckCancelled(options);
      const size_t end = std::min<size_t>(reader->height(), y + kRowsPerQuestion);
      if (!reader->ReadPass(pixels.get(), y, end)) return false;
    }
  }
  for (size_t y = 0; y < reader->height(); ++y) {
    reader->FinishRow(pixels.get() + y * reader->row_bytes(), sink->row());
    sink->TakeRow();
  }
  return true;
}

bool ReadSequential(PngReader* reader, RowSink* sink) {
  std::vector<uint8_t> clipped(reader->is_clipped() ? reader->row_bytes() : 0);
  for (size_t y = 0; y < reader->height(); ++y) {
    uint8_t* row = sink->row();
    if (!reader->ReadRow(reader->is_clipped() ? clipped.data() : row)) return false;
    if (reader->is_clipped()) reader->FinishRow(clipped.data(), row);
    sink->TakeRow();
  }
  return true;
}

class PngWriter {
 public:
  PngWriter() = default;
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;
  ~PngWriter() { png_destroy_write_struct(&png_, &info_); }

  // False if memory ran out, the only way in which writing can fail.
  bool Write(const Image& image);
  std::string TakeBytes() { return std::move(bytes_); }

 private:
  static void OnWrite(png_structp png, png_bytep data, size_t count) {
    auto* self = static_cast<PngWriter*>(png_get_io_ptr(png));
    bool is_out_of_memory = false;
    try {
      self->bytes_.append(reinterpret_cast<const char*>(data), count);
    } catch (const std::exception&) {
      is_out_of_memory = true;
    }
    if (is_out_of_memory) png_error(png, "out of memory");
  }
  static void OnFlush(png_structp) {}

  PngErrors errors_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::string bytes_;
};

bool PngWriter::Write(const Image& image) {
  if (setjmp(errors_.jump)) return false;
  png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, &errors_, OnPngError, OnPngWarning);
  info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
  if (info_ == nullptr) return false;
  png_set_write_fn(png_, this, OnWrite, OnFlush);
  png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_IHDR(png_, info_, static_cast<uint32_t>(image.width), static_cast<uint32_t>(image.height),
               8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level(png_, 1);
  png_set_filter(png_, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
  png_write_info(png_, info_);
  for (int y = 0; y < image.height; ++y) png_write_row(png_, image.row(y));
  png_write_end(png_, info_);
  return true;
}

}  // namespace

bool IsPng(std::span<const std::byte> bytes) noexcept {
  return bytes.size() >= kSignatureBytes &&
         std::memcmp(bytes.data(), "\x89PNG\r\n\x1a\n", kSignatureBytes) == 0;
}

DecodedImage DecodePng(std::span<const std::byte> bytes, std::string_view where,
                       const DecodeOptions& options) {
  PngReader reader(bytes, options);
  const auto fail = [&] { return CorruptImage(where, "PNG", reader.message()); };
  if (!reader.ReadHeader()) throw fail();
  CheckImageSize(reader.width(), reader.height(), where, options);
  if (reader.stored_row_bytes() * reader.height() / kMaxDeflateRatio > bytes.size()) {
    throw CorruptImage(where, "PNG",
                       StrCat(bytes.size(), " bytes cannot hold ", reader.width(), "x",
                              reader.height(), " pixels"));
  }
  if (!reader.Start()) throw fail();
  const bool is_interlaced = reader.num_passes() > 1;
  if (is_interlaced) {
    CheckHeldWhole({reader.width(), reader.height(), reader.row_bytes() * reader.height(),
                    bytes.size(), "interlaced PNG"},
                   where, options);
  }
  RowSink sink(reader.width(), reader.height(), reader.layout(), reader.Profile(), options);
  OCTAVO_CHECK(reader.row_bytes() == sink.row_bytes() * (reader.is_clipped() ? 2 : 1),
               reader.row_bytes());
  const bool is_complete =
      is_interlaced ? ReadInterlaced(&reader, options, &sink) : ReadSequential(&reader, &sink);
  if (!is_complete || !reader.ReadEnd()) throw fail();
  DecodedImage decoded = sink.Finish();
  decoded.bits_per_pixel = static_cast<int64_t>(reader.stored_row_bytes() * 8 / reader.width());
  decoded.orientation = ExifOrientation(reader.exif());
  if (reader.is_animated()) decoded.warnings.push_back(FirstFrameOnly());
  return decoded;
}

std::string EncodePng(const Image& image) {
  OCTAVO_CHECK(!image.empty());
  PngWriter writer;
  if (!writer.Write(image)) throw std::bad_alloc();
  return writer.TakeBytes();
}

}  // namespace octavo
