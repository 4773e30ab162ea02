#include "document/page_turn.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "base/check.h"

namespace octavo {
namespace {

constexpr size_t kMinLetters = 60;
// Letters whose neighbours are looked for, and letters among which they are.
constexpr size_t kMaxAsked = 400;
constexpr size_t kMaxLetters = 20'000;
// Share of letters whose nearest neighbour lies in the direction of the lines.
constexpr double kMinShare = 0.65;
// Latin letters reach above small letters some three times as much as below the line.
constexpr double kMinSkew = 1.5;

int LongSide(const PixelBox& box) { return std::max(box.width(), box.height()); }

// Without points, commas and accents, which stand above and below letters.
std::vector<PixelBox> FullLetters(const PageInk& ink) {
  std::vector<PixelBox> boxes;
  std::vector<int> sides;
  for (const InkComponent& letter : ink.letters) {
    if (boxes.size() == kMaxLetters) break;
    boxes.push_back(letter.box);
    sides.push_back(LongSide(letter.box));
  }
  if (boxes.empty()) return boxes;
  const auto middle = sides.begin() + static_cast<std::ptrdiff_t>(sides.size() / 2);
  std::nth_element(sides.begin(), middle, sides.end());
  const int usual = *middle;
  boxes.erase(std::remove_if(boxes.begin(), boxes.end(),
                             [&](const PixelBox& box) {
                               return 2 * LongSide(box) < usual || LongSide(box) > 3 * usual;
                             }),
              boxes.end());
  return boxes;
}

// Width and height of the gap between two boxes; 0 where they overlap.
int GapX(const PixelBox& a, const PixelBox& b) { return std::max({0, a.x0 - b.x1, b.x0 - a.x1}); }
int GapY(const PixelBox& a, const PixelBox& b) { return std::max({0, a.y0 - b.y1, b.y0 - a.y1}); }

// The nearest letter to the right or left of `box`, or above or below it.
std::optional<PixelBox> Neighbor(const std::vector<PixelBox>& letters, const PixelBox& box,
                                 bool is_beside) {
  std::optional<PixelBox> nearest;
  int smallest = 4 * LongSide(box);
  for (const PixelBox& other : letters) {
    const int along = is_beside ? GapX(box, other) : GapY(box, other);
    const int across = is_beside ? GapY(box, other) : GapX(box, other);
    if (across > 0 || along >= smallest || other == box) continue;
    // One that overlaps both ways is a part of the same letter.
    if (along == 0 && across == 0) continue;
    smallest = along;
    nearest = other;
  }
  return nearest;
}

// Of the letters asked: how many have their nearest neighbour beside, how many above or below.
struct Directions {
  size_t beside = 0;
  size_t stacked = 0;
};

Directions CountDirections(const std::vector<PixelBox>& letters) {
  Directions count;
  const size_t step = 1 + letters.size() / kMaxAsked;
  for (size_t i = 0; i < letters.size(); i += step) {
    const auto beside = Neighbor(letters, letters[i], true);
    const auto stacked = Neighbor(letters, letters[i], false);
    if (!beside && !stacked) continue;
    const bool is_beside =
        beside && (!stacked || GapX(letters[i], *beside) < GapY(letters[i], *stacked));
    ++(is_beside ? count.beside : count.stacked);
  }
  return count;
}

// 1: letters of lines from left to right are upright; -1: upside down; 0: not clear. Upright ones
// stand on a common line and reach up to different heights.
int FindUpright(const std::vector<PixelBox>& letters) {
  int64_t tops = 0;
  int64_t bottoms = 0;
  int64_t heights = 0;
  const size_t step = 1 + letters.size() / kMaxAsked;
  for (size_t i = 0; i < letters.size(); i += step) {
    const auto other = Neighbor(letters, letters[i], true);
    if (!other) continue;
    tops += std::abs(letters[i].y0 - other->y0);
    bottoms += std::abs(letters[i].y1 - other->y1);
    heights += letters[i].height();
  }
  if (10 * (tops + bottoms) < heights) return 0;
  if (static_cast<double>(tops) > kMinSkew * static_cast<double>(bottoms)) return 1;
  if (static_cast<double>(bottoms) > kMinSkew * static_cast<double>(tops)) return -1;
  return 0;
}

}  // namespace

int FindPageTurn(const PageInk& ink) {
  std::vector<PixelBox> letters = FullLetters(ink);
  if (letters.size() < kMinLetters) return 0;
  const Directions count = CountDirections(letters);
  const auto all = static_cast<double>(count.beside + count.stacked);
  if (static_cast<double>(count.beside) >= kMinShare * all) {
    return FindUpright(letters) < 0 ? 180 : 0;
  }
  if (static_cast<double>(count.stacked) < kMinShare * all) return 0;
  // As if turned counter-clockwise by 90 degrees; where that puts them is of no matter.
  for (PixelBox& box : letters) box = {box.y0, -box.x1, box.y1, -box.x0};
  const int upright = FindUpright(letters);
  return upright == 0 ? 0 : upright > 0 ? 90 : 270;
}

std::array<double, 4> BoxBeforeTurn(const std::array<double, 4>& box, int angle) {
  const auto [x0, y0, x1, y1] = box;
  switch (angle) {
    case 0:
      return box;
    case 90:  // turned: (x, y) went to (y, 1 - x)
      return {1 - y1, x0, 1 - y0, x1};
    case 180:
      return {1 - x1, 1 - y1, 1 - x0, 1 - y0};
    default:
      OCTAVO_CHECK(angle == 270, "angle ", angle);
      return {y0, 1 - x1, y1, 1 - x0};
  }
}

}  // namespace octavo
