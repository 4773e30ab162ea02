// The figures of a page, a document or a run, as sums that add up.
#ifndef OCTAVO_EVALUATE_SCORE_H_
#define OCTAVO_EVALUATE_SCORE_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "evaluate/layout_score.h"

namespace octavo {

struct Score {
  int64_t num_characters = 0;  // of the truth, without marks
  int64_t num_character_errors = 0;
  int64_t num_tables = 0;          // of the truth
  int64_t num_tables_skipped = 0;  // too large to be compared; not in num_tables
  double teds_sum = 0;
  double teds_structure_sum = 0;
  int64_t num_formulas = 0;  // of the truth
  int64_t num_formulas_matched = 0;
  bool has_layout = false;  // there was a truth of the layout
  LayoutCounts layout;

  void Add(const Score& other);

  // Errors per character of the truth; beyond 1 where much was invented. A truth without characters
  // counts as one character.
  double CharacterError() const;
  // Means over the true tables and shares of the true formulas; nothing where the truth has none.
  std::optional<double> MeanTeds() const;
  std::optional<double> MeanTedsStructure() const;
  std::optional<double> FormulaMatch() const;
  // 2 x matched / (found + true); nothing without a truth of the layout.
  std::optional<double> LayoutF1() const;
};

// Characters, tables and formulas of a document's Markdown against the true Markdown. A table or
// formula that was not found counts as 0; one that was invented counts as characters only.
Score ScoreMarkdown(std::string_view found, std::string_view truth);

}  // namespace octavo

#endif  // OCTAVO_EVALUATE_SCORE_H_
