#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "base/file.h"
#include "octavo/engine.h"
#include "vision/image_codec.h"

namespace octavo {

Picture ReadPicture(const std::string& path) {
  const std::string bytes = ReadFile(path, kMaxPictureFileBytes);
  Image image = DecodeImage(std::as_bytes(std::span(bytes)), path);
  Picture picture;
  picture.width = image.width;
  picture.height = image.height;
  picture.rgb = std::move(image.pixels);
  return picture;
}

}  // namespace octavo
