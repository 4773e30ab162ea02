// From a model's answers to the contents of a page: tables to HTML, repairs, formula blocks.
#ifndef OCTAVO_DOCUMENT_POST_PROCESS_H_
#define OCTAVO_DOCUMENT_POST_PROCESS_H_

#include <vector>

#include "document/otsl.h"
#include "octavo/document.h"

namespace octavo {

struct PostProcessOptions {
  // kReference also leaves a page half processed where a formula that an equation_block joins has
  // no content.
  OtslRule otsl_rule = OtslRule::kKeepText;
  bool table_formula_eq_wrap = false;  // <eq>…</eq> around formulas in tables
  bool simple = false;                 // tables, list items and "[Non-Text]" only
  bool abandon_list = false;           // drop list containers
  bool abandon_paratext = false;       // drop headers, footers, page numbers, side notes
};

// True if the model answered "[Non-Text]": there is nothing to read.
bool IsNonText(const ContentBlock& block) noexcept;

// Source: mineru-vl-utils 2.0.7, post_process/__init__.py; null contents count as empty. Codes of
// pictures inside tables are left as they are.
std::vector<ContentBlock> PostProcess(std::vector<ContentBlock> blocks,
                                      const PostProcessOptions& options = {});

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_POST_PROCESS_H_
