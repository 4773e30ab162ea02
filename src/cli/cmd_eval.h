// octavo eval: reads the pages of a folder and scores them against the truth beside them.
#ifndef OCTAVO_CLI_CMD_EVAL_H_
#define OCTAVO_CLI_CMD_EVAL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cli/savings_flags.h"

namespace octavo {

struct EvalOptions {
  std::string folder;  // NAME.png, NAME.pdf … with NAME.md and, if there is one, NAME.layout.json
  // Each combination is a setting; several are put side by side.
  std::vector<std::string> model_dirs;  // empty: model_lookup.h
  std::vector<std::string> computes;    // "f32", "bf16", "int8", "int16"; empty: the checkpoint's
  std::vector<std::string> attentions;  // "f32", "int16"; empty: the default
  std::vector<std::string> layouts = {"auto"};  // "auto", "model", "whitespace"
  std::string kv_cache_dtype;                   // as ModelFlags has it
  int dpi = 200;
  int64_t max_pixels = 0;  // of a picture that the model sees; 0: the model's own
  SavingsFlags savings;    // no quality: best
  std::string gate;        // "balanced" or "fast": compared with "best", recorded; "": no gate
  int num_threads = 0;
  bool json = false;       // a JSON line for each setting instead of the table
  bool has_timing = true;  // false: nothing on stdout depends on time
};

// Figures to stdout, talk to stderr. A page that cannot be read counts as wrong in all its
// characters. Returns 0, or the exit code of the first document or truth that could not be read.
// With a gate, which takes one setting, that of parse: both results, then what was found; the
// record (gate_file.h) is written where nothing failed to be read. Throws Error for what stops the
// whole run.
int RunEval(const EvalOptions& options);

}  // namespace octavo

#endif  // OCTAVO_CLI_CMD_EVAL_H_
