#include "vision/codec_tiff.h"

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tiffio.h>

#include "base/check.h"
#include "base/str_cat.h"
#include "vision/row_sink.h"
#include "vision/tiff_rows.h"

namespace octavo {
namespace {

// Of what is held at once of a picture: a row of tiles, or a strip that cannot be read row by row.
constexpr uint64_t kMaxBandBytes = uint64_t{256} << 20;
constexpr tmsize_t kMaxAllocation = tmsize_t{1} << 29;
// Interleaved strips beyond this are read row by row.
constexpr uint64_t kMaxStripBytes = uint64_t{32} << 20;
constexpr int kMaxSamplesPerPixel = 16;
// One line of a fax in this many may be damaged.
constexpr int64_t kFaxRowsPerError = 50;

// What libtiff says, instead of on stderr.
struct TiffMessages {
  char first_error[200] = "";
  int64_t num_errors = 0;
};

int OnTiffError(TIFF*, void* user_data, const char*, const char* format, va_list arguments) {
  auto* messages = static_cast<TiffMessages*>(user_data);
  if (messages->num_errors++ == 0) {
    std::vsnprintf(messages->first_error, sizeof(messages->first_error), format, arguments);
  }
  return 1;
}

int OnTiffWarning(TIFF*, void*, const char*, const char*, va_list) { return 1; }

// The file in memory.
struct Source {
  std::span<const std::byte> bytes;
  uint64_t offset = 0;
};

Source* Get(thandle_t handle) { return static_cast<Source*>(handle); }

tmsize_t OnRead(thandle_t handle, void* out, tmsize_t count) {
  Source* source = Get(handle);
  if (count <= 0 || source->offset >= source->bytes.size()) return 0;
  const auto num_bytes =
      std::min<uint64_t>(static_cast<uint64_t>(count), source->bytes.size() - source->offset);
  std::memcpy(out, source->bytes.data() + source->offset, num_bytes);
  source->offset += num_bytes;
  return static_cast<tmsize_t>(num_bytes);
}

tmsize_t OnWrite(thandle_t, void*, tmsize_t) { return 0; }

toff_t OnSeek(thandle_t handle, toff_t offset, int whence) {
  Source* source = Get(handle);
  if (whence == SEEK_CUR) offset += source->offset;
  if (whence == SEEK_END) offset += source->bytes.size();
  source->offset = offset;
  return offset;
}

int OnClose(thandle_t) { return 0; }
toff_t OnSize(thandle_t handle) { return Get(handle)->bytes.size(); }

// libtiff asks for a mutable view, but opened for reading it does not write.
int OnMap(thandle_t handle, void** base, toff_t* size) {
  *base = const_cast<std::byte*>(Get(handle)->bytes.data());
  *size = Get(handle)->bytes.size();
  return 1;
}

void OnUnmap(thandle_t, void*, toff_t) {}

struct CloseTiff {
  void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
struct CloseOptions {
  void operator()(TIFFOpenOptions* options) const { TIFFOpenOptionsFree(options); }
};
// An opened directory. Messages name `where`.
class TiffFile {
 public:
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
  int Orientation() const;
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
  Source source_;
  std::string_view where_;
  TiffMessages messages_;
  std::unique_ptr<TIFF, CloseTiff> tiff_;
};

TiffFile::TiffFile(std::span<const std::byte> bytes, uint64_t directory, std::string_view where)
    : source_{bytes}, where_(where) {
  const std::unique_ptr<TIFFOpenOptions, CloseOptions> options(TIFFOpenOptionsAlloc());
  if (options == nullptr) throw std::bad_alloc();
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), kMaxAllocation);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), OnTiffError, &messages_);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), OnTiffWarning, nullptr);
  // h: the header only, as the first directory need not be the one, nor be intact.
  tiff_.reset(TIFFClientOpenExt("", "rh", &source_, OnRead, OnWrite, OnSeek, OnClose, OnSize, OnMap,
                                OnUnmap, options.get()));
  if (tiff_ == nullptr || TIFFSetSubDirectory(tiff_.get(), directory) == 0) FailAsLibrary();
  messages_ = {};  // tags that were skipped; what matters is missed below
}

void TiffFile::CheckCompression() const {
  if (compression_ == COMPRESSION_OJPEG) Refuse("old-style JPEG compression");
  if (compression_ == COMPRESSION_JBIG) Refuse("JBIG compression");
  if (TIFFIsCODECConfigured(compression_) == 0) {
    Refuse(StrCat("compression ", compression_, ", which this libtiff does not read"));
  }
}

