#include "document/quality.h"

#include "base/str_cat.h"
#include "octavo/error.h"

namespace octavo {
namespace {

// Half the patches of 1036 x 1036.
constexpr int kFastLayoutSide = 728;
constexpr int kFastLineHeight = 28;

}  // namespace

const char* QualityName(Quality quality) noexcept {
  switch (quality) {
    case Quality::kBest:
      return "best";
    case Quality::kBalanced:
      return "balanced";
    case Quality::kFast:
      return "fast";
  }
  return "unknown";
}

std::optional<Quality> ParseQuality(std::string_view name) noexcept {
  for (const Quality quality : {Quality::kBest, Quality::kBalanced, Quality::kFast}) {
    if (name == QualityName(quality)) return quality;
  }
  return std::nullopt;
}

Savings SavingsOf(Quality quality) noexcept {
  switch (quality) {
    case Quality::kBalanced:
      return {.prune_blank = true};
    case Quality::kFast:
      return {
          .prune_blank = true, .layout_side = kFastLayoutSide, .line_height_px = kFastLineHeight};
    case Quality::kBest:
      break;
  }
  return {};
}

void CheckSavings(const Savings& savings) {
  if (savings.layout_side < 280 || savings.layout_side > 1036) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat("layout_side is ", savings.layout_side, ", expected 280 to 1036"));
  }
  const int height = savings.line_height_px;
  if (height != 0 && (height < 12 || height > 200)) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat("line_height_px is ", height, ", expected 0 or 12 to 200"));
  }
}

}  // namespace octavo
