#include "document/page_structure.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "document/block.h"

namespace octavo {
namespace {

bool IsBody(std::string_view type) {
  return type == "image" || type == "chart" || type == "image_block" || type == "table" ||
         type == "code" || type == "algorithm";
}

// A body that a caption or footnote could belong to.
struct Candidate {
  size_t body = 0;
  int distance = 0;  // blocks between, children of the same kind not counted
};

class StructureFinder {
 public:
  explicit StructureFinder(const std::vector<ContentBlock>& blocks)
      : blocks_(blocks), owner_(blocks.size()) {}

  std::vector<PageItem> Find() {
    AssignListItems();
    AssignPicturesOfBlocks();
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (IsChild(i)) owner_[i] = ParentOf(i);
    }
    std::vector<PageItem> items;
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (owner_[i] || IsDiscardedType(blocks_[i].type)) continue;
      AddItem(i, &items);
    }
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (IsDiscardedType(blocks_[i].type)) {
        items.push_back({PageItem::Kind::kDiscarded, i, {}});
      }
    }
    return items;
  }

 private:
  bool IsChild(size_t i) const {
    return IsCaptionType(blocks_[i].type) || IsFootnoteType(blocks_[i].type);
  }

  void AssignListItems() {
    constexpr double kItemShare = 0.8;
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (blocks_[i].type != "text" && blocks_[i].type != "ref_text") continue;
      for (size_t list = 0; list < blocks_.size() && !owner_[i]; ++list) {
        if (blocks_[list].type == "list" &&
            CoveredShare(blocks_[i].bbox, blocks_[list].bbox) >= kItemShare) {
          owner_[i] = list;
        }
      }
    }
  }

  void AssignPicturesOfBlocks() {
    constexpr double kPictureShare = 0.9;
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (blocks_[i].type != "image" && blocks_[i].type != "chart") continue;
      for (size_t j = 0; j < blocks_.size() && !owner_[i]; ++j) {
        if (blocks_[j].type == "image_block" &&
            CoveredShare(blocks_[i].bbox, blocks_[j].bbox) >= kPictureShare) {
          owner_[i] = j;
        }
      }
    }
  }

  // The next body in the given direction, with nothing but suitable children between.
  std::optional<Candidate> Neighbour(size_t child, int step) const {
    const bool is_caption = IsCaptionType(blocks_[child].type);
    Candidate candidate;
    for (auto i = static_cast<ptrdiff_t>(child) + step;
         i >= 0 && i < static_cast<ptrdiff_t>(blocks_.size()); i += step) {
      const auto at = static_cast<size_t>(i);
      const std::string_view type = blocks_[at].type;
      if (IsDiscardedType(type) || owner_[at] == std::optional<size_t>(at)) continue;
      if (IsBody(type)) {
        if (owner_[at] && blocks_[*owner_[at]].type == "image_block") {
          candidate.body = *owner_[at];
        } else {
          candidate.body = at;
        }
        return candidate;
      }
      if (IsCaptionType(type)) {
        candidate.distance += is_caption ? 0 : 1;
      } else if (IsFootnoteType(type) && !is_caption) {
        continue;
      } else {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  double EdgeDistance(size_t a, size_t b) const {
    const Bbox& x = blocks_[a].bbox;
    const Bbox& y = blocks_[b].bbox;
    return std::max({0.0, x[1] - y[3], y[1] - x[3]});
  }

  double CentreDistance(size_t a, size_t b) const {
    const Bbox& x = blocks_[a].bbox;
    const Bbox& y = blocks_[b].bbox;
    return std::hypot((x[0] + x[2] - y[0] - y[2]) / 2, (x[1] + x[3] - y[1] - y[3]) / 2);
  }

  std::optional<size_t> ParentOf(size_t child) const {
    const std::optional<Candidate> before = Neighbour(child, -1);
    if (IsFootnoteType(blocks_[child].type)) {
      return before ? std::optional(before->body) : std::nullopt;
    }
    const std::optional<Candidate> after = Neighbour(child, +1);
    if (!before || !after) {
      const auto& only = before ? before : after;
      return only ? std::optional(only->body) : std::nullopt;
    }
    if (before->distance != after->distance) {
      return before->distance < after->distance ? before->body : after->body;
    }
    // Two points of a page of 800.
    constexpr double kSameDistance = 0.0025;
    const double to_before = EdgeDistance(child, before->body);
    const double to_after = EdgeDistance(child, after->body);
    if (std::abs(to_before - to_after) > kSameDistance) {
      return to_before < to_after ? before->body : after->body;
    }
    if (blocks_[before->body].type == "table" && blocks_[after->body].type == "table") {
      return after->body;
    }
    return CentreDistance(child, before->body) <= CentreDistance(child, after->body) ? before->body
                                                                                     : after->body;
  }

  std::vector<size_t> ListMembers(size_t list) const {
    std::vector<size_t> members;
    // Text items come before references, as in the reference.
    for (const char* wanted : {"text", "ref_text"}) {
      for (size_t i = 0; i < blocks_.size(); ++i) {
        if (owner_[i] == std::optional(list) && blocks_[i].type == wanted) members.push_back(i);
      }
    }
    return members;
  }

  std::vector<size_t> VisualMembers(size_t body) const {
    std::vector<size_t> members;
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (i == body || (owner_[i] == std::optional(body) && IsChild(i))) members.push_back(i);
    }
    return members;
  }

  void AddItem(size_t block, std::vector<PageItem>* items) const {
    const std::string_view type = blocks_[block].type;
    if (type == "equation_block") return;
    PageItem item{PageItem::Kind::kSimple, block, {}};
    if (type == "list") {
      item.kind = PageItem::Kind::kList;
      item.members = ListMembers(block);
      if (item.members.empty()) return;
    } else if (IsBody(type)) {
      item.kind = PageItem::Kind::kVisual;
      item.members = VisualMembers(block);
    }
    items->push_back(std::move(item));
  }

  const std::vector<ContentBlock>& blocks_;
  std::vector<std::optional<size_t>> owner_;  // list, image_block or body that a block goes with
};

}  // namespace

std::vector<PageItem> FindStructure(const std::vector<ContentBlock>& blocks) {
  return StructureFinder(blocks).Find();
}

}  // namespace octavo
