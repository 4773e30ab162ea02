#include "evaluate/layout_score.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/json.h"
#include "base/str_cat.h"
#include "octavo/error.h"

namespace octavo {
namespace {

using Json = nlohmann::json;

constexpr double kMinOverlap = 0.5 - 1e-9;  // half is half, whatever rounding makes of it
constexpr size_t kMaxBoxesPerPage = 10'000;

double Area(const std::array<double, 4>& box) {
  return std::max(0.0, box[2] - box[0]) * std::max(0.0, box[3] - box[1]);
}

struct Pair {
  double overlap;
  size_t found;
  size_t truth;
};

LayoutBox BoxFromJson(const Json& json, std::string_view where, size_t index) {
  const auto fail = [&](std::string_view what) {
    throw Error(ErrorCode::kDataLoss, StrCat(where, ": block ", index, ": ", what));
  };
  if (!json.is_object() || !json.contains("type") || !json["type"].is_string()) {
    fail("found no \"type\", expected {\"type\": …, \"bbox\": [x0, y0, x1, y1]}");
  }
  LayoutBox box;
  box.type = json["type"].get<std::string>();
  const auto bbox = json.find("bbox");
  if (bbox == json.end() || !bbox->is_array() || bbox->size() != 4) {
    fail("expected a \"bbox\" of four numbers");
  }
  for (size_t i = 0; i < 4; ++i) {
    const Json& value = (*bbox)[i];
    if (!value.is_number() || value.get<double>() < 0 || value.get<double>() > 1) {
      fail("expected a \"bbox\" of fractions of the page, 0 to 1");
    }
    box.bbox[i] = value.get<double>();
  }
  if (box.bbox[0] > box.bbox[2] || box.bbox[1] > box.bbox[3]) {
    fail("expected the upper left corner of \"bbox\" before the lower right one");
  }
  return box;
}

std::vector<LayoutBox> PageFromJson(const Json& json, std::string_view where) {
  if (json.size() > kMaxBoxesPerPage) {
    throw Error(
        ErrorCode::kDataLoss,
        StrCat(where, ": ", json.size(), " blocks on a page, expected at most ", kMaxBoxesPerPage));
  }
  std::vector<LayoutBox> page;
  for (size_t i = 0; i < json.size(); ++i) page.push_back(BoxFromJson(json[i], where, i));
  return page;
}

}  // namespace

double IntersectionOverUnion(const std::array<double, 4>& a, const std::array<double, 4>& b) {
  const double shared = Area(
      {std::max(a[0], b[0]), std::max(a[1], b[1]), std::min(a[2], b[2]), std::min(a[3], b[3])});
  const double all = Area(a) + Area(b) - shared;
  return all > 0 ? shared / all : 0;
}

LayoutCounts CompareLayout(const std::vector<LayoutBox>& found,
                           const std::vector<LayoutBox>& truth) {
  LayoutCounts counts;
  counts.num_found = std::ssize(found);
  counts.num_true = std::ssize(truth);
  std::vector<Pair> pairs;
  for (size_t i = 0; i < found.size(); ++i) {
    for (size_t j = 0; j < truth.size(); ++j) {
      if (found[i].type != truth[j].type) continue;
      const double overlap = IntersectionOverUnion(found[i].bbox, truth[j].bbox);
      if (overlap >= kMinOverlap) pairs.push_back({overlap, i, j});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.overlap > b.overlap; });
  std::vector<bool> is_found_taken(found.size(), false);
  std::vector<bool> is_true_taken(truth.size(), false);
  for (const Pair& pair : pairs) {
    if (is_found_taken[pair.found] || is_true_taken[pair.truth]) continue;
    is_found_taken[pair.found] = true;
    is_true_taken[pair.truth] = true;
    ++counts.num_matched;
  }
  return counts;
}

std::vector<std::vector<LayoutBox>> ParseLayoutTruth(std::string_view json,
                                                     std::string_view where) {
  const Json parsed = ParseJson(json, where);
  if (!parsed.is_array()) {
    throw Error(ErrorCode::kDataLoss, StrCat(where, ": expected a list of blocks"));
  }
  const bool has_pages = !parsed.empty() && std::all_of(parsed.begin(), parsed.end(),
                                                        [](const Json& j) { return j.is_array(); });
  std::vector<std::vector<LayoutBox>> pages;
  if (!has_pages) {
    pages.push_back(PageFromJson(parsed, where));
    return pages;
  }
  for (const Json& page : parsed) pages.push_back(PageFromJson(page, where));
  return pages;
}

}  // namespace octavo
