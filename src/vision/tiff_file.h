// An opened directory of a TIFF file in memory: what its tags say, and what libtiff complains of.
#ifndef OCTAVO_VISION_TIFF_FILE_H_
#define OCTAVO_VISION_TIFF_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tiffio.h>

#include "vision/codec.h"
#include "vision/tiff_rows.h"

namespace octavo {

// What libtiff says, instead of on stderr.
struct TiffMessages {
  char first_error[200] = "";
  int64_t num_errors = 0;
};

// The file in memory.
struct TiffSource {
  std::span<const std::byte> bytes;
  uint64_t offset = 0;
};

struct CloseTiff {
  void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};

// An opened directory. Messages name `where`.
class TiffFile {
 public:
  // directory: its place in the file (ImagePage::offset). The bytes and `where` outlive this.
  // Throws kDataLoss, std::bad_alloc.
  TiffFile(std::span<const std::byte> bytes, uint64_t directory, std::string_view where);
  TiffFile(const TiffFile&) = delete;
  TiffFile& operator=(const TiffFile&) = delete;

  TIFF* get() const { return tiff_.get(); }
  std::string_view where() const { return where_; }
  // Reads what the directory says and settles on how to read it. Throws kUnsupported, and as
  // CheckImageSize.
  TiffForm ReadForm(const DecodeOptions& options);
  // Valid after ReadForm.
  bool is_tiled() const { return TIFFIsTiled(get()) != 0; }
  int Orientation() const;  // EXIF's 1 to 8
  // The ICC profile, empty if there is none; lives as long as this.
  std::span<const std::byte> Profile() const;
  // [2^num_bits, 3] RGB. Throws kDataLoss if there is none.
  std::vector<uint8_t> Palette(int num_bits) const;

  // Throws kDataLoss if `is_read` is false or libtiff found an error in pixels; a fax may have
  // some.
  void CheckRead(bool is_read) const {
    if (!is_read || (messages_.num_errors > 0 && !is_fax())) FailAsLibrary();
  }
  // To be called once all `height` rows are read.
  void CheckFaxErrors(int64_t height, std::vector<std::string>* warnings) const;

  [[noreturn]] void FailAsLibrary() const {
    Fail(messages_.num_errors == 0 ? "the file is cut or damaged" : messages_.first_error);
  }
  [[noreturn]] void Fail(const std::string& what) const {
    throw CorruptImage(where_, "TIFF", what);
  }
  [[noreturn]] void Refuse(const std::string& what) const {
    throw UnsupportedImage(where_, "TIFF", what);
  }

 private:
  uint16_t Field(uint32_t tag) const {
    uint16_t value = 0;
    TIFFGetFieldDefaulted(get(), tag, &value);
    return value;
  }
  bool is_fax() const {
    return compression_ == COMPRESSION_CCITTRLE || compression_ == COMPRESSION_CCITTRLEW ||
           compression_ == COMPRESSION_CCITTFAX3 || compression_ == COMPRESSION_CCITTFAX4;
  }
  void CheckCompression() const;
  TiffColors ReadColors(const TiffForm& form);
  TiffAlpha ReadAlpha(const TiffForm& form) const;
  void CheckSamples(const TiffForm& form) const;

  uint16_t compression_ = COMPRESSION_NONE;
  TiffSource source_;
  std::string_view where_;
  TiffMessages messages_;
  std::unique_ptr<TIFF, CloseTiff> tiff_;
};

}  // namespace octavo

#endif  // OCTAVO_VISION_TIFF_FILE_H_
