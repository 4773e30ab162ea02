#include "document/ink_items.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace octavo {

PixelBox BoxOf(const InkItems& items) {
  PixelBox box = items.front().box;
  for (const InkItem& item : items) box.Include(item.box);
  return box;
}

int MedianHeight(const InkItems& items) {
  std::vector<int> heights;
  for (const InkItem& item : items) heights.push_back(item.box.height());
  const auto middle = heights.begin() + static_cast<ptrdiff_t>(heights.size() / 2);
  std::nth_element(heights.begin(), middle, heights.end());
  return *middle;
}

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<Stretch> BlankStretches(const InkItems& items, int min_width, bool with_margins) {
  std::vector<Stretch> covered;
  for (const InkItem& item : items) covered.push_back({item.box.x0, item.box.x1});
  std::sort(covered.begin(), covered.end(),
            [](const Stretch& a, const Stretch& b) { return a.x0 < b.x0; });
  constexpr int kFar = std::numeric_limits<int>::max() / 4;
  std::vector<Stretch> blank;
  int end = -kFar;
  for (const Stretch& stretch : covered) {
    const bool is_margin = end == -kFar;
    if (stretch.x0 - end >= min_width && (with_margins || !is_margin)) {
      blank.push_back({end, stretch.x0});
    }
    end = std::max(end, stretch.x1);
  }
  if (with_margins) blank.push_back({end, kFar});
  return blank;
}

}  // namespace octavo
