#include "document/drawings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "document/letter_rows.h"

namespace octavo {
namespace {

int64_t AreaOf(const PixelBox& box) { return int64_t{box.width()} * box.height(); }

bool IsInside(const PixelBox& inner, const PixelBox& outer) {
  return inner.x0 > outer.x0 && inner.x1 < outer.x1 && inner.y0 > outer.y0 && inner.y1 < outer.y1;
}

// Higher or wider than letters and words get, but no rule; or a blot as large as four letters.
bool IsDrawn(const InkComponent& c, int unit) {
  const int shorter = std::min(c.box.width(), c.box.height());
  if (shorter <= std::max(3, unit / 3)) return false;
  const bool is_filled = int64_t{10} * c.num_pixels > int64_t{6} * AreaOf(c.box);
  if (is_filled && AreaOf(c.box) >= int64_t{4} * unit * unit) return true;
  return c.box.height() >= 3 * unit || c.box.width() >= 6 * unit;
}

bool HoldsDrawing(const PixelBox& frame, const std::vector<InkComponent>& components, int unit) {
  // What labels the parts of a drawing may have; words of a table or a text are more.
  constexpr int64_t kMaxLetters = 24;
  constexpr int64_t kMaxLetterPercent = 3;
  constexpr int kMinRow = 3;
  constexpr size_t kMaxParts = 20'000;  // more are texture
  std::vector<InkComponent> inside;
  bool has_drawn = false;
  for (const InkComponent& c : components) {
    if (!IsInside(c.box, frame)) continue;
    inside.push_back(c);
    has_drawn = has_drawn || IsDrawn(c, unit);
  }
  if (!has_drawn || inside.size() > kMaxParts) return false;
  const std::vector<bool> is_letter = FindLettersInRows(inside, std::max(2, unit / 2), kMinRow);
  int64_t num_letters = 0;
  int64_t letter_area = 0;
  for (size_t i = 0; i < inside.size(); ++i) {
    if (!is_letter[i] || inside[i].box.height() > 3 * unit) continue;
    ++num_letters;
    letter_area += AreaOf(inside[i].box);
  }
  return num_letters <= kMaxLetters && 100 * letter_area < kMaxLetterPercent * AreaOf(frame);
}

}  // namespace

std::vector<PixelBox> FindDrawings(const std::vector<PixelBox>& frames,
                                   const std::vector<InkComponent>& components, int unit,
                                   int64_t page_area) {
  // Each frame looks at all components; a page with more of them is a pattern.
  constexpr size_t kMaxFrames = 100;
  std::vector<PixelBox> drawings;
  if (frames.size() > kMaxFrames) return drawings;
  for (const PixelBox& frame : frames) {
    if (2 * AreaOf(frame) > page_area) continue;
    if (HoldsDrawing(frame, components, unit)) drawings.push_back(frame);
  }
  return drawings;
}

}  // namespace octavo
