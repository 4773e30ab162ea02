#include "cli/savings_flags.h"

#include "base/str_cat.h"

namespace octavo {

Savings ResolveSavings(const SavingsFlags& flags, Quality unsaid) {
  Savings savings = SavingsOf(ParseQuality(flags.quality).value_or(unsaid));
  savings.prune_blank = flags.prune_blank.value_or(savings.prune_blank);
  savings.layout_side = flags.layout_side.value_or(savings.layout_side);
  savings.line_height_px = flags.line_height_px.value_or(savings.line_height_px);
  CheckSavings(savings);
  return savings;
}

std::string DescribeSavings(const Savings& savings) {
  std::string text;
  const auto add = [&text](const std::string& word) { text += text.empty() ? word : ", " + word; };
  if (savings.prune_blank) add("prune-blank");
  if (savings.layout_side != Savings().layout_side) {
    add(StrCat("layout-side ", savings.layout_side));
  }
  if (savings.line_height_px != 0) add(StrCat("line-height ", savings.line_height_px));
  return text.empty() ? "nothing" : text;
}

}  // namespace octavo
