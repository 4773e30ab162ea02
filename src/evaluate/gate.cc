#include "evaluate/gate.h"

#include <cstddef>
#include <cstdio>
#include <optional>

#include "base/check.h"
#include "base/str_cat.h"
#include "base/utf8.h"

namespace octavo {
namespace {

std::string Figure(double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.4f", value);
  return text;
}

}  // namespace

std::vector<std::string> JudgeGate(const RunResult& best, const RunResult& saving) {
  OCTAVO_CHECK(best.documents.size() == saving.documents.size(), saving.documents.size());
  std::vector<std::string> reasons;
  const auto keep_below = [&reasons](const std::string& name, double before, double after,
                                     double max_rise) {
    if (after - before <= max_rise) return;
    reasons.push_back(StrCat(name, " rises from ", Figure(before), " to ", Figure(after),
                             ", by more than ", Figure(max_rise)));
  };
  const auto keep_above = [&reasons](const char* name, const std::optional<double>& before,
                                     const std::optional<double>& after, double max_fall) {
    if (!before || !after || *before - *after <= max_fall) return;
    reasons.push_back(StrCat(name, " falls from ", Figure(*before), " to ", Figure(*after),
                             ", by more than ", Figure(max_fall)));
  };
  const DocumentResult before = Total(best);
  const DocumentResult after = Total(saving);
  if (before.num_pages < kMinGatePages) {
    reasons.push_back(StrCat(before.num_pages, " pages, expected at least ", kMinGatePages));
  }
  if (after.num_pages_failed > before.num_pages_failed) {
    reasons.push_back(
        StrCat(after.num_pages_failed, " pages failed instead of ", before.num_pages_failed));
  }
  keep_below("character error", before.score.CharacterError(), after.score.CharacterError(),
             kMaxCharacterErrorRise);
  keep_above("TEDS", before.score.MeanTeds(), after.score.MeanTeds(), kMaxTedsFall);
  keep_above("formulas", before.score.FormulaMatch(), after.score.FormulaMatch(), kMaxFormulaFall);
  keep_above("layout F1", before.score.LayoutF1(), after.score.LayoutF1(), kMaxLayoutFall);
  for (size_t i = 0; i < best.documents.size(); ++i) {
    const DocumentResult& document = best.documents[i];
    keep_below(StrCat("character error of ", PrintableName(document.name)),
               document.score.CharacterError(), saving.documents[i].score.CharacterError(),
               kMaxDocumentErrorRise);
  }
  return reasons;
}

}  // namespace octavo
