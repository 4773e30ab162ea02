#include <cstddef>
#include <span>
#include <utility>

#include "base/file.h"
#include "octavo/engine.h"
#include "vision/image_codec.h"

namespace octavo {

Picture ReadPicture(const std::string& path) {
  const MappedFile file = MappedFile::Open(path);
  Image image = DecodeImage(file.bytes(), path);
  Picture picture;
  picture.width = image.width;
  picture.height = image.height;
  picture.rgb = std::move(image.pixels);
  return picture;
}

}  // namespace octavo
