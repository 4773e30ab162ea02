#include "document/ink_components.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "document/disjoint_sets.h"
#include "document/drawings.h"
#include "document/letter_rows.h"

namespace octavo {
namespace {

// Ink without a gap in one row.
struct Run {
  int x0;
  int x1;  // exclusive
  int number = -1;
};

void AppendRuns(const uint8_t* row, int width, std::vector<Run>* runs) {
  for (int x = 0; x < width;) {
    if (row[x] == 0) {
      ++x;
      continue;
    }
    const int start = x;
    while (x < width && row[x] != 0) ++x;
    runs->push_back({start, x});
  }
}

bool Overlaps(const PixelBox& a, const PixelBox& b, int margin) {
  return a.x0 - margin < b.x1 && b.x0 - margin < a.x1 && a.y0 - margin < b.y1 &&
         b.y0 - margin < a.y1;
}

int64_t AreaOf(const PixelBox& box) { return int64_t{box.width()} * box.height(); }

bool IsMostlyInside(const PixelBox& inner, const PixelBox& outer) {
  const PixelBox common = {std::max(inner.x0, outer.x0), std::max(inner.y0, outer.y0),
                           std::min(inner.x1, outer.x1), std::min(inner.y1, outer.y1)};
  if (common.width() <= 0 || common.height() <= 0) return false;
  return 2 * AreaOf(common) > AreaOf(inner);
}

// Joins boxes that touch or nearly touch until none do.
std::vector<PixelBox> MergeBoxes(std::vector<PixelBox> boxes, int margin) {
  std::vector<PixelBox> merged;
  while (!boxes.empty()) {
    PixelBox box = boxes.back();
    boxes.pop_back();
    // A box that has grown may touch one that it did not touch before.
    const auto touching = std::find_if(merged.begin(), merged.end(), [&](const PixelBox& other) {
      return Overlaps(box, other, margin);
    });
    if (touching == merged.end()) {
      merged.push_back(box);
      continue;
    }
    box.Include(*touching);
    merged.erase(touching);
    boxes.push_back(box);
  }
  return merged;
}

// Median height of what may be a letter: neither dirt nor a long rule nor a picture. What is higher
// than an eighth of the page must stand in a row: so do the letters of a strip or of a picture of
// one line.
int MedianLetterHeight(const std::vector<InkComponent>& components, int page_height) {
  constexpr int kMinRow = 2;
  const int usual_height = page_height / 8;
  const std::vector<bool> is_in_row =
      FindLettersInRows(components, std::max(4, usual_height / 3), kMinRow);
  std::vector<int> heights;
  for (size_t i = 0; i < components.size(); ++i) {
    const InkComponent& c = components[i];
    const int height = c.box.height();
    if (height < 4 || c.box.width() > 8 * height || c.num_pixels < 6) continue;
    if (height > usual_height && !is_in_row[i]) continue;
    heights.push_back(height);
  }
  if (heights.empty()) return 0;
  const auto middle = heights.begin() + static_cast<ptrdiff_t>(heights.size() / 2);
  std::nth_element(heights.begin(), middle, heights.end());
  return *middle;
}

enum class Kind { kLetter, kDirt, kRule, kFrame, kPicture };

Kind KindOf(const InkComponent& c, int unit) {
  const int width = c.box.width();
  const int height = c.box.height();
  const int thin = std::max(3, unit / 3);
  if (std::max(width, height) <= std::max(1, unit / 7)) return Kind::kDirt;
  if ((width >= 5 * unit && height <= thin) || (height >= 5 * unit && width <= thin)) {
    return Kind::kRule;
  }
  const bool is_large = height > 7 * unit || width > 40 * unit;
  const bool is_box = width > 6 * unit && height > 3 * unit;
  if ((is_large || is_box) && int64_t{6} * c.num_pixels < AreaOf(c.box)) return Kind::kFrame;
  if (height > 7 * unit && width > 2 * unit) return Kind::kPicture;
  if (is_box && int64_t{3} * c.num_pixels > AreaOf(c.box) && height > 4 * unit)
    return Kind::kPicture;
  return Kind::kLetter;
}

// Rules of a table that are drawn row by row, so that they come in pieces: thin uprights, one above
// another, nearly touching. Returns the rules and sets is_piece for their pieces.
std::vector<PixelBox> JoinUprights(const std::vector<InkComponent>& components, int unit,
                                   std::vector<bool>* is_piece) {
  constexpr size_t kMaxUprights = 20'000;  // more are texture
  const int near = std::max(2, unit / 7);
  std::vector<size_t> uprights;
  for (size_t i = 0; i < components.size(); ++i) {
    const PixelBox& box = components[i].box;
    if (box.width() <= near && box.height() > unit) uprights.push_back(i);
  }
  if (uprights.size() > kMaxUprights) return {};
  const auto box_of = [&](size_t u) -> const PixelBox& { return components[uprights[u]].box; };
  std::sort(uprights.begin(), uprights.end(),
            [&](size_t a, size_t b) { return components[a].box.x0 < components[b].box.x0; });
  DisjointSets sets;
  for (size_t u = 0; u < uprights.size(); ++u) sets.Add();
  for (size_t u = 0; u < uprights.size(); ++u) {
    for (size_t v = u + 1; v < uprights.size() && box_of(v).x0 - box_of(u).x0 <= near; ++v) {
      const int gap = std::max(box_of(v).y0 - box_of(u).y1, box_of(u).y0 - box_of(v).y1);
      if (gap >= 0 && gap <= near) sets.Join(static_cast<int>(u), static_cast<int>(v));
    }
  }
  std::vector<PixelBox> joined(uprights.size());
  std::vector<int> counts(uprights.size(), 0);
  for (size_t u = 0; u < uprights.size(); ++u) {
    const auto set = static_cast<size_t>(sets.Find(static_cast<int>(u)));
    if (counts[set]++ == 0) joined[set] = box_of(u);
    joined[set].Include(box_of(u));
  }
  std::vector<PixelBox> rules;
  for (size_t u = 0; u < uprights.size(); ++u) {
    if (counts[u] > 1) rules.push_back(joined[u]);
    const auto set = static_cast<size_t>(sets.Find(static_cast<int>(u)));
    if (counts[set] > 1) (*is_piece)[uprights[u]] = true;
  }
  return rules;
}

// The dark parts of a photograph lie around specks and one another; letters around nothing much.
bool HoldsOthers(const std::vector<InkComponent>& components, const PixelBox& box) {
  constexpr int kMaxInside = 4;  // itself, and what dirt and dots there may be
  int num_inside = 0;
  for (const InkComponent& other : components) {
    const bool is_inside = other.box.x0 >= box.x0 && other.box.x1 <= box.x1 &&
                           other.box.y0 >= box.y0 && other.box.y1 <= box.y1;
    if (is_inside && ++num_inside > kMaxInside) return true;
  }
  return false;
}

// Numbers each run: as the first in the row above that touches it, or as a new one. on_new() makes
// the number, on_touch(a, b) is told of others that touch, on_run(y, run) of every run.
// Diagonal neighbours touch, hence x1 >= x0 and not >.
template <typename OnNew, typename OnTouch, typename OnRun>
void NumberRuns(const InkMap& map, OnNew on_new, OnTouch on_touch, OnRun on_run) {
  std::vector<Run> above;
  std::vector<Run> runs;  // of this row
  for (int y = 0; y < map.height; ++y) {
    runs.clear();
    AppendRuns(map.row(y), map.width, &runs);
    size_t first = 0;
    for (Run& run : runs) {
      while (first < above.size() && above[first].x1 < run.x0) ++first;
      for (size_t j = first; j < above.size() && above[j].x0 <= run.x1; ++j) {
        if (run.number >= 0) on_touch(run.number, above[j].number);
        if (run.number < 0) run.number = above[j].number;
      }
      if (run.number < 0) run.number = on_new();
      on_run(y, run);
    }
    std::swap(above, runs);
  }
}

}  // namespace

void PixelBox::Include(const PixelBox& other) {
  x0 = std::min(x0, other.x0);
  y0 = std::min(y0, other.y0);
  x1 = std::max(x1, other.x1);
  y1 = std::max(y1, other.y1);
}

std::vector<InkComponent> FindComponents(const InkMap& map) {
  // Which numbers belong together, then what each is: texture has a million of them, and nothing
  // else is kept of those that turn out to be one.
  DisjointSets sets;
  int num_numbers = 0;
  NumberRuns(
      map, [&] { return ++num_numbers, sets.Add(); }, [&](int a, int b) { sets.Join(a, b); },
      [](int, const Run&) {});
  std::vector<int> component_of(static_cast<size_t>(num_numbers));
  int num_components = 0;
  for (int i = 0; i < num_numbers; ++i) {
    const int root = sets.Find(i);  // the smallest of its set, so that it has its component
    component_of[static_cast<size_t>(i)] =
        root == i ? num_components++ : component_of[static_cast<size_t>(root)];
  }
  std::vector<InkComponent> components(static_cast<size_t>(num_components));
  int next = 0;
  NumberRuns(
      map, [&] { return next++; }, [](int, int) {},
      [&](int y, const Run& run) {
        const int number = component_of[static_cast<size_t>(run.number)];
        InkComponent& component = components[static_cast<size_t>(number)];
        const PixelBox box = {run.x0, y, run.x1, y + 1};
        if (component.num_runs == 0) component.box = box;
        component.box.Include(box);
        component.num_pixels += run.x1 - run.x0;
        ++component.num_runs;
      });
  return components;
}

PageInk SortComponents(const InkMap& map) {
  // Joining pictures compares all pairs; more of them than this is texture, and dropped.
  constexpr size_t kMaxPictures = 2000;
  constexpr int kMinRow = 3;
  std::vector<InkComponent> components = FindComponents(map);
  PageInk page;
  page.unit = MedianLetterHeight(components, map.height);
  if (page.unit == 0) return page;
  // Titles are set in letters many times as high as the text's.
  const std::vector<bool> is_in_row = FindLettersInRows(components, 2 * page.unit, kMinRow);
  std::vector<bool> is_piece(components.size(), false);
  page.rules = JoinUprights(components, page.unit, &is_piece);
  std::vector<PixelBox> pictures;
  std::vector<PixelBox> frames;
  std::vector<bool> is_letter(components.size(), false);
  for (size_t i = 0; i < components.size(); ++i) {
    if (is_piece[i]) continue;
    const InkComponent& component = components[i];
    Kind kind = KindOf(component, page.unit);
    if (kind != Kind::kLetter && is_in_row[i] && !HoldsOthers(components, component.box)) {
      kind = Kind::kLetter;
    }
    is_letter[i] = kind == Kind::kLetter;
    if (kind == Kind::kRule || kind == Kind::kFrame) page.rules.push_back(component.box);
    if (kind == Kind::kFrame) frames.push_back(component.box);
    if (kind == Kind::kPicture && pictures.size() < kMaxPictures) pictures.push_back(component.box);
  }
  const std::vector<PixelBox> drawings =
      FindDrawings(frames, components, page.unit, int64_t{map.width} * map.height);
  pictures.insert(pictures.end(), drawings.begin(), drawings.end());
  // In place: texture has a million parts.
  size_t num_letters = 0;
  for (size_t i = 0; i < components.size(); ++i) {
    if (is_letter[i]) components[num_letters++] = components[i];
  }
  components.resize(num_letters);
  page.letters = std::move(components);
  page.pictures = MergeBoxes(std::move(pictures), page.unit);
  const auto is_in_picture = [&](const PixelBox& box) {
    return std::any_of(page.pictures.begin(), page.pictures.end(),
                       [&](const PixelBox& picture) { return IsMostlyInside(box, picture); });
  };
  std::erase_if(page.letters,
                [&](const InkComponent& letter) { return is_in_picture(letter.box); });
  std::erase_if(page.rules, is_in_picture);
  return page;
}

}  // namespace octavo
