// TiffFile: writes TIFF and BigTIFF files of either byte order, byte by byte, for tests.
#ifndef OCTAVO_TESTS_TESTING_TIFF_FILE_H_
#define OCTAVO_TESTS_TESTING_TIFF_FILE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace octavo::testing {

class TiffFile {
 public:
  enum Type : uint16_t { kByte = 1, kShort = 3, kLong = 4, kRational = 5, kUndefined = 7 };
  struct Tag {
    uint16_t number;
    Type type;
    std::vector<uint32_t> values;  // a rational is two
  };

  explicit TiffFile(bool is_big_endian = false, bool is_big_tiff = false)
      : is_big_endian_(is_big_endian), is_big_tiff_(is_big_tiff) {
    bytes_ = is_big_endian ? "MM" : "II";
    bytes_ += Int(is_big_tiff ? 43 : 42, 2);
    if (is_big_tiff) bytes_ += Int(8, 2) + Int(0, 2);
    next_at_ = bytes_.size();
    bytes_ += Int(0, OffsetBytes());
  }

  // A page of one strip for each of `strips`. Of `tags` those of a picture's form are all wanted
  // but for StripOffsets and StripByteCounts (or TileOffsets and TileByteCounts). Ascending.
  TiffFile& AddPage(std::vector<Tag> tags, const std::vector<std::string>& strips) {
    std::vector<uint32_t> offsets;
    std::vector<uint32_t> sizes;
    for (const std::string& strip : strips) {
      offsets.push_back(static_cast<uint32_t>(bytes_.size()));
      sizes.push_back(static_cast<uint32_t>(strip.size()));
      bytes_ += strip;
      if (bytes_.size() % 2 != 0) bytes_ += '\0';
    }
    bool is_tiled = false;
    for (const Tag& tag : tags) is_tiled = is_tiled || tag.number == 322;
    Insert(&tags, {static_cast<uint16_t>(is_tiled ? 324 : 273), kLong, offsets});
    Insert(&tags, {static_cast<uint16_t>(is_tiled ? 325 : 279), kLong, sizes});
    const std::string directory = Directory(tags);
    bytes_.replace(next_at_, OffsetBytes(), Int(bytes_.size(), OffsetBytes()));
    bytes_ += directory;
    next_at_ = bytes_.size() - OffsetBytes();
    return *this;
  }

  // An integer of this many bytes in the file's order.
  std::string Int(uint64_t value, size_t num_bytes) const {
    std::string text;
    for (size_t i = 0; i < num_bytes; ++i) {
      const size_t shift = 8 * (is_big_endian_ ? num_bytes - 1 - i : i);
      text += static_cast<char>(value >> shift & 255);
    }
    return text;
  }

  // Where the offset of the next directory stands, 0 so far.
  size_t next_at() const { return next_at_; }
  const std::string& bytes() const { return bytes_; }

 private:
  size_t OffsetBytes() const { return is_big_tiff_ ? 8 : 4; }

  static void Insert(std::vector<Tag>* tags, Tag tag) {
    auto at = tags->begin();
    while (at != tags->end() && at->number < tag.number) ++at;
    tags->insert(at, std::move(tag));
  }

  // Puts long values before the directory.
  std::string Directory(const std::vector<Tag>& tags) {
    std::string directory = Int(tags.size(), is_big_tiff_ ? 8 : 2);
    for (const Tag& tag : tags) {
      const bool is_rational = tag.type == kRational;
      const size_t unit = tag.type == kShort ? 2 : tag.type == kLong || is_rational ? 4 : 1;
      std::string values;
      for (const uint32_t value : tag.values) values += Int(value, unit);
      if (values.size() > OffsetBytes()) {
        const size_t at = bytes_.size();
        bytes_ += values;
        if (bytes_.size() % 2 != 0) bytes_ += '\0';
        values = Int(at, OffsetBytes());
      }
      values.resize(OffsetBytes(), '\0');
      const size_t count = tag.values.size() / (is_rational ? 2 : 1);
      directory += Int(tag.number, 2) + Int(tag.type, 2) + Int(count, OffsetBytes()) + values;
    }
    return directory + Int(0, OffsetBytes());
  }

  bool is_big_endian_;
  bool is_big_tiff_;
  std::string bytes_;
  size_t next_at_ = 0;
};

}  // namespace octavo::testing

#endif  // OCTAVO_TESTS_TESTING_TIFF_FILE_H_
