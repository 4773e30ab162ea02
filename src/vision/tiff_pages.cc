#include "vision/tiff_pages.h"

#include <cstdint>
#include <iterator>
#include <map>
#include <unordered_set>

#include "base/str_cat.h"
#include "vision/byte_reader.h"
#include "vision/codec.h"

namespace octavo {
namespace {

constexpr uint32_t kNewSubfileTypeTag = 254;
constexpr uint32_t kSubfileTypeTag = 255;
// Real pages have some twenty tags, cameras' a hundred.
constexpr uint64_t kMaxEntries = 4096;

struct Directory {
  bool is_inside = false;  // all of it lies in the file
  bool is_page = true;     // no thumbnail or mask
  uint64_t end = 0;
  uint64_t next = 0;
};

// Which parts of the file are taken.
class TakenRanges {
 public:
  // False if [begin, end) overlaps a range taken before. REQUIRES: begin < end.
  bool Take(uint64_t begin, uint64_t end) {
    const auto behind = ends_.lower_bound(end);  // begins behind, or where this ends
    if (behind != ends_.begin() && std::prev(behind)->second > begin) return false;
    ends_.emplace_hint(behind, begin, end);
    return true;
  }

 private:
  std::map<uint64_t, uint64_t> ends_;  // by begin
};

class TiffChain {
 public:
  explicit TiffChain(std::span<const std::byte> bytes)
      : in_(bytes, bytes[0] == std::byte{'M'} ? ByteOrder::kBig : ByteOrder::kLittle),
        is_big_tiff_(in_.U16(2) == 43) {}

  // 0 if the header is cut.
  uint64_t First() const {
    if (is_big_tiff_) return in_.Has(8, 8) ? in_.U64(8) : 0;
    return in_.Has(4, 4) ? in_.U32(4) : 0;
  }

  Directory Read(uint64_t at) const {
    Directory directory;
    const uint64_t count_bytes = is_big_tiff_ ? 8 : 2;
    const uint64_t entry_bytes = is_big_tiff_ ? 20 : 12;
    const uint64_t next_bytes = is_big_tiff_ ? 8 : 4;
    if (!in_.Has(at, count_bytes)) return directory;
    const uint64_t num_entries = is_big_tiff_ ? in_.U64(at) : in_.U16(at);
    if (num_entries == 0 || num_entries > kMaxEntries) return directory;
    const uint64_t entries_at = at + count_bytes;
    const uint64_t entries_bytes = num_entries * entry_bytes;
    if (!in_.Has(entries_at, entries_bytes + next_bytes)) return directory;
    directory.is_inside = true;
    for (uint64_t i = 0; i < num_entries; ++i) {
      if (!IsPageEntry(entries_at + i * entry_bytes)) directory.is_page = false;
    }
    const uint64_t next_at = entries_at + entries_bytes;
    directory.end = next_at + next_bytes;
    directory.next = is_big_tiff_ ? in_.U64(next_at) : in_.U32(next_at);
    return directory;
  }

 private:
  // False if the entry says that its directory is a thumbnail or a mask.
  bool IsPageEntry(uint64_t at) const {
    constexpr uint32_t kTypeShort = 3;
    constexpr uint32_t kReducedOrMask = 1 | 4;
    constexpr uint32_t kOldReduced = 2;
    const uint32_t tag = in_.U16(at);
    if (tag != kNewSubfileTypeTag && tag != kSubfileTypeTag) return true;
    const uint64_t value_at = at + (is_big_tiff_ ? 12 : 8);
    const uint32_t value = in_.U16(at + 2) == kTypeShort ? in_.U16(value_at) : in_.U32(value_at);
    return tag == kNewSubfileTypeTag ? (value & kReducedOrMask) == 0 : value != kOldReduced;
  }

  ByteReader in_;
  bool is_big_tiff_;
};

}  // namespace

std::vector<ImagePage> ListTiffPages(std::span<const std::byte> bytes, std::string_view where) {
  const auto fail = [&](std::string_view what) { return CorruptImage(where, "TIFF", what); };
  if (bytes.size() < 8) throw fail("the file ends inside its header");
  const TiffChain chain(bytes);
  std::vector<ImagePage> pages;
  std::vector<ImagePage> others;
  std::unordered_set<uint64_t> seen;
  TakenRanges taken;
  for (uint64_t at = chain.First(); at != 0 && seen.insert(at).second;) {
    if (seen.size() > kMaxTiffPages) {
      throw TooLargeImage(where, StrCat("TIFF of more than ", kMaxTiffPages, " pages"));
    }
    const Directory directory = chain.Read(at);
    (directory.is_page ? pages : others).push_back({at});
    // Without this a small file could hold many large directories, one over the other.
    const bool goes_on = directory.is_inside && taken.Take(at, directory.end);
    at = goes_on ? directory.next : 0;
  }
  if (pages.empty()) pages.swap(others);
  if (pages.empty()) throw fail("no directory in the file");
  return pages;
}

}  // namespace octavo
