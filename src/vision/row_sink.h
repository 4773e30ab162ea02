// RowSink: takes a picture's rows as a codec reads them and makes 8-bit sRGB of them.
//
// On the way it applies the embedded colour profile, resolves alpha, and averages a picture that
// is over the limit down by a whole factor, so that no more than the result and one row is held.
#ifndef OCTAVO_VISION_ROW_SINK_H_
#define OCTAVO_VISION_ROW_SINK_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vision/codec.h"
#include "vision/color_profile.h"

namespace octavo {

class RowSink {
 public:
  // `icc`: the embedded profile, or empty; read here only. The result's memory is touched as rows
  // come, so that a header that claims much costs little; a row's is at once: up to 35 bytes for
  // each of at most max_side pixels. REQUIRES: width x height passed CheckImageSize;
  // `options` outlives the sink. Throws std::bad_alloc.
  RowSink(int64_t width, int64_t height, PixelLayout layout, std::span<const std::byte> icc,
          const DecodeOptions& options);

  size_t row_bytes() const { return static_cast<size_t>(width_) * NumChannels(layout_); }

  // Where the next row goes: [width, channels of the layout]. Valid until TakeRow.
  uint8_t* row();
  // row() is filled. Throws kCancelled. REQUIRES: fewer than `height` rows taken so far.
  void TakeRow();

  // The picture, of 8 bits a stored sample, and the warning if it was reduced. REQUIRES: `height`
  // rows taken.
  DecodedImage Finish();

 private:
  void ConvertTo(uint8_t* rgb);
  void AddToSums(const uint8_t* rgb);

  const DecodeOptions& options_;
  int64_t width_;
  int64_t height_;
  PixelLayout layout_;
  std::optional<ColorTransform> transform_;
  int64_t factor_ = 1;  // stored pixels a side of one pixel of the result
  int64_t num_taken_ = 0;
  int64_t num_edges_ = 0;    // DecodedImage's
  int64_t num_unasked_ = 0;  // pixels since options_.is_cancelled was asked last
  bool is_direct_ = false;   // rows are RGB already and are filled in place
  Image image_;
  std::vector<uint8_t> stored_;  // one row
  std::vector<uint8_t> rgba_;    // one row, of kGreyAlpha
  std::vector<uint8_t> rgb_;     // one row, where it is averaged
  std::vector<uint64_t> sums_;   // one row of the result, times the number of pixels in it
};

// The least factor by which both sides are divided, rounded up, so that max_pixels suffice.
int64_t ReductionFactor(int64_t width, int64_t height, int64_t max_pixels);

// Without a profile. Equal to Pillow's conversion. cmyk: [num_pixels, 4], 0 is no ink.
void CmykToRgb(const uint8_t* cmyk, size_t num_pixels, uint8_t* rgb);

}  // namespace octavo

#endif  // OCTAVO_VISION_ROW_SINK_H_
