#include "document/layout_parser.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/utf8.h"
#include "document/block.h"
#include "document/white_space.h"

namespace octavo {
namespace {

constexpr int kMaxCoordinate = 1000;
// More blocks than any page has; a looping answer ends here.
constexpr size_t kMaxBlocks = 10'000;

// Coordinates stay integers (thousandths of the page) until the thresholds have been applied, so
// that "over 0.9" is exact.
struct RawBlock {
  std::array<int, 4> box{};
  std::string type;
  std::optional<int> angle;
  bool is_continuation = false;
};

class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  bool Skip(std::string_view literal) {
    if (rest_.substr(0, literal.size()) != literal) return false;
    rest_.remove_prefix(literal.size());
    return true;
  }

  // One or more white-space characters.
  bool SkipSpace() {
    bool found = false;
    while (!rest_.empty()) {
      const DecodedChar c = DecodeUtf8(rest_);
      if (!IsSpace(c.code_point)) break;
      rest_.remove_prefix(static_cast<size_t>(c.num_bytes));
      found = true;
    }
    return found;
  }

  // One or more digits, ASCII or full-width (the reference's pattern takes any Unicode digit).
  // Values above the coordinate range come back as kMaxCoordinate + 1.
  std::optional<int> TakeNumber() {
    std::optional<int> value;
    while (!rest_.empty()) {
      const DecodedChar c = DecodeUtf8(rest_);
      int digit = -1;
      if (c.code_point >= U'0' && c.code_point <= U'9') {
        digit = static_cast<int>(c.code_point - U'0');
      } else if (c.code_point >= U'\uFF10' && c.code_point <= U'\uFF19') {
        digit = static_cast<int>(c.code_point - U'\uFF10');
      }
      if (digit < 0) break;
      value = std::min(value.value_or(0) * 10 + digit, kMaxCoordinate + 1);
      rest_.remove_prefix(static_cast<size_t>(c.num_bytes));
    }
    return value;
  }

  // ASCII word characters; a name with others is of no known type anyway. In lower case.
  std::string TakeName() {
    std::string name;
    while (!rest_.empty()) {
      const char c = rest_.front();
      const bool is_upper = c >= 'A' && c <= 'Z';
      if (!is_upper && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_') break;
      name += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
      rest_.remove_prefix(1);
    }
    return name;
  }

  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

std::optional<int> TakeAngle(Cursor* cursor) {
  if (cursor->Skip("<|rotate_up|>")) return 0;
  if (cursor->Skip("<|rotate_right|>")) return 90;
  if (cursor->Skip("<|rotate_down|>")) return 180;
  if (cursor->Skip("<|rotate_left|>")) return 270;
  return std::nullopt;
}

// `text` begins after <|box_start|> and ends before the next one or at the end of the answer.
std::optional<RawBlock> ParseOne(std::string_view text) {
  Cursor cursor(text);
  RawBlock block;
  for (size_t i = 0; i < 4; ++i) {
    if (i > 0 && !cursor.SkipSpace()) return std::nullopt;
    const std::optional<int> value = cursor.TakeNumber();
    if (!value || *value > kMaxCoordinate) return std::nullopt;
    block.box[i] = *value;
  }
  if (!cursor.Skip(kBoxEnd) || !cursor.Skip(kRefStart)) return std::nullopt;
  block.type = cursor.TakeName();
  if (block.type.empty() || !cursor.Skip(kRefEnd)) return std::nullopt;
  if (!IsBlockType(block.type)) return std::nullopt;
  if (block.type == "unknown") block.type = "image";
  block.angle = TakeAngle(&cursor);
  block.is_continuation =
      block.type == "text" && cursor.rest().find("txt_contd_tgt") != std::string_view::npos;
  auto& box = block.box;
  if (box[0] > box[2]) std::swap(box[0], box[2]);
  if (box[1] > box[3]) std::swap(box[1], box[3]);
  if (box[0] == box[2] || box[1] == box[3]) return std::nullopt;
  return block;
}

int Area(const RawBlock& block) {
  return (block.box[2] - block.box[0]) * (block.box[3] - block.box[1]);
}

int CommonArea(const RawBlock& a, const RawBlock& b) {
  const int width = std::min(a.box[2], b.box[2]) - std::max(a.box[0], b.box[0]);
  const int height = std::min(a.box[3], b.box[3]) - std::max(a.box[1], b.box[1]);
  return std::max(0, width) * std::max(0, height);
}

bool IsNearlySame(const RawBlock& a, const RawBlock& b) {
  if (a.type != b.type || a.angle != b.angle) return false;
  const int common = CommonArea(a, b);
  return 10 * common > 9 * (Area(a) + Area(b) - common);  // IoU > 0.9
}

ContentBlock ToContentBlock(const RawBlock& raw) {
  ContentBlock block;
  block.type = raw.type;
  for (size_t i = 0; i < 4; ++i) block.bbox[i] = raw.box[i] / 1000.0;
  block.angle = raw.angle;
  block.merge_prev = raw.is_continuation;
  return block;
}

// In floating point, as the reference computes it: a text of which exactly 0.9 is covered may stay.
bool IsInsideTable(const ContentBlock& block, const std::vector<ContentBlock>& blocks) {
  if (block.type != "text" && block.type != "equation" && block.type != "equation_block") {
    return false;
  }
  return std::any_of(blocks.begin(), blocks.end(), [&](const ContentBlock& other) {
    return other.type == "table" && CoveredShare(block.bbox, other.bbox) >= 0.9;
  });
}

}  // namespace

LayoutAnswer ParseLayout(std::string_view text) {
  LayoutAnswer answer;
  std::vector<RawBlock> kept;
  size_t start = text.find(kBoxStart);
  while (start != std::string_view::npos && kept.size() < kMaxBlocks) {
    const size_t begin = start + kBoxStart.size();
    start = text.find(kBoxStart, begin);
    ++answer.num_starts;
    const auto block = ParseOne(text.substr(begin, start - begin));
    if (!block) {
      ++answer.num_invalid;
      continue;
    }
    if (std::any_of(kept.begin(), kept.end(),
                    [&](const RawBlock& other) { return IsNearlySame(*block, other); })) {
      ++answer.num_duplicates;
      continue;
    }
    kept.push_back(*block);
  }
  std::vector<ContentBlock> blocks;
  blocks.reserve(kept.size());
  for (const RawBlock& block : kept) blocks.push_back(ToContentBlock(block));
  for (const ContentBlock& block : blocks) {
    if (!IsInsideTable(block, blocks)) answer.blocks.push_back(block);
  }
  return answer;
}

}  // namespace octavo
