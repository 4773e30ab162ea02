#include "document/visual_groups.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "document/caption_fragments.h"

namespace octavo {
namespace {

// Pages have some hundred blocks; children do not look further than this for their body.
constexpr size_t kMaxDistance = 500;

bool IsChild(const MiddleBlock& block) {
  return block.type == "caption" || block.type == "footnote";
}

// "image_body" to "image".
std::string VisualTypeOf(std::string_view body_type) {
  if (body_type == "image_block_body") return "image";
  return std::string(body_type.substr(0, body_type.find('_')));
}

double Area(const PointBox& box) {
  return static_cast<double>(std::max(0, box[2] - box[0])) * std::max(0, box[3] - box[1]);
}

double CoveredShareOf(const PointBox& inner, const PointBox& outer) {
  const PointBox common = {std::max(inner[0], outer[0]), std::max(inner[1], outer[1]),
                           std::min(inner[2], outer[2]), std::min(inner[3], outer[3])};
  const double area = Area(inner);
  return area == 0 ? 0 : Area(common) / area;
}

bool Overlap(const PointBox& a, const PointBox& b) {
  return a[2] > b[0] && a[0] < b[2] && a[3] > b[1] && a[1] < b[3];
}

double EdgeDistance(const PointBox& a, const PointBox& b) {
  const int dx = std::max({0, a[0] - b[2], b[0] - a[2]});
  const int dy = std::max({0, a[1] - b[3], b[1] - a[3]});
  return std::hypot(dx, dy);
}

double CentreDistance(const PointBox& a, const PointBox& b) {
  return std::hypot((a[0] + a[2] - b[0] - b[2]) / 2.0, (a[1] + a[3] - b[1] - b[3]) / 2.0);
}

// Rounded to thousandths, as Python's round does.
double RelativeEdge(int edge, int begin, int end) {
  const double share =
      std::clamp(static_cast<double>(edge - begin) / std::max(end - begin, 1), 0.0, 1.0);
  char text[16];
  std::snprintf(text, sizeof text, "%.3f", share);
  return std::strtod(text, nullptr);
}

class Grouping {
 public:
  explicit Grouping(std::vector<MiddleBlock>* blocks) : all_(*blocks) {
    AbsorbSubImages();
    for (size_t i = 0; i < all_.size(); ++i) {
      const bool is_empty_list = all_[i].type == "list" && all_[i].blocks.empty();
      if (!is_absorbed_[i] && !is_empty_list) order_.push_back(i);
    }
  }

  std::vector<MiddleBlock> Take() {
    std::vector<MiddleBlock> groups;
    std::map<size_t, std::vector<size_t>> children;  // by body, as numbers in all_
    std::vector<bool> is_taken = is_absorbed_;
    for (size_t position = 0; position < order_.size(); ++position) {
      if (!IsChild(At(position))) continue;
      const std::optional<size_t> parent = FindParent(position);
      if (!parent) continue;
      children[order_[*parent]].push_back(order_[position]);
      is_taken[order_[position]] = true;
    }
    for (size_t i = 0; i < all_.size(); ++i) {
      if (is_taken[i] || !IsBodyType(all_[i].type)) continue;
      groups.push_back(MakeGroup(i, children[i]));
      is_taken[i] = true;
    }
    std::vector<MiddleBlock> left;
    for (size_t i = 0; i < all_.size(); ++i) {
      if (is_taken[i]) continue;
      if (IsChild(all_[i])) all_[i].type = "text";
      left.push_back(std::move(all_[i]));
    }
    all_ = std::move(left);
    return groups;
  }

 private:
  const MiddleBlock& At(size_t position) const { return all_[order_[position]]; }

  // Pictures and charts that an image block covers become part of the one that covers most.
  void AbsorbSubImages() {
    constexpr double kCoveredShare = 0.9;
    is_absorbed_.assign(all_.size(), false);
    for (size_t i = 0; i < all_.size(); ++i) {
      const MiddleBlock& member = all_[i];
      if (member.type != "image_body" && member.type != "chart_body") continue;
      MiddleBlock* best = nullptr;
      std::pair<double, double> best_score;
      for (MiddleBlock& block : all_) {
        if (block.type != "image_block_body") continue;
        const std::pair<double, double> score = {-CoveredShareOf(member.bbox, block.bbox),
                                                 Area(block.bbox)};
        if (-score.first < kCoveredShare || (best != nullptr && score >= best_score)) continue;
        best = &block;
        best_score = score;
      }
      if (best == nullptr) continue;
      is_absorbed_[i] = true;
      const PointBox& box = best->bbox;
      best->sub_images.push_back({VisualTypeOf(member.type),
                                  {RelativeEdge(member.bbox[0], box[0], box[2]),
                                   RelativeEdge(member.bbox[1], box[1], box[3]),
                                   RelativeEdge(member.bbox[2], box[0], box[2]),
                                   RelativeEdge(member.bbox[3], box[1], box[3])}});
    }
  }

