// What `octavo eval` compares: the documents of a folder and the truth beside each.
#ifndef OCTAVO_CLI_EVAL_INPUTS_H_
#define OCTAVO_CLI_EVAL_INPUTS_H_

#include <filesystem>
#include <string>
#include <vector>

#include "octavo/error.h"

namespace octavo {

struct EvalInput {
  std::filesystem::path path;    // picture or PDF
  std::string name;              // below the folder, without extension
  std::filesystem::path truth;   // NAME.md beside it
  std::filesystem::path layout;  // NAME.layout.json beside it; empty: there is none
};

struct EvalInputs {
  std::vector<EvalInput> documents;             // sorted by name
  std::vector<std::string> without_truth;       // documents that have no NAME.md
  std::vector<std::string> truth_without_page;  // NAME.md or NAME.layout.json without a document
};

// Searches the folder and its sub-folders as `octavo parse` does; a single file stands for itself.
// README.md is no truth, nor is what hidden folders hold. Throws kNotFound (no such folder, no
// document, none with truth), kIo.
EvalInputs FindEvalInputs(const std::string& folder);

}  // namespace octavo

#endif  // OCTAVO_CLI_EVAL_INPUTS_H_
