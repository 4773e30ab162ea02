#include "document/layout_draft.h"

#include <algorithm>
#include <optional>

#include "base/str_cat.h"
#include "document/block.h"
#include "document/layout_parser.h"

namespace octavo {
namespace {

constexpr std::string_view kUpright = "<|rotate_up|>";
constexpr size_t kDigits = 3;  // of a coordinate, as models write it
// "100 200 300 400"
constexpr size_t kBoxSize = 4 * kDigits + 3;
// A block has some 80 characters; what is longer is no block.
constexpr size_t kMaxBlockSize = 512;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// box: a box, or its begin.
std::string AfterBox(std::string_view box) {
  for (size_t i = 0; i < box.size(); ++i) {
    const bool is_space = i % (kDigits + 1) == kDigits;
    if (is_space ? box[i] != ' ' : !IsDigit(box[i])) return {};
  }
  if (box.size() == kBoxSize) return StrCat(kBoxEnd, kRefStart);
  return box.size() % (kDigits + 1) == kDigits ? " " : "";
}

// name: a block type, or its begin.
std::string AfterName(std::string_view name) {
  const std::optional<std::string_view> type = OnlyBlockType(name);
  if (!type) return {};
  return StrCat(type->substr(name.size()), kRefEnd, kUpright, "\n", kBoxStart);
}

// What is left of `whole` if `text` is a begin of it.
std::string RestOf(std::string_view whole, std::string_view text) {
  return whole.starts_with(text) ? std::string(whole.substr(text.size())) : std::string();
}

}  // namespace

std::string ForcedLayoutText(std::string_view answer) {
  if (answer.empty()) return std::string(kBoxStart);
  const size_t tail = answer.size() - std::min(answer.size(), kMaxBlockSize);
  const size_t start = answer.substr(tail).rfind(kBoxStart);
  if (start == std::string_view::npos) return {};
  const std::string_view block = answer.substr(tail + start + kBoxStart.size());
  if (block.size() <= kBoxSize) return AfterBox(block);
  const std::string_view behind = block.substr(kBoxSize);
  if (AfterBox(block.substr(0, kBoxSize)).empty()) return {};
  const size_t name_begin = kBoxEnd.size() + kRefStart.size();
  if (behind.size() < name_begin) return RestOf(StrCat(kBoxEnd, kRefStart), behind);
  if (!behind.starts_with(StrCat(kBoxEnd, kRefStart))) return {};
  const size_t name_end = behind.find(kRefEnd);
  if (name_end == std::string_view::npos) return AfterName(behind.substr(name_begin));
  const std::string_view after = behind.substr(name_end + kRefEnd.size());
  // Another angle, or a mark of its own, may stand before the line's end; then the next block.
  if (after.empty()) return StrCat(kUpright, "\n", kBoxStart);
  if (after.ends_with(">")) return StrCat("\n", kBoxStart);
  return after.ends_with("\n") ? std::string(kBoxStart) : std::string();
}

}  // namespace octavo