  // A block between child and body does not part them if it stands wholly beside the gap.
  bool StandsAside(const MiddleBlock& block, const MiddleBlock& child,
                   const MiddleBlock& body) const {
    const bool is_child_above = child.bbox[3] <= body.bbox[1];
    if (!is_child_above && body.bbox[3] > child.bbox[1]) return false;
    const int top = is_child_above ? child.bbox[3] : body.bbox[3];
    const int bottom = is_child_above ? body.bbox[1] : child.bbox[1];
    if (Overlap(block.bbox, child.bbox) || Overlap(block.bbox, body.bbox)) return false;
    return block.bbox[1] >= bottom || block.bbox[3] <= top;
  }

  bool AreNeighbours(size_t child, size_t body) const {
    const bool is_caption = At(child).type == "caption";
    if (!is_caption && child < body) return false;
    for (size_t i = std::min(child, body) + 1; i < std::max(child, body); ++i) {
      const MiddleBlock& between = At(i);
      if (between.type == "caption" || (!is_caption && between.type == "footnote")) continue;
      if (!StandsAside(between, At(child), At(body))) return false;
    }
    return true;
  }

  // Steps in reading order; children of the same kind are not counted.
  size_t Steps(size_t child, size_t body) const {
    const size_t begin = std::min(child, body);
    const size_t end = std::max(child, body);
    size_t steps = end - begin;
    for (size_t i = begin + 1; i < end; ++i) {
      if (At(i).type == At(child).type) --steps;
    }
    return steps;
  }

  // Bodies that the child may belong to and that are the fewest steps away.
  std::vector<size_t> NearestBodies(size_t child) const {
    std::vector<size_t> nearest;
    size_t fewest = 0;
    const size_t begin = child > kMaxDistance ? child - kMaxDistance : 0;
    for (size_t i = begin; i < std::min(order_.size(), child + kMaxDistance); ++i) {
      if (!IsBodyType(At(i).type) || !AreNeighbours(child, i)) continue;
      const size_t steps = Steps(child, i);
      if (!nearest.empty() && steps > fewest) continue;
      if (!nearest.empty() && steps < fewest) nearest.clear();
      fewest = steps;
      nearest.push_back(i);
    }
    return nearest;
  }

  // Position of the body.
  std::optional<size_t> FindParent(size_t child) const {
    constexpr double kSameDistance = 2;  // points
    const std::vector<size_t> bodies = NearestBodies(child);
    if (bodies.empty()) return std::nullopt;
    const PointBox& box = At(child).bbox;
    std::vector<std::tuple<double, size_t>> by_edge;
    std::vector<std::tuple<double, size_t>> by_centre;
    bool are_tables = true;
    for (const size_t body : bodies) {
      by_edge.emplace_back(EdgeDistance(box, At(body).bbox), body);
      by_centre.emplace_back(CentreDistance(box, At(body).bbox), body);
      are_tables = are_tables && At(body).type == "table_body";
    }
    const auto edges = std::minmax_element(by_edge.begin(), by_edge.end());
    if (std::get<0>(*edges.second) - std::get<0>(*edges.first) > kSameDistance) {
      return std::get<1>(*edges.first);
    }
    if (At(child).type == "footnote") return bodies.front();
    if (are_tables) return bodies.back();
    return std::get<1>(*std::min_element(by_centre.begin(), by_centre.end()));
  }

  MiddleBlock MakeGroup(size_t body_number, const std::vector<size_t>& children) {
    MiddleBlock body = std::move(all_[body_number]);
    MiddleBlock group;
    group.type = VisualTypeOf(body.type);
    group.bbox = body.bbox;
    group.index = body.index;
    group.sub_type = std::exchange(body.sub_type, {});
    group.guess_lang = std::exchange(body.guess_lang, {});
    group.sub_images = std::exchange(body.sub_images, {});
    group.cell_merge = body.cell_merge;
    body.type = group.type + "_body";
    group.blocks.push_back(std::move(body));
    for (const size_t number : children) {
      MiddleBlock child = std::move(all_[number]);
      child.type = group.type + "_" + child.type;
      group.blocks.push_back(std::move(child));
    }
    std::sort(group.blocks.begin(), group.blocks.end(),
              [](const MiddleBlock& a, const MiddleBlock& b) { return a.index < b.index; });
    return group;
  }

  std::vector<MiddleBlock>& all_;
  std::vector<bool> is_absorbed_;
  std::vector<size_t> order_;  // numbers in all_ of the blocks that count
};

}  // namespace

std::vector<MiddleBlock> TakeVisualGroups(std::vector<MiddleBlock>* blocks) {
  return Grouping(blocks).Take();
}

}  // namespace octavo
