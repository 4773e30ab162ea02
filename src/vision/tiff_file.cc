#include "vision/tiff_file.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>

#include "base/str_cat.h"

namespace octavo {
namespace {

constexpr tmsize_t kMaxAllocation = tmsize_t{1} << 29;
constexpr int kMaxSamplesPerPixel = 16;
// One line of a fax in this many may be damaged.
constexpr int64_t kFaxRowsPerError = 50;

int OnTiffError(TIFF*, void* user_data, const char*, const char* format, va_list arguments) {
  auto* messages = static_cast<TiffMessages*>(user_data);
  if (messages->num_errors++ == 0) {
    std::vsnprintf(messages->first_error, sizeof(messages->first_error), format, arguments);
  }
  return 1;
}

int OnTiffWarning(TIFF*, void*, const char*, const char*, va_list) { return 1; }

TiffSource* Get(thandle_t handle) { return static_cast<TiffSource*>(handle); }

tmsize_t OnRead(thandle_t handle, void* out, tmsize_t count) {
  TiffSource* source = Get(handle);
  if (count <= 0 || source->offset >= source->bytes.size()) return 0;
  const auto num_bytes =
      std::min<uint64_t>(static_cast<uint64_t>(count), source->bytes.size() - source->offset);
  std::memcpy(out, source->bytes.data() + source->offset, num_bytes);
  source->offset += num_bytes;
  return static_cast<tmsize_t>(num_bytes);
}

tmsize_t OnWrite(thandle_t, void*, tmsize_t) { return 0; }

toff_t OnSeek(thandle_t handle, toff_t offset, int whence) {
  TiffSource* source = Get(handle);
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

struct CloseOptions {
  void operator()(TIFFOpenOptions* options) const { TIFFOpenOptionsFree(options); }
};

}  // namespace

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

}  // namespace octavo
