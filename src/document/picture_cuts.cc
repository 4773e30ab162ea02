#include "document/picture_cuts.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "vision/image_codec.h"

namespace octavo {
namespace {

constexpr int kJpegQuality = 75;

bool HasPicture(std::string_view type) {
  return type == "image" || type == "chart" || type == "image_block" || type == "table" ||
         type == "equation";
}

}  // namespace

std::string AddPicture(const Image& cut, Page* page) {
  // JPEG holds no longer side.
  constexpr int kMaxSide = 65'500;
  if (cut.empty() || cut.width > kMaxSide || cut.height > kMaxSide) return {};
  CutPicture picture;
  picture.jpeg_bytes = EncodeJpeg(cut, kJpegQuality);
  char name[64];
  std::snprintf(name, sizeof name, "p%d-%zu-%016llx.jpg", page->index + 1,
                page->pictures.size() + 1,
                static_cast<unsigned long long>(Fnv1a64(picture.jpeg_bytes)));
  picture.name = name;
  page->pictures.push_back(std::move(picture));
  return name;
}

void CutPictures(const Image& image, Page* page) {
  for (ContentBlock& block : page->blocks) {
    if (!HasPicture(block.type) || !block.img_path.empty()) continue;
    const Image cut = Crop(image, static_cast<int>(std::floor(block.bbox[0] * image.width)),
                           static_cast<int>(std::floor(block.bbox[1] * image.height)),
                           static_cast<int>(std::ceil(block.bbox[2] * image.width)),
                           static_cast<int>(std::ceil(block.bbox[3] * image.height)));
    block.img_path = AddPicture(cut, page);
  }
}

}  // namespace octavo
