// TIFF and BigTIFF by libtiff: one page at a time, strips or tiles.
#ifndef OCTAVO_VISION_CODEC_TIFF_H_
#define OCTAVO_VISION_CODEC_TIFF_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "vision/codec.h"

namespace octavo {

bool IsTiff(std::span<const std::byte> bytes) noexcept;

// One of ListTiffPages. Grey, palette, RGB, CMYK of every depth that sample_depth.h knows,
// interleaved or in planes, with alpha; YCbCr, CIE L*a*b* and LogLuv as libtiff converts them;
// every compression of Debian's libtiff but two: old-style JPEG, whose decoder guesses, and JBIG,
// whose library ends the program when memory is short. Strips and tiles are read a band at a time.
// Lines of a fax that could not be read give a warning, more than one in fifty of them an error.
// Throws as DecodeImagePage; kResourceExhausted also if a band is larger than 640 MiB.
DecodedImage DecodeTiff(std::span<const std::byte> bytes, const ImagePage& page,
                        std::string_view where, const DecodeOptions& options);

}  // namespace octavo

#endif  // OCTAVO_VISION_CODEC_TIFF_H_
