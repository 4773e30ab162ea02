// Blocks of pages against the true ones: how many boxes agree in place and type.
#ifndef OCTAVO_EVALUATE_LAYOUT_SCORE_H_
#define OCTAVO_EVALUATE_LAYOUT_SCORE_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace octavo {

struct LayoutBox {
  std::string type;                 // MinerU's name: "text", "title", "table" …
  std::array<double, 4> bbox = {};  // x0, y0, x1, y1 as fractions of the page
};

struct LayoutCounts {
  int64_t num_matched = 0;  // of the same type with intersection over union of 0.5 or more
  int64_t num_found = 0;
  int64_t num_true = 0;
};

// Each box is matched once; the pair with the greatest overlap first, ties by order.
LayoutCounts CompareLayout(const std::vector<LayoutBox>& found,
                           const std::vector<LayoutBox>& truth);

// Area of the intersection divided by that of the union; 0 if both are empty.
double IntersectionOverUnion(const std::array<double, 4>& a, const std::array<double, 4>& b);

// The truth of NAME.layout.json: a list of blocks {"type": …, "bbox": [x0, y0, x1, y1]} for a
// document of one page, or a list of such lists, one for each page, as NAME_model.json has it.
// Other members ("angle", "content") are not looked at. `where` names the file in messages. Throws
// kDataLoss (no such list, numbers outside 0 to 1, corners in the wrong order).
std::vector<std::vector<LayoutBox>> ParseLayoutTruth(std::string_view json, std::string_view where);

}  // namespace octavo

#endif  // OCTAVO_EVALUATE_LAYOUT_SCORE_H_
