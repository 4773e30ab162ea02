// Hostile Markdown and boxes to the scores: the input's two halves are a page and its truth, the
// whole is a file of boxes. An Error is the expected answer to the latter.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "evaluate/layout_score.h"
#include "evaluate/score.h"
#include "octavo/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Time grows with the square of tables; longer inputs show nothing new.
  if (size > 16384) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const octavo::Score score =
      octavo::ScoreMarkdown(text.substr(0, size / 2), text.substr(size / 2));
  const auto is_share = [](const std::optional<double>& share) {
    return !share || (*share >= 0 && *share <= 1 + 1e-9);
  };
  if (!is_share(score.MeanTeds()) || !is_share(score.MeanTedsStructure()) ||
      !is_share(score.FormulaMatch()) || score.CharacterError() < 0) {
    std::abort();
  }
  try {
    octavo::ParseLayoutTruth(text, "input");
  } catch (const octavo::Error&) {
  }
  return 0;
}
