#include "document/line_scale.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace octavo {
namespace {

constexpr size_t kMinLetters = 4;
// From the height of a capital to that of a line with descenders.
constexpr double kLineOfCapital = 4.0 / 3.0;
// Between these a picture would change for nothing, or letters be lost.
constexpr double kLargestUse = 0.95;
constexpr double kLeastScale = 0.2;

}  // namespace

double ScaleForLineHeight(const InkMap& map, const PageInk& ink, const std::array<double, 4>& bbox,
                          int angle, int line_height) {
  std::vector<int> heights;
  for (const InkComponent& letter : ink.letters) {
    const double x = (letter.box.x0 + letter.box.x1) / 2.0 / map.width;
    const double y = (letter.box.y0 + letter.box.y1) / 2.0 / map.height;
    if (x < bbox[0] || x > bbox[2] || y < bbox[1] || y > bbox[3]) continue;
    heights.push_back(angle == 90 || angle == 270 ? letter.box.width() : letter.box.height());
  }
  if (heights.size() < kMinLetters) return 1.0;
  // Capitals, letters with ascenders and digits; what stands higher is rare.
  const auto capital = heights.begin() + static_cast<std::ptrdiff_t>((heights.size() - 1) * 4 / 5);
  std::nth_element(heights.begin(), capital, heights.end());
  const double found = *capital * map.scale * kLineOfCapital;
  const double scale = line_height / found;
  return scale > kLargestUse ? 1.0 : std::max(scale, kLeastScale);
}

}  // namespace octavo
