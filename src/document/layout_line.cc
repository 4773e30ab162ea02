#include "document/layout_line.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace octavo {
namespace {

// In a frame, in the grid of a table, or between the upper and the lower rule of one.
bool IsFramed(const PixelBox& box, double letter_height, const std::vector<PixelBox>& rules) {
  const double tolerance = letter_height;
  const double max_height = 60 * letter_height;
  const auto spans = [&](const PixelBox& rule) {
    return rule.x0 <= box.x0 + tolerance / 4 && rule.x1 >= box.x1 - tolerance / 4;
  };
  for (const PixelBox& rule : rules) {
    if (!spans(rule) || rule.y0 > box.y0) continue;
    if (rule.y1 >= box.y1) return true;
    if (rule.y1 > box.y0 + tolerance / 4) continue;
    const bool has_lower = std::any_of(rules.begin(), rules.end(), [&](const PixelBox& lower) {
      return lower.y0 >= box.y1 - tolerance / 4 && lower.y1 - rule.y0 <= max_height &&
             std::abs(lower.x0 - rule.x0) <= tolerance && std::abs(lower.x1 - rule.x1) <= tolerance;
    });
    if (has_lower) return true;
  }
  return false;
}

// The part of a's width that b stands over or under, 0 to 1.
double ShareBeside(const PixelBox& a, const PixelBox& b) {
  const int common = std::min(a.x1, b.x1) - std::max(a.x0, b.x0);
  return static_cast<double>(common) / std::max(1, a.width());
}

// Something as high as a letter close over and under a bar that is as wide.
bool IsFractionBar(const PixelBox& bar, const InkItems& letters, double letter_height) {
  if (bar.height() > 0.2 * letter_height || bar.width() < 0.5 * letter_height) return false;
  bool has_above = false;
  bool has_below = false;
  for (const InkItem& letter : letters) {
    if (letter.box.height() < 0.3 * letter_height || ShareBeside(letter.box, bar) < 0.8) continue;
    const int above = bar.y0 - letter.box.y1;
    const int below = letter.box.y0 - bar.y1;
    has_above = has_above || (above >= 0 && above < 0.8 * letter_height);
    has_below = has_below || (below >= 0 && below < 0.8 * letter_height);
  }
  return has_above && has_below;
}

// Below what is as high as small letters.
double BaselineOf(const InkItems& letters, double letter_height) {
  std::vector<double> bottoms;
  for (const InkItem& letter : letters) {
    if (letter.box.height() >= 0.55 * letter_height) bottoms.push_back(letter.box.y1);
  }
  return Median(std::move(bottoms));
}

// See LayoutLine::num_scripts. Quotes, commas and accents are smaller than scripts; a letter with a
// tail reaches to the height of the small letters.
int CountScripts(const InkItems& letters, const LayoutLine& line) {
  // More letters than this are no formula, and fractions look at all pairs.
  constexpr size_t kMaxLetters = 100;
  if (letters.size() > kMaxLetters) return 0;
  const double height = line.letter_height;
  const double baseline = line.baseline;
  int num_scripts = 0;
  for (const InkItem& letter : letters) {
    const PixelBox& box = letter.box;
    const bool is_small = box.height() >= 0.38 * height && box.height() <= 0.8 * height &&
                          box.width() >= 0.2 * height;
    const bool is_raised = is_small && box.y1 <= baseline - 0.35 * height;
    const bool is_lowered =
        is_small && box.y0 >= baseline - 0.5 * height && box.y1 >= baseline + 0.12 * height;
    const bool is_tall = box.height() >= 2.6 * line.body_height;
    if (is_raised || is_lowered || is_tall || IsFractionBar(box, letters, height)) ++num_scripts;
  }
  return num_scripts;
}

// See LayoutLine::num_equals.
int CountEquals(const InkItems& letters, double height) {
  constexpr size_t kMaxLetters = 100;
  if (letters.size() > kMaxLetters) return 0;
  const auto is_dash = [height](const PixelBox& box) {
    return box.height() <= 0.25 * height && box.width() >= 0.35 * height &&
           box.width() <= 1.6 * height && box.width() >= 2 * box.height();
  };
  const double tolerance = std::max(1.0, 0.12 * height);
  int count = 0;
  for (const InkItem& upper : letters) {
    if (!is_dash(upper.box)) continue;
    count += std::any_of(letters.begin(), letters.end(), [&](const InkItem& lower) {
      const int gap = lower.box.y0 - upper.box.y1;
      return is_dash(lower.box) && gap > 0 && gap <= 0.5 * height &&
             std::abs(upper.box.x0 - lower.box.x0) <= tolerance &&
             std::abs(upper.box.x1 - lower.box.x1) <= tolerance;
    });
  }
  return count;
}

// True if the first of the items (from left to right) is a disc, a square or a dash at half height,
// apart from the words: what stands before the entries of a list. Letters of that size are not
// filled.
bool StartsWithBullet(const InkItems& items, double letter_height) {
  if (items.size() < 2) return false;
  const InkItem& mark = items[0];
  const int width = mark.box.width();
  const int height = mark.box.height();
  const bool is_filled = 100 * mark.num_pixels >= int64_t{68} * width * height;
  const bool is_disc = is_filled && std::max(width, height) <= 0.65 * letter_height &&
                       3 * std::min(width, height) >= 2 * std::max(width, height);
  const bool is_dash = is_filled && height <= 0.25 * letter_height && width >= 2 * height &&
                       width <= 1.6 * letter_height;
  if (!is_disc && !is_dash) return false;
  // Closer is a letter, farther a cell of a row.
  const int gap = items[1].box.x0 - mark.box.x1;
  if (gap < 0.35 * letter_height || gap > 3 * letter_height) return false;
  std::vector<double> bottoms;
  for (const InkItem& item : items) bottoms.push_back(item.box.y1);
  const double baseline = Median(bottoms);
  const double centre = (mark.box.y0 + mark.box.y1) / 2.0;
  return centre < baseline - 0.15 * letter_height && centre > baseline - 0.75 * letter_height;
}

// Drops the dots that lead the eye across a line of contents: five and more small marks in a row.
// REQUIRES: sorted from left to right.
InkItems WithoutLeaders(const InkItems& items, double letter_height) {
  constexpr size_t kMinDots = 5;
  const auto is_dot = [&](const InkItem& item) {
    return std::max(item.box.width(), item.box.height()) <= 0.35 * letter_height;
  };
  InkItems kept;
  for (size_t begin = 0; begin < items.size();) {
    size_t end = begin;
    while (end < items.size() && is_dot(items[end])) ++end;
    const bool is_leader = end - begin >= kMinDots;
    end = std::max(end, begin + 1);
    if (!is_leader) {
      kept.insert(kept.end(), items.begin() + static_cast<ptrdiff_t>(begin),
                  items.begin() + static_cast<ptrdiff_t>(end));
    }
    begin = end;
  }
  return kept;
}

void FindCells(InkItems items, bool is_framed, LayoutLine* line) {
  const double letter_height = line->letter_height;
  std::sort(items.begin(), items.end(),
            [](const InkItem& a, const InkItem& b) { return a.box.x0 < b.box.x0; });
  items = WithoutLeaders(items, letter_height);
  if (items.empty()) return;
  line->has_bullet = StartsWithBullet(items, letter_height);
  const int right = BoxOf(items).x1;
  line->cells.push_back({items[line->has_bullet ? 1 : 0].box.x0, right});
  // A word gap is a quarter of an em; letters are set much closer. A gap of 1.4 em parts cells or,
  // in a narrow justified column, words; twice as much never parts words. In a grid the lines part
  // cells, too, so that these may stand closer.
  const int min_gap = std::max(2, static_cast<int>(letter_height * 0.28));
  const double min_cell_gap = (is_framed ? 1.2 : 2.0) * letter_height;
  for (const Stretch& blank : BlankStretches(items, min_gap, false)) {
    if (blank.x1 <= line->cells.front().x0) continue;  // behind the bullet
    line->gaps.push_back({blank.x0, blank.x1});
    if (blank.width() <= min_cell_gap) continue;
    line->cells.back().x1 = blank.x0;
    line->cells.push_back({blank.x1, right});
    if (blank.width() > 3 * letter_height) line->is_row = true;
  }
}

}  // namespace

LayoutLine MakeLine(const InkItems& letters, int column, const std::vector<PixelBox>& rules) {
  LayoutLine line;
  line.box = BoxOf(letters);
  line.column = column;
  line.num_letters = static_cast<int>(letters.size());
  std::vector<int> heights;
  int64_t num_pixels = 0;
  int64_t num_runs = 0;
  for (const InkItem& letter : letters) {
    heights.push_back(letter.box.height());
    num_pixels += letter.num_pixels;
    num_runs += letter.num_runs;
  }
  const size_t rank = heights.size() * 9 / 10;
  std::nth_element(heights.begin(), heights.begin() + static_cast<ptrdiff_t>(rank), heights.end());
  line.letter_height = heights[rank];
  line.body_height = MedianHeight(letters);
  line.stroke_width = static_cast<double>(num_pixels) / static_cast<double>(num_runs);
  line.baseline = BaselineOf(letters, line.letter_height);
  line.num_scripts = CountScripts(letters, line);
  line.num_equals = CountEquals(letters, line.letter_height);
  FindCells(letters, IsFramed(line.box, line.letter_height, rules), &line);
  return line;
}

}  // namespace octavo
