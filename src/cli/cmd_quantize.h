// octavo quantize: a smaller model out of a large one.
#ifndef OCTAVO_CLI_CMD_QUANTIZE_H_
#define OCTAVO_CLI_CMD_QUANTIZE_H_

#include <string>
#include <vector>

namespace octavo {

struct QuantizeOptions {
  std::string model;                     // --model, else as FindModel says
  std::string output;                    // an .octavo file, or a folder for one
  int w_bit = 4;                         // 4 or 8, of the language model
  int q_group_size = 128;                // 128, 64 or 32
  std::string method = "awq";            // "awq", "gptq", "rtn"
  std::string vision;                    // "w8", "w4", "keep"; "": w8, keep for --format awq
  std::string head;                      // the same of the table of embeddings and the head
  std::string format = "octavo";         // "octavo", "awq", "gguf"
  double min_agreement = -1;             // of tokens, 0 to 1, or the result is kept aside; < 0: any
  bool quality = true;                   // judge the result on built-in pages
  std::vector<std::string> calibration;  // pictures, PDFs, folders; empty: the built-in pages
  std::string report;                    // JSON file; "": none
  bool force = false;                    // overwrite, also what an interrupted run left
  bool resume = false;                   // go on with what an interrupted run left
  int num_threads = 0;                   // 0: DefaultThreadCount; does not change the result
};

// Prints what was written to stdout, progress to stderr; returns the exit code: kDataLoss's
// if the result does not agree enough with its source. Throws Error.
int RunQuantize(const QuantizeOptions& options);

}  // namespace octavo

#endif  // OCTAVO_CLI_CMD_QUANTIZE_H_
