// libpng reports errors by longjmp. Every function that calls setjmp here keeps its state in the
// object and has only trivial locals, and everything that allocates through C++ runs between them,
// so that a jump skips no destructor.
#include "vision/codec_png.h"

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
#include "octavo/error.h"
#include "vision/exif.h"

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
  explicit PngReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }

  // Each step returns false after an error; message() then says which.
  bool ReadHeader();
  // To be called once the size has been found acceptable: libpng allocates rows here.
  bool Start();
  // One row of row_bytes() bytes. For a picture of one pass.
  bool ReadRow(uint8_t* row);
  // One pass over pixels of height() rows, which keep what earlier passes left there.
  bool ReadPass(uint8_t* pixels);
  bool ReadEnd();

  const char* message() const { return errors_.message; }
  uint32_t width() const { return width_; }
  uint32_t height() const { return height_; }
  uint64_t stored_row_bytes() const { return stored_row_bytes_; }
  size_t row_bytes() const { return row_bytes_; }
  bool has_alpha() const { return channels_ == 4; }
  int num_passes() const { return num_passes_; }
  std::span<const std::byte> exif() const {
    return {reinterpret_cast<const std::byte*>(exif_), exif_bytes_};
  }

 private:
  static void OnRead(png_structp png, png_bytep out, size_t count);
  void IgnoreUnusedChunks();

  std::span<const std::byte> bytes_;
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
  png_bytep exif_ = nullptr;
  uint32_t exif_bytes_ = 0;
};

void PngReader::OnRead(png_structp png, png_bytep out, size_t count) {
  auto* self = static_cast<PngReader*>(png_get_io_ptr(png));
  if (count > self->bytes_.size() - self->offset_) png_error(png, "the file is cut");
  std::memcpy(out, self->bytes_.data() + self->offset_, count);
  self->offset_ += count;
}

// Text, profiles and the like are skipped unparsed; their CRC is still checked.
void PngReader::IgnoreUnusedChunks() {
  static const png_byte kUnused[] =
      "bKGD\0cHRM\0gAMA\0hIST\0iCCP\0iTXt\0oFFs\0pCAL\0pHYs\0sBIT\0sCAL\0sPLT\0sRGB\0tEXt\0"
      "tIME\0zTXt";
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
  png_set_crc_action(png_, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // CheckImageSize decides
  IgnoreUnusedChunks();
  png_read_info(png_, info_);
  width_ = png_get_image_width(png_, info_);
  height_ = png_get_image_height(png_, info_);
  stored_row_bytes_ = png_get_rowbytes(png_, info_);
  return true;
}

bool PngReader::Start() {
  if (setjmp(errors_.jump)) return false;
  png_set_expand(png_);  // palette, fewer than 8 bits and tRNS to RGB, 8 bits and alpha
  png_set_scale_16(png_);
  png_set_gray_to_rgb(png_);
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

bool PngReader::ReadPass(uint8_t* pixels) {
  if (setjmp(errors_.jump)) return false;
  for (size_t y = 0; y < height_; ++y) png_read_row(png_, pixels + y * row_bytes_, nullptr);
  return true;
}

bool PngReader::ReadEnd() {
  if (setjmp(errors_.jump)) return false;
  png_read_end(png_, info_);
  if (png_get_eXIf_1(png_, info_, &exif_bytes_, &exif_) == 0) exif_bytes_ = 0;
  return true;
}

// An interlaced picture is put together over seven passes, so all of it must be held as stored.
bool ReadInterlaced(PngReader* reader, const DecodeOptions& options, Image* image) {
  std::vector<uint8_t> rgba;
  uint8_t* pixels = image->pixels.data();
  if (reader->has_alpha()) {
    rgba.resize(reader->row_bytes() * reader->height());
    pixels = rgba.data();
  }
  for (int pass = 0; pass < reader->num_passes(); ++pass) {
    if (!reader->ReadPass(pixels)) return false;
  }
  if (reader->has_alpha()) {
    ResolveAlpha(pixels, rgba.size() / 4, options.alpha, image->pixels.data());
  }
  return true;
}

bool ReadSequential(PngReader* reader, const DecodeOptions& options, Image* image) {
  std::vector<uint8_t> rgba(reader->has_alpha() ? reader->row_bytes() : 0);
  for (int y = 0; y < image->height; ++y) {
    if (!reader->ReadRow(reader->has_alpha() ? rgba.data() : image->row(y))) return false;
    if (reader->has_alpha()) {
      ResolveAlpha(rgba.data(), static_cast<size_t>(image->width), options.alpha, image->row(y));
    }
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
  PngReader reader(bytes);
  const auto fail = [&] {
    return Error(ErrorCode::kDataLoss, StrCat(where, ": PNG: ", reader.message()));
  };
  if (!reader.ReadHeader()) throw fail();
  CheckImageSize(reader.width(), reader.height(), where, options);
  if (reader.stored_row_bytes() * reader.height() / kMaxDeflateRatio > bytes.size()) {
    throw Error(ErrorCode::kDataLoss, StrCat(where, ": PNG: ", bytes.size(), " bytes cannot hold ",
                                             reader.width(), "x", reader.height(), " pixels"));
  }
  if (!reader.Start()) throw fail();
  DecodedImage decoded;
  decoded.image = Image(static_cast<int>(reader.width()), static_cast<int>(reader.height()));
  OCTAVO_CHECK(reader.row_bytes() == reader.width() * (reader.has_alpha() ? size_t{4} : size_t{3}),
               reader.row_bytes());
  const bool is_complete = reader.num_passes() > 1
                               ? ReadInterlaced(&reader, options, &decoded.image)
                               : ReadSequential(&reader, options, &decoded.image);
  if (!is_complete || !reader.ReadEnd()) throw fail();
  decoded.orientation = ExifOrientation(reader.exif());
  return decoded;
}

std::string EncodePng(const Image& image) {
  OCTAVO_CHECK(!image.empty());
  PngWriter writer;
  if (!writer.Write(image)) throw std::bad_alloc();
  return writer.TakeBytes();
}

}  // namespace octavo
