#include "document/layout_check.h"

#include <cmath>

#include "base/str_cat.h"

namespace octavo {

std::string FindLayoutProblem(const LayoutAnswer& answer, FinishReason finish, const InkMap& map,
                              const PageInk& ink) {
  if (finish == FinishReason::kLength) return "the answer did not end";
  // Two letters may be dirt.
  const bool is_blank = ink.letters.size() < 3 && ink.pictures.empty();
  if (answer.blocks.empty()) return is_blank ? "" : "the answer has no block";
  const int num_blocks = static_cast<int>(answer.blocks.size());
  if (answer.num_invalid > num_blocks) return "most of the answer is not in the grammar";
  if (answer.num_duplicates > num_blocks) return "most of the answer is repetition";
  if (is_blank) return "";
  // A page with a large picture that was left out may well be right; three quarters may not.
  constexpr double kMinShare = 0.25;
  std::vector<std::array<double, 4>> boxes;
  for (const ContentBlock& block : answer.blocks) boxes.push_back(block.bbox);
  const double share = InkShareInBoxes(map, boxes);
  if (share < kMinShare) {
    return StrCat("the blocks cover ", std::lround(100 * share), " % of the print");
  }
  return "";
}

}  // namespace octavo
