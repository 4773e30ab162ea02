#include "document/letter_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "document/disjoint_sets.h"

namespace octavo {
namespace {

// More components of that size than this are texture.
constexpr size_t kMaxLetters = 20'000;

bool IsFilled(const InkComponent& c) {
  return int64_t{10} * c.num_pixels > int64_t{9} * c.box.width() * c.box.height();
}

// Strokes of 4 to 60 hundredths of the height, some four of them side by side at most, and neither
// a thin outline around nothing nor a filled box, unless it is as narrow as an "l". Several letters
// may touch.
bool IsDrawnInStrokes(const InkComponent& c) {
  const int width = c.box.width();
  const int height = c.box.height();
  if (width > 6 * height) return false;
  if (int64_t{6} * c.num_pixels < int64_t{width} * height) return false;
  if (IsFilled(c) && 5 * width > 2 * height) return false;
  if (c.num_runs > int64_t{4} * std::max(width, height)) return false;
  const double stroke = c.stroke_width() / height;
  return stroke >= 0.04 && stroke <= 0.6;
}

// REQUIRES: a.box.x0 <= b.box.x0.
bool StandInARow(const PixelBox& a, const PixelBox& b) {
  const int higher = std::max(a.height(), b.height());
  const int lower = std::min(a.height(), b.height());
  if (5 * higher > 11 * lower) return false;  // from "x" to a capital with a tail
  const int common = std::min(a.y1, b.y1) - std::max(a.y0, b.y0);
  const int gap = b.x0 - a.x1;
  // Slanted letters reach over each other a little, the parts of a picture by more.
  return 2 * common >= lower && gap <= higher && 10 * gap >= -3 * std::min(a.width(), b.width());
}

bool AreClose(const PixelBox& a, const PixelBox& b) {
  return 5 * (b.x0 - a.x1) <= 2 * std::max(a.height(), b.height());
}

// What a row is made of.
struct Row {
  int num_letters = 0;
  int num_filled = 0;
  bool has_word = false;  // two that stand close
};

}  // namespace

std::vector<bool> FindLettersInRows(const std::vector<InkComponent>& components, int min_height,
                                    int min_count) {
  std::vector<bool> is_letter(components.size(), false);
  std::vector<size_t> order;
  for (size_t i = 0; i < components.size(); ++i) {
    if (components[i].box.height() >= min_height && IsDrawnInStrokes(components[i])) {
      order.push_back(i);
    }
  }
  if (order.size() > kMaxLetters) return is_letter;
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return components[a].box.x0 < components[b].box.x0; });
  int highest = 0;
  for (const size_t i : order) highest = std::max(highest, components[i].box.height());

  DisjointSets rows;
  std::vector<bool> is_close(order.size(), false);
  for (size_t i = 0; i < order.size(); ++i) rows.Add();
  for (size_t i = 0; i < order.size(); ++i) {
    const PixelBox& box = components[order[i]].box;
    // Behind this no letter stands in a row with it, however high.
    const int reach = box.x1 + std::min(highest, 3 * box.height());
    for (size_t j = i + 1; j < order.size() && components[order[j]].box.x0 <= reach; ++j) {
      const PixelBox& other = components[order[j]].box;
      if (!StandInARow(box, other)) continue;
      rows.Join(static_cast<int>(i), static_cast<int>(j));
      if (AreClose(box, other)) is_close[i] = true;
    }
  }
  std::vector<Row> found(order.size());
  const auto row_of = [&](size_t i) -> Row& {
    return found[static_cast<size_t>(rows.Find(static_cast<int>(i)))];
  };
  for (size_t i = 0; i < order.size(); ++i) {
    Row& row = row_of(i);
    ++row.num_letters;
    if (IsFilled(components[order[i]])) ++row.num_filled;
    row.has_word = row.has_word || is_close[i];
  }
  for (size_t i = 0; i < order.size(); ++i) {
    const Row& row = row_of(i);
    is_letter[order[i]] =
        row.num_letters >= min_count && row.has_word && 2 * row.num_filled <= row.num_letters;
  }
  return is_letter;
}

}  // namespace octavo
