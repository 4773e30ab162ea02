#include "evaluate/score.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "evaluate/edit_distance.h"
#include "evaluate/in_order_match.h"
#include "evaluate/latex_form.h"
#include "evaluate/page_text.h"
#include "evaluate/table_tree.h"
#include "evaluate/teds.h"

namespace octavo {
namespace {

std::optional<double> Mean(double sum, int64_t count) {
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

std::vector<TableTree> ReadTrees(const std::vector<std::string>& tables) {
  std::vector<TableTree> trees;
  trees.reserve(tables.size());
  for (const std::string& table : tables) trees.push_back(ReadTableTree(table));
  return trees;
}

void ScoreTables(const std::vector<TableTree>& found, const std::vector<TableTree>& truth,
                 Score* score) {
  std::map<std::pair<int, int>, Teds> scores;
  std::vector<bool> is_too_large(truth.size(), false);
  const std::vector<int> matches = MatchInOrder(
      static_cast<int>(found.size()), static_cast<int>(truth.size()), [&](int i, int j) {
        const std::optional<Teds> teds =
            ScoreTable(found[static_cast<size_t>(i)], truth[static_cast<size_t>(j)]);
        if (!teds) {
          is_too_large[static_cast<size_t>(j)] = true;
          return 0.0;
        }
        return scores.emplace(std::pair(i, j), *teds).first->second.all;
      });
  for (size_t j = 0; j < truth.size(); ++j) {
    Teds teds;
    if (matches[j] >= 0) {
      teds = scores.at({matches[j], static_cast<int>(j)});
    } else if (is_too_large[j]) {
      ++score->num_tables_skipped;
      continue;
    }
    ++score->num_tables;
    score->teds_sum += teds.all;
    score->teds_structure_sum += teds.structure;
  }
}

void ScoreFormulas(const std::vector<std::string>& found, const std::vector<std::string>& truth,
                   Score* score) {
  const auto normal = [](const std::vector<std::string>& formulas) {
    std::vector<std::string> out;
    out.reserve(formulas.size());
    for (const std::string& formula : formulas) out.push_back(NormalLatex(formula));
    return out;
  };
  const std::vector<std::string> a = normal(found);
  const std::vector<std::string> b = normal(truth);
  const std::vector<int> matches =
      MatchInOrder(static_cast<int>(a.size()), static_cast<int>(b.size()), [&](int i, int j) {
        return a[static_cast<size_t>(i)] == b[static_cast<size_t>(j)] ? 1.0 : 0.0;
      });
  score->num_formulas = std::ssize(truth);
  score->num_formulas_matched =
      std::count_if(matches.begin(), matches.end(), [](int match) { return match >= 0; });
}

}  // namespace

void Score::Add(const Score& other) {
  num_characters += other.num_characters;
  num_character_errors += other.num_character_errors;
  num_tables += other.num_tables;
  num_tables_skipped += other.num_tables_skipped;
  teds_sum += other.teds_sum;
  teds_structure_sum += other.teds_structure_sum;
  num_formulas += other.num_formulas;
  num_formulas_matched += other.num_formulas_matched;
  has_layout = has_layout || other.has_layout;
  layout.num_matched += other.layout.num_matched;
  layout.num_found += other.layout.num_found;
  layout.num_true += other.layout.num_true;
}

double Score::CharacterError() const {
  return static_cast<double>(num_character_errors) /
         static_cast<double>(std::max<int64_t>(num_characters, 1));
}

std::optional<double> Score::MeanTeds() const { return Mean(teds_sum, num_tables); }
std::optional<double> Score::MeanTedsStructure() const {
  return Mean(teds_structure_sum, num_tables);
}
std::optional<double> Score::FormulaMatch() const {
  return Mean(static_cast<double>(num_formulas_matched), num_formulas);
}

std::optional<double> Score::LayoutF1() const {
  if (!has_layout) return std::nullopt;
  const int64_t num_boxes = layout.num_found + layout.num_true;
  if (num_boxes == 0) return 1;  // a blank page, found blank
  return 2 * static_cast<double>(layout.num_matched) / static_cast<double>(num_boxes);
}

Score ScoreMarkdown(std::string_view found, std::string_view truth) {
  const PageText a = ReadPageText(found);
  const PageText b = ReadPageText(truth);
  Score score;
  score.num_characters = std::ssize(b.text);
  score.num_character_errors = EditDistance(a.text, b.text);
  ScoreTables(ReadTrees(a.tables), ReadTrees(b.tables), &score);
  ScoreFormulas(a.formulas, b.formulas, &score);
  return score;
}

}  // namespace octavo
