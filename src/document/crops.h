// Pictures of the two steps: the layout picture of a page and the crop of each block.
#ifndef OCTAVO_DOCUMENT_CROPS_H_
#define OCTAVO_DOCUMENT_CROPS_H_

#include <optional>
#include <string>
#include <vector>

#include "document/prompts.h"
#include "octavo/document.h"
#include "vision/image.h"
#include "vision/resize.h"

namespace octavo {

// Pillow 13 is what MinerU 3.4.5 runs with.
inline constexpr ResampleRule kCropResampleRule = ResampleRule::kPillow13;
inline constexpr int kLayoutSide = 1036;

// The whole page stretched to a square, the reference's or a smaller one. REQUIRES: a non-empty
// image.
Image LayoutPicture(const Image& page, int side = kLayoutSide);

// The pixels of a box given in fractions of the page, edges rounded half to even as Pillow does.
// Empty if a side rounds to nothing.
Image CropBox(const Image& page, const std::array<double, 4>& bbox);

struct CropSize {
  int padded_width = 0;  // after padding the shorter side with white
  int padded_height = 0;
  int width = 0;  // after enlarging
  int height = 0;
};
// The size at which a crop is sent: the longer side at most 50 times the shorter (padding), the
// shorter at least 28 (enlarging). REQUIRES: width, height >= 1.
// Source: mineru-vl-utils 2.0.7, MinerUClientHelper.resize_by_need.
CropSize SizeOfCrop(int width, int height);

// Pads and enlarges by SizeOfCrop. REQUIRES: a non-empty image.
Image PadAndEnlarge(const Image& crop);

// A crop of print with paper to the right and below, up to width x height. REQUIRES: a non-empty
// crop, not wider nor higher.
Image AddPaper(const Image& crop, int width, int height);

// Light on dark becomes dark on light.
void Invert(Image* image);

// The crop of a block as it is sent: cut, turned upright by `angle`, reduced by `scale` (at most 1;
// 1: its pixels stay as they are), padded, enlarged. Empty if the box has no pixel.
Image CropOfBlock(const Image& page, const std::array<double, 4>& bbox, std::optional<int> angle,
                  double scale = 1.0);

// A block that the model is asked to read.
struct BlockRequest {
  size_t block = 0;  // index
  Task task = Task::kText;
};
struct RequestOptions {
  bool image_analysis = false;
  std::vector<std::string> not_extract;  // types left out
};
// Which blocks are read, in order. First removes image captions that lie in a picture.
// Source: mineru-vl-utils 2.0.7, MinerUClientHelper.prepare_for_extract.
std::vector<BlockRequest> PlanRequests(std::vector<ContentBlock>* blocks,
                                       const RequestOptions& options = {});

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_CROPS_H_
