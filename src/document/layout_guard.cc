#include "document/layout_guard.h"

#include <utility>

#include "base/str_cat.h"
#include "document/layout_parser.h"

namespace octavo {
namespace {

// A block has some 80 characters, with whatever a model may write behind it.
constexpr size_t kMaxBlockBytes = 512;
// Blocks after which shares are judged: a page with few of them ends by itself.
constexpr int kMinBlocks = 64;

}  // namespace

std::string LayoutGuard::Add(std::string_view text) {
  pending_ += text;
  const size_t from = has_start_ ? kBoxStart.size() : 0;
  for (size_t start = pending_.find(kBoxStart, from); start != std::string::npos;
       start = pending_.find(kBoxStart, kBoxStart.size())) {
    std::string rest = pending_.substr(start);
    pending_.resize(start);
    std::string problem = has_start_ ? CheckBlock() : "";
    has_start_ = true;
    pending_ = std::move(rest);
    if (!problem.empty()) return problem;
  }
  return pending_.size() > kMaxBlockBytes ? "the answer is not in the grammar" : "";
}

std::string LayoutGuard::CheckBlock() {
  ++num_blocks_;
  if (ParseLayout(pending_).num_invalid > 0) ++num_invalid_;
  seen_.insert(pending_);
  if (num_blocks_ > kMaxBlocks) return StrCat("the answer has more than ", kMaxBlocks, " blocks");
  if (num_blocks_ < kMinBlocks) return "";
  // layout_check.h refuses what has more invalid or repeated blocks than others. Until the answer
  // ends it may get better; at three quarters it has gone wrong for long.
  if (4 * num_invalid_ > 3 * num_blocks_) return "most of the answer is not in the grammar";
  if (4 * static_cast<int>(seen_.size()) < num_blocks_) return "most of the answer is repetition";
  return "";
}

}  // namespace octavo
