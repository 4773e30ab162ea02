#include "vision/codec_tiff.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <tiffio.h>

#include "base/check.h"
#include "base/str_cat.h"
#include "vision/row_sink.h"
#include "vision/tiff_file.h"
#include "vision/tiff_rows.h"

namespace octavo {
namespace {

// Of what is held at once of a picture: a row of tiles, or a strip that cannot be read row by row.
constexpr uint64_t kMaxBandBytes = uint64_t{256} << 20;
// Interleaved strips beyond this are read row by row.
constexpr uint64_t kMaxStripBytes = uint64_t{32} << 20;

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
