#include "vision/row_sink.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/str_cat.h"

namespace octavo {
namespace {

void GreyToRgb(const uint8_t* grey, size_t num_pixels, uint8_t* rgb) {
  for (size_t i = 0; i < num_pixels; ++i, rgb += 3) rgb[0] = rgb[1] = rgb[2] = grey[i];
}

// Neighbours whose green differs by more than the noise of a scan.
int64_t CountEdges(const uint8_t* rgb, size_t num_pixels) {
  constexpr int kMinStep = 32;
  int64_t count = 0;
  for (size_t x = 1; x < num_pixels; ++x) {
    const int step = rgb[3 * x + 1] - rgb[3 * x - 2];
    count += step > kMinStep || step < -kMinStep ? 1 : 0;
  }
  return count;
}

}  // namespace

int64_t ReductionFactor(int64_t width, int64_t height, int64_t max_pixels) {
  int64_t factor = 1;
  while ((width + factor - 1) / factor > max_pixels / ((height + factor - 1) / factor)) ++factor;
  return factor;
}

// Source: cmyk2rgb of Pillow, Convert.c.
void CmykToRgb(const uint8_t* cmyk, size_t num_pixels, uint8_t* rgb) {
  for (size_t i = 0; i < num_pixels; ++i, cmyk += 4, rgb += 3) {
    const uint32_t white = 255u - cmyk[3];
    for (size_t c = 0; c < 3; ++c) {
      const uint32_t biased = cmyk[c] * white + 128;
      const uint32_t ink = ((biased >> 8) + biased) >> 8;
      rgb[c] = static_cast<uint8_t>(white - ink);
    }
  }
}

RowSink::RowSink(int64_t width, int64_t height, PixelLayout layout, std::span<const std::byte> icc,
                 const DecodeOptions& options)
    : options_(options), width_(width), height_(height), layout_(layout) {
  OCTAVO_CHECK(width >= 1 && height >= 1 && options.max_decoded_pixels >= 1, width, "x", height);
  if (options.profile == ProfileRule::kToSrgb) transform_ = ColorTransform::ToSrgb(icc, layout);
  factor_ = ReductionFactor(width, height, options.max_decoded_pixels);
  is_direct_ = factor_ == 1 && layout == PixelLayout::kRgb;
  image_.width = static_cast<int>((width + factor_ - 1) / factor_);
  image_.height = static_cast<int>((height + factor_ - 1) / factor_);
  image_.pixels.reserve(static_cast<size_t>(image_.width) * static_cast<size_t>(image_.height) * 3);
  if (!is_direct_) stored_.resize(row_bytes());
  if (factor_ > 1) {
    rgb_.resize(static_cast<size_t>(width) * 3);
    sums_.resize(static_cast<size_t>(image_.width) * 3);
  }
}

uint8_t* RowSink::row() {
  if (!is_direct_) return stored_.data();
  const size_t begin = static_cast<size_t>(num_taken_) * row_bytes();
  if (image_.pixels.size() == begin) image_.pixels.resize(begin + row_bytes());
  return image_.pixels.data() + begin;
}

void RowSink::TakeRow() {
  OCTAVO_CHECK(num_taken_ < height_, num_taken_);
  constexpr int64_t kPixelsPerQuestion = int64_t{1} << 18;
  num_unasked_ += width_;
  if (num_unasked_ >= kPixelsPerQuestion) {
    num_unasked_ = 0;
    CheckCancelled(options_);
  }
  uint8_t* stored = row();
  ++num_taken_;
  if (is_direct_) {
    if (transform_) transform_->Apply(stored, static_cast<size_t>(width_), stored);
    return;
  }
  if (factor_ > 1) {
    ConvertTo(rgb_.data());
    num_edges_ += CountEdges(rgb_.data(), static_cast<size_t>(width_));
    AddToSums(rgb_.data());
    return;
  }
  const size_t begin = image_.pixels.size();
  image_.pixels.resize(begin + static_cast<size_t>(width_) * 3);
  ConvertTo(image_.pixels.data() + begin);
}

void RowSink::ConvertTo(uint8_t* rgb) {
  const auto num_pixels = static_cast<size_t>(width_);
  uint8_t* stored = stored_.data();
  switch (layout_) {
    case PixelLayout::kGrey:
      if (transform_) transform_->Apply(stored, num_pixels, stored);
      GreyToRgb(stored, num_pixels, rgb);
      break;
    case PixelLayout::kGreyAlpha: {
      rgba_.resize(num_pixels * 4);
      for (size_t i = 0; i < num_pixels; ++i) {
        uint8_t grey = stored[2 * i];
        if (transform_) transform_->Apply(&grey, 1, &grey);
        uint8_t* pixel = rgba_.data() + 4 * i;
        pixel[0] = pixel[1] = pixel[2] = grey;
        pixel[3] = stored[2 * i + 1];
      }
      ResolveAlpha(rgba_.data(), num_pixels, options_.alpha, rgb);
      break;
    }
    case PixelLayout::kRgb:
      if (transform_) {
        transform_->Apply(stored, num_pixels, rgb);
      } else {
        std::copy_n(stored, num_pixels * 3, rgb);
      }
      break;
    case PixelLayout::kRgba:
      if (transform_) transform_->Apply(stored, num_pixels, stored);
      ResolveAlpha(stored, num_pixels, options_.alpha, rgb);
      break;
    case PixelLayout::kCmyk:
      if (transform_) {
        transform_->Apply(stored, num_pixels, rgb);
      } else {
        CmykToRgb(stored, num_pixels, rgb);
      }
      break;
  }
}

// Pixels at the right and lower edge are averages of what there is.
void RowSink::AddToSums(const uint8_t* rgb) {
  const auto width = static_cast<size_t>(width_);
  const auto factor = static_cast<size_t>(factor_);
  for (size_t out = 0, x = 0; x < width; ++out) {
    uint64_t* sum = sums_.data() + 3 * out;
    for (const size_t end = std::min(width, x + factor); x < end; ++x) {
      for (size_t c = 0; c < 3; ++c) sum[c] += rgb[3 * x + c];
    }
  }
  const bool is_row_complete = num_taken_ % factor_ == 0 || num_taken_ == height_;
  if (!is_row_complete) return;
  const auto num_rows = static_cast<uint64_t>((num_taken_ - 1) % factor_ + 1);
  uint64_t* sum = sums_.data();
  for (size_t x = 0; x < width; x += factor) {
    const uint64_t num_pixels = num_rows * std::min(factor, width - x);
    OCTAVO_CHECK(num_pixels > 0, x);
    for (const uint64_t* end = sum + 3; sum < end; ++sum) {
      image_.pixels.push_back(static_cast<uint8_t>((*sum + num_pixels / 2) / num_pixels));
      *sum = 0;
    }
  }
}

DecodedImage RowSink::Finish() {
  OCTAVO_CHECK(num_taken_ == height_, num_taken_, " rows of ", height_);
  DecodedImage decoded;
  decoded.image = std::move(image_);
  decoded.stored_width = width_;
  decoded.stored_height = height_;
  decoded.bits_per_pixel = static_cast<int64_t>(NumChannels(layout_)) * 8;
  decoded.num_edges = num_edges_;
  if (factor_ > 1) {
    decoded.warnings.push_back(StrCat("page_downscaled: picture of ", width_, "x", height_,
                                      " pixels read at ", decoded.image.width, "x",
                                      decoded.image.height, " to stay within ",
                                      options_.max_decoded_pixels, " pixels"));
  }
  return decoded;
}

}  // namespace octavo