TiffColors TiffFile::ReadColors(const TiffForm& form) {
  uint16_t photometric = form.num_samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
  if (is_fax()) photometric = PHOTOMETRIC_MINISWHITE;
  TIFFGetField(get(), TIFFTAG_PHOTOMETRIC, &photometric);  // unchanged if absent
  switch (photometric) {
    case PHOTOMETRIC_MINISBLACK:
      return TiffColors::kBlackIsZero;
    case PHOTOMETRIC_MINISWHITE:
      return TiffColors::kWhiteIsZero;
    case PHOTOMETRIC_PALETTE:
      return TiffColors::kPalette;
    case PHOTOMETRIC_RGB:
      return TiffColors::kRgb;
    case PHOTOMETRIC_SEPARATED:
      if (Field(TIFFTAG_INKSET) != INKSET_CMYK) Refuse("inks other than CMYK");
      return TiffColors::kCmyk;
    case PHOTOMETRIC_YCBCR:
      if (compression_ != COMPRESSION_JPEG || form.is_planar) return TiffColors::kByLibrary;
      TIFFSetField(get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
      return TiffColors::kRgb;
    case PHOTOMETRIC_CIELAB:
    case PHOTOMETRIC_LOGL:
    case PHOTOMETRIC_LOGLUV:
      return TiffColors::kByLibrary;
    default:
      Refuse(StrCat("colours of kind ", photometric,
                    ", expected grey, palette, RGB, CMYK, YCbCr, L*a*b* or LogLuv"));
  }
}

// A fourth sample of which nothing is said is not taken as alpha: a picture may come out blank.
TiffAlpha TiffFile::ReadAlpha(const TiffForm& form) const {
  const bool can_have_alpha = form.colors == TiffColors::kRgb ||
                              form.colors == TiffColors::kBlackIsZero ||
                              form.colors == TiffColors::kWhiteIsZero;
  if (!can_have_alpha || form.num_samples <= form.num_colors()) return TiffAlpha::kNone;
  uint16_t num_extra = 0;
  const uint16_t* extra = nullptr;
  TIFFGetFieldDefaulted(get(), TIFFTAG_EXTRASAMPLES, &num_extra, &extra);
  if (num_extra == 0) return TiffAlpha::kNone;
  if (extra[0] == EXTRASAMPLE_ASSOCALPHA) return TiffAlpha::kPremultiplied;
  return extra[0] == EXTRASAMPLE_UNASSALPHA ? TiffAlpha::kStraight : TiffAlpha::kNone;
}

void TiffFile::CheckSamples(const TiffForm& form) const {
  const uint16_t format = Field(TIFFTAG_SAMPLEFORMAT);
  if (format != SAMPLEFORMAT_UINT && format != SAMPLEFORMAT_IEEEFP && format != SAMPLEFORMAT_VOID) {
    Refuse(StrCat("samples of format ", format, ", expected unsigned numbers or floats"));
  }
  if (form.num_samples < form.num_colors()) {
    Fail(StrCat(form.num_samples, " samples a pixel for ", form.num_colors(), " colours"));
  }
  const int num_bits = form.depth.num_bits;
  if (form.colors == TiffColors::kPalette && (num_bits > 8 || form.depth.is_float)) {
    Refuse(StrCat("palette with indices of ", num_bits, " bits, expected 1 to 8"));
  }
  if (!IsKnownDepth(form.depth)) {
    Refuse(StrCat(num_bits, form.depth.is_float ? "-bit floats" : " bits a sample",
                  ", expected 1 to 16 or 32 bits, or floats of 16, 32 or 64"));
  }
}

TiffForm TiffFile::ReadForm(const DecodeOptions& options) {
  TiffForm form;
  TIFFGetField(get(), TIFFTAG_IMAGEWIDTH, &form.width);
  TIFFGetField(get(), TIFFTAG_IMAGELENGTH, &form.height);
  CheckImageSize(form.width, form.height, where_, options);
  compression_ = Field(TIFFTAG_COMPRESSION);
  CheckCompression();
  form.num_samples = Field(TIFFTAG_SAMPLESPERPIXEL);
  if (form.num_samples < 1 || form.num_samples > kMaxSamplesPerPixel) {
    Refuse(StrCat(form.num_samples, " samples a pixel, expected 1 to ", kMaxSamplesPerPixel));
  }
  form.is_planar = form.num_samples > 1 && Field(TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE;
  form.depth.num_bits = Field(TIFFTAG_BITSPERSAMPLE);
  form.depth.is_float = Field(TIFFTAG_SAMPLEFORMAT) == SAMPLEFORMAT_IEEEFP;
  form.depth.is_grey = form.num_samples == 1;
  form.colors = ReadColors(form);
  form.alpha = ReadAlpha(form);
  if (form.colors != TiffColors::kByLibrary) CheckSamples(form);
  return form;
}

int TiffFile::Orientation() const {
  const uint16_t orientation = Field(TIFFTAG_ORIENTATION);
  return orientation >= 1 && orientation <= 8 ? orientation : 1;
}

std::span<const std::byte> TiffFile::Profile() const {
  uint32_t num_bytes = 0;
  const void* profile = nullptr;
  if (TIFFGetField(get(), TIFFTAG_ICCPROFILE, &num_bytes, &profile) == 0) return {};
  return {static_cast<const std::byte*>(profile), num_bytes};
}

std::vector<uint8_t> TiffFile::Palette(int num_bits) const {
  const uint16_t* channels[3] = {};
  if (TIFFGetField(get(), TIFFTAG_COLORMAP, &channels[0], &channels[1], &channels[2]) == 0) {
    Fail("no palette");
  }
  const size_t num_colors = size_t{1} << num_bits;
  // Entries have 16 bits, but some programs write 8.
  bool is_8_bit = true;
  for (const uint16_t* channel : channels) {
    is_8_bit =
        is_8_bit && std::all_of(channel, channel + num_colors, [](uint16_t v) { return v < 256; });
  }
  std::vector<uint8_t> palette(num_colors * 3);
  for (size_t i = 0; i < palette.size(); ++i) {
    const uint32_t value = channels[i % 3][i / 3];
    palette[i] = static_cast<uint8_t>(is_8_bit ? value : (value * 255 + 32767) / 65535);
  }
  return palette;
}

void TiffFile::CheckFaxErrors(int64_t height, std::vector<std::string>* warnings) const {
  if (messages_.num_errors == 0) return;
  if (messages_.num_errors > std::max<int64_t>(1, height / kFaxRowsPerError)) FailAsLibrary();
  warnings->push_back(
      StrCat("image_damaged: ", messages_.num_errors, " places of the fax could not be read"));
}

// Rows of samples as stored, some at a time: a strip, a row of tiles, or one row.
class BandReader {
 public:
  BandReader(const TiffFile& file, const TiffForm& form);

  uint32_t rows_per_band() const { return rows_per_band_; }
  // Rows [y, y + rows_per_band). REQUIRES: y is a multiple of that; bands in order.
  void Read(uint32_t y);
  // Samples of row y of the band just read: interleaved, or of one plane.
  const uint8_t* row(uint32_t y, size_t plane) const {
    return band_.get() + plane * plane_bytes_ + y % rows_per_band_ * row_bytes_;
  }

 private:
  // Of one plane.
  uint64_t BitsPerPixel() const {
    return static_cast<uint64_t>(form_.depth.num_bits) * (form_.is_planar ? 1 : form_.num_samples);
  }
  void MeasureTiles();
  void MeasureStrips();
  bool ReadTiles(uint32_t y, uint16_t plane);
  bool ReadStrip(uint32_t y, uint16_t plane);

  const TiffFile& file_;
  const TiffForm& form_;
  TIFF* tiff_;
  size_t num_planes_;
  bool is_tiled_;
  uint32_t rows_per_band_ = 1;
  bool is_by_row_ = false;
  uint64_t row_bytes_ = 0;    // of a plane's row in the band
  uint64_t plane_bytes_ = 0;  // of a plane of the band
  uint32_t tile_width_ = 0;
  uint64_t tile_row_bytes_ = 0;
  LargeBuffer tile_;
  LargeBuffer band_;
};

BandReader::BandReader(const TiffFile& file, const TiffForm& form)
    : file_(file),
      form_(form),
      tiff_(file.get()),
      num_planes_(form.num_planes()),
      is_tiled_(file.is_tiled()) {
  if (is_tiled_) {
    MeasureTiles();
  } else {
    MeasureStrips();
  }
  // Both factors are below 2^32.
  const bool is_too_large =
      row_bytes_ > kMaxBandBytes || row_bytes_ * rows_per_band_ > kMaxBandBytes / num_planes_;
  if (is_too_large) {
    throw TooLargeImage(file.where(),
                        StrCat("TIFF with ", is_tiled_ ? "a row of tiles" : "a strip", " of ",
                               rows_per_band_, " rows of ", row_bytes_, " bytes in ", num_planes_,
                               " planes, which is over the limit of ", kMaxBandBytes, " bytes"));
  }
  plane_bytes_ = row_bytes_ * rows_per_band_;
  band_ = NewLargeBuffer(plane_bytes_ * num_planes_);
  if (is_tiled_) tile_ = NewLargeBuffer(tile_row_bytes_ * rows_per_band_);
}

void BandReader::MeasureTiles() {
  TIFFGetField(tiff_, TIFFTAG_TILEWIDTH, &tile_width_);
  TIFFGetField(tiff_, TIFFTAG_TILELENGTH, &rows_per_band_);
  tile_row_bytes_ = TIFFTileRowSize64(tiff_);
  const uint64_t row_bits = uint64_t{tile_width_} * BitsPerPixel();
  if (tile_width_ == 0 || rows_per_band_ == 0 || tile_row_bytes_ == 0) file_.FailAsLibrary();
  if (row_bits % 8 != 0 || row_bits / 8 != tile_row_bytes_) {
    file_.Refuse(StrCat("tiles ", tile_width_, " pixels wide whose rows end inside a byte"));
  }
  const uint64_t num_across = (uint64_t{form_.width} + tile_width_ - 1) / tile_width_;
  row_bytes_ = tile_row_bytes_ > kMaxBandBytes ? tile_row_bytes_ : num_across * tile_row_bytes_;
}

void BandReader::MeasureStrips() {
  uint32_t rows_per_strip = 0;
  TIFFGetFieldDefaulted(tiff_, TIFFTAG_ROWSPERSTRIP, &rows_per_strip);
  rows_per_band_ = std::clamp<uint32_t>(rows_per_strip, 1, form_.height);
  row_bytes_ = TIFFScanlineSize64(tiff_);
  const uint64_t row_bits = uint64_t{form_.width} * BitsPerPixel();
  if (row_bytes_ == 0 || row_bytes_ < (row_bits + 7) / 8) file_.FailAsLibrary();
  is_by_row_ = !form_.is_planar && row_bytes_ * rows_per_band_ > kMaxStripBytes;
  if (is_by_row_) rows_per_band_ = 1;
}

void BandReader::Read(uint32_t y) {
  for (size_t plane = 0; plane < num_planes_; ++plane) {
    const auto number = static_cast<uint16_t>(plane);
    file_.CheckRead(is_tiled_ ? ReadTiles(y, number) : ReadStrip(y, number));
  }
}

bool BandReader::ReadTiles(uint32_t y, uint16_t plane) {
  const auto tile_bytes = static_cast<tmsize_t>(tile_row_bytes_ * rows_per_band_);
  const uint32_t num_rows = std::min(rows_per_band_, form_.height - y);
  uint8_t* out = band_.get() + plane * plane_bytes_;
  for (uint32_t x = 0; x < form_.width; out += tile_row_bytes_) {
    const uint32_t tile = TIFFComputeTile(tiff_, x, y, 0, plane);
    if (TIFFReadEncodedTile(tiff_, tile, tile_.get(), tile_bytes) != tile_bytes) return false;
    for (uint64_t i = 0; i < num_rows; ++i) {
      std::memcpy(out + i * row_bytes_, tile_.get() + i * tile_row_bytes_, tile_row_bytes_);
    }
    if (form_.width - x <= tile_width_) break;
    x += tile_width_;
  }
  return true;
}

bool BandReader::ReadStrip(uint32_t y, uint16_t plane) {
  uint8_t* out = band_.get() + plane * plane_bytes_;
  if (is_by_row_) return TIFFReadScanline(tiff_, out, y, 0) == 1;
  const uint32_t num_rows = std::min(rows_per_band_, form_.height - y);
  const auto num_bytes = static_cast<tmsize_t>(row_bytes_ * num_rows);
  return TIFFReadEncodedStrip(tiff_, TIFFComputeStrip(tiff_, y, plane), out, num_bytes) ==
         num_bytes;
}

void DecodeSamples(const TiffFile& file, const TiffForm& form, const DecodeOptions& options,
                   RowSink* sink) {
  BandReader bands(file, form);
  std::vector<uint8_t> palette;
  if (form.colors == TiffColors::kPalette) palette = file.Palette(form.depth.num_bits);
  RowAssembler assembler(form, std::move(palette), options.samples);
  std::vector<const uint8_t*> planes(form.num_planes());
  const auto for_each_row = [&](const auto& visit) {
    for (uint32_t y = 0; y < form.height; ++y) {
      if (y % bands.rows_per_band() == 0) {
        CheckCancelled(options);
        bands.Read(y);
      }
      for (size_t plane = 0; plane < planes.size(); ++plane) planes[plane] = bands.row(y, plane);
      visit();
    }
  };
  if (form.depth.is_float && options.samples == SampleRule::kScale) {
    for_each_row([&] { assembler.AddToRange(planes); });
  }
  for_each_row([&] {
    assembler.Assemble(planes, sink->row());
    sink->TakeRow();
  });
}

// Colours that need libtiff's own arithmetic, a band of its RGBA at a time.
void DecodeConverted(const TiffFile& file, const TiffForm& form, RowSink* sink) {
  char message[1024] = "";
  TIFFRGBAImage image;
  if (TIFFRGBAImageOK(file.get(), message) == 0) file.Refuse(message);
  if (TIFFRGBAImageBegin(&image, file.get(), 1, message) == 0) file.Fail(message);
  const std::unique_ptr<TIFFRGBAImage, void (*)(TIFFRGBAImage*)> end(&image, TIFFRGBAImageEnd);
  image.req_orientation = image.orientation;  // rows as stored; the turn comes later
  uint32_t rows_per_band = 0;
  TIFFGetFieldDefaulted(file.get(), file.is_tiled() ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP,
                        &rows_per_band);
  rows_per_band = std::clamp<uint32_t>(rows_per_band, 1, form.height);
  const uint64_t band_bytes = uint64_t{form.width} * rows_per_band * sizeof(uint32_t);
  if (band_bytes > kMaxBandBytes) {
    throw TooLargeImage(file.where(),
                        StrCat("TIFF with a strip of ", band_bytes,
                               " bytes, which is over the limit of ", kMaxBandBytes, " bytes"));
  }
  const LargeBuffer band = NewLargeBuffer(band_bytes);
  auto* pixels = reinterpret_cast<uint32_t*>(band.get());
  for (uint32_t y = 0; y < form.height; ++y) {
    if (y % rows_per_band == 0) {
      image.row_offset = static_cast<int>(y);
      const uint32_t num_rows = std::min(rows_per_band, form.height - y);
      file.CheckRead(TIFFRGBAImageGet(&image, pixels, form.width, num_rows) != 0);
    }
    const uint32_t* in = pixels + size_t{y % rows_per_band} * form.width;
    uint8_t* out = sink->row();
    for (uint32_t x = 0; x < form.width; ++x, out += 3) {
      out[0] = static_cast<uint8_t>(TIFFGetR(in[x]));
      out[1] = static_cast<uint8_t>(TIFFGetG(in[x]));
      out[2] = static_cast<uint8_t>(TIFFGetB(in[x]));
    }
    sink->TakeRow();
  }
}

}  // namespace

bool IsTiff(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() < 4) return false;
  for (const char* magic : {"II*\0", "MM\0*", "II+\0", "MM\0+"}) {
    if (std::memcmp(bytes.data(), magic, 4) == 0) return true;
  }
  return false;
}

DecodedImage DecodeTiff(std::span<const std::byte> bytes, const ImagePage& page,
                        std::string_view where, const DecodeOptions& options) {
  TiffFile file(bytes, page.offset, where);
  const TiffForm form = file.ReadForm(options);
  RowSink sink(form.width, form.height, form.layout(), file.Profile(), options);
  if (form.colors == TiffColors::kByLibrary) {
    DecodeConverted(file, form, &sink);
  } else {
    DecodeSamples(file, form, options, &sink);
  }
  DecodedImage decoded = sink.Finish();
  decoded.bits_per_pixel = int64_t{form.num_samples} * form.depth.num_bits;
  decoded.orientation = file.Orientation();
  file.CheckFaxErrors(form.height, &decoded.warnings);
  return decoded;
}

}  // namespace octavo
