#include "document/crops.h"

#include <algorithm>
#include <cmath>

#include "document/block.h"

namespace octavo {
namespace {

constexpr int kMaxSideRatio = 50;
constexpr int kMinSide = 28;
constexpr double kCoveredShare = 0.9;

bool IsPicture(const ContentBlock& block) { return block.type == "image" || block.type == "chart"; }

bool IsCoveredBy(const std::vector<ContentBlock>& blocks, const ContentBlock& block,
                 bool (*is_cover)(const ContentBlock&)) {
  return std::any_of(blocks.begin(), blocks.end(), [&](const ContentBlock& other) {
    return is_cover(other) && CoveredShare(block.bbox, other.bbox) >= kCoveredShare;
  });
}

// A picture worth analysing: not a part of something else and not tiny.
bool IsAnalysable(const std::vector<ContentBlock>& blocks, const ContentBlock& block) {
  if (IsCoveredBy(blocks, block, [](const ContentBlock& b) { return b.type == "image_block"; })) {
    return false;
  }
  if (block.type == "image" &&
      IsCoveredBy(blocks, block, [](const ContentBlock& b) { return b.type == "table"; })) {
    return false;
  }
  const double width = block.bbox[2] - block.bbox[0];
  const double height = block.bbox[3] - block.bbox[1];
  return (width > 0.1 && height > 0.1) || width * height > 0.01;
}

}  // namespace

Image LayoutPicture(const Image& page, int side) {
  return Resize(page, side, side, kCropResampleRule);
}

Image CropBox(const Image& page, const std::array<double, 4>& bbox) {
  // nearbyint rounds half to even in the default mode, as Python's round.
  const auto edge = [](double fraction, int side) {
    return static_cast<int>(std::nearbyint(std::clamp(fraction, 0.0, 1.0) * side));
  };
  return Crop(page, edge(bbox[0], page.width), edge(bbox[1], page.height),
              edge(bbox[2], page.width), edge(bbox[3], page.height));
}

CropSize SizeOfCrop(int width, int height) {
  CropSize size{width, height, width, height};
  const int longer = std::max(width, height);
  if (longer > kMaxSideRatio * std::min(width, height)) {
    const int shorter = (longer + kMaxSideRatio - 1) / kMaxSideRatio;
    (width < height ? size.padded_width : size.padded_height) = shorter;
  }
  size.width = size.padded_width;
  size.height = size.padded_height;
  const int shorter = std::min(size.width, size.height);
  if (shorter < kMinSide) {
    const double scale = double{kMinSide} / shorter;
    size.width = static_cast<int>(std::ceil(size.width * scale));
    size.height = static_cast<int>(std::ceil(size.height * scale));
  }
  return size;
}

Image PadAndEnlarge(const Image& crop) {
  const CropSize size = SizeOfCrop(crop.width, crop.height);
  const bool pads = size.padded_width != crop.width || size.padded_height != crop.height;
  const Image padded = pads ? PadTo(crop, size.padded_width, size.padded_height,
                                    (size.padded_width - crop.width) / 2,
                                    (size.padded_height - crop.height) / 2, 255)
                            : crop;
  return Resize(padded, size.width, size.height, kCropResampleRule);
}

Image AddPaper(const Image& crop, int width, int height) {
  std::array<uint8_t, 3> paper{};  // most of print is paper, so the median is
  for (size_t channel = 0; channel < 3; ++channel) {
    std::vector<uint8_t> values;
    for (size_t i = channel; i < crop.pixels.size(); i += 3) values.push_back(crop.pixels[i]);
    const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    paper[channel] = *middle;
  }
  Image out(width, height);
  for (int y = 0; y < out.height; ++y) {
    const int num_kept = y < crop.height ? crop.width : 0;
    uint8_t* row = out.row(y);
    if (num_kept > 0) row = std::copy_n(crop.row(y), num_kept * 3, row);
    for (int x = num_kept; x < width; ++x) row = std::copy(paper.begin(), paper.end(), row);
  }
  return out;
}

void Invert(Image* image) {
  for (uint8_t& value : image->pixels) value = static_cast<uint8_t>(255 - value);
}

Image CropOfBlock(const Image& page, const std::array<double, 4>& bbox, std::optional<int> angle,
                  double scale) {
  Image crop = CropBox(page, bbox);
  if (crop.empty()) return {};
  if (angle.value_or(0) != 0) crop = RotateCounterClockwise(crop, *angle);
  if (scale < 1.0) {
    const auto reduced = [scale](int side) {
      return std::max(1, static_cast<int>(std::lround(side * scale)));
    };
    crop = Resize(crop, reduced(crop.width), reduced(crop.height), kCropResampleRule);
  }
  return PadAndEnlarge(crop);
}

std::vector<BlockRequest> PlanRequests(std::vector<ContentBlock>* blocks,
                                       const RequestOptions& options) {
  const auto holds_captions = [](const ContentBlock& block) {
    return IsPicture(block) || block.type == "image_block";
  };
  const std::vector<ContentBlock> all = *blocks;
  blocks->erase(std::remove_if(blocks->begin(), blocks->end(),
                               [&](const ContentBlock& block) {
                                 return block.type == "image_caption" &&
                                        IsCoveredBy(all, block, holds_captions);
                               }),
                blocks->end());
  std::vector<BlockRequest> requests;
  for (size_t i = 0; i < blocks->size(); ++i) {
    const ContentBlock& block = (*blocks)[i];
    const auto& skipped = options.not_extract;
    if (std::find(skipped.begin(), skipped.end(), block.type) != skipped.end()) continue;
    const std::optional<Task> task = TaskOfBlockType(block.type, options.image_analysis);
    if (!task || (IsPicture(block) && !IsAnalysable(*blocks, block))) continue;
    requests.push_back({i, *task});
  }
  return requests;
}

}  // namespace octavo
