// The result of `octavo eval` as a JSON line and as a table for people.
#ifndef OCTAVO_EVALUATE_EVAL_REPORT_H_
#define OCTAVO_EVALUATE_EVAL_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/score.h"

namespace octavo {

// A picture or PDF with its truth.
struct DocumentResult {
  std::string name;
  int num_pages = 0;
  int num_pages_failed = 0;  // their part of the truth counts as not found
  int num_pages_timed = 0;   // those that `seconds` covers
  double seconds = 0;        // from the first page begun to the last one read
  Score score;
};

// All documents under one setting.
struct RunResult {
  std::string model;           // name of the folder
  std::string compute;         // "bf16"
  std::string attention;       // "int16"
  std::string kv_cache_dtype;  // "bf16"
  std::string layout;          // "auto"
  std::string savings;         // "prune-blank", "nothing"
  std::vector<DocumentResult> documents;
  int num_without_truth = 0;       // documents that were left out
  int num_truth_without_page = 0;  // NAME.md without a document
  int num_truth_unreadable = 0;    // documents that were left out for their truth
  uint64_t digest = 0;             // of all Markdown that was written
};

// One line without its line feed. Members: model, compute, attention, kv_cache_dtype, layout,
// savings, pages, failed, character_error, teds, teds_structure, formula_match, layout_f1,
// seconds_per_page, characters, tables, tables_skipped, formulas, without_truth,
// truth_without_page, truth_unreadable, digest, documents (with the same figures each). Figures
// that have no truth are null; seconds_per_page is null, too, without `has_timing`, which makes the
// line equal for equal results.
std::string EvalJsonLine(const RunResult& result, bool has_timing);

// The sum of all documents; without a name.
DocumentResult Total(const RunResult& result);

// A row for each document and one for all of them.
std::string EvalTable(const RunResult& result, bool has_timing);

// Several settings side by side: a column each, named by what differs among them.
std::string EvalComparison(const std::vector<RunResult>& results, bool has_timing);

}  // namespace octavo

#endif  // OCTAVO_EVALUATE_EVAL_REPORT_H_
