// Names what a file is that octavo does not read, for messages.
#ifndef OCTAVO_VISION_MEDIA_TYPE_H_
#define OCTAVO_VISION_MEDIA_TYPE_H_

#include <cstddef>
#include <span>
#include <string_view>

namespace octavo {

// By content: "HEIC picture", "ZIP archive or Office document", "text", …; "" if nothing is known.
// Looks at the first 4 KiB.
std::string_view NameMediaType(std::span<const std::byte> bytes) noexcept;

}  // namespace octavo

#endif  // OCTAVO_VISION_MEDIA_TYPE_H_
