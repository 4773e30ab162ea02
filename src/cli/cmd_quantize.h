// octavo quantize: a smaller model out of a large one.
#ifndef OCTAVO_CLI_CMD_QUANTIZE_H_
#define OCTAVO_CLI_CMD_QUANTIZE_H_

#include <string>

namespace octavo {

struct QuantizeOptions {
  std::string model;              // --model, else as FindModel says
  std::string output;             // an .octavo file, or a folder for one
  int w_bit = 4;                  // 4 or 8, of the language model
  int q_group_size = 128;         // 128, 64 or 32
  std::string method = "rtn";     // "rtn"; "awq" and "gptq" are refused by name
  std::string vision = "w8";      // "w8", "w4", "keep"
  std::string head = "w8";        // "w8", "w4", "keep": table of embeddings and head
  std::string format = "octavo";  // "octavo"; "awq" and "gguf" are refused by name
  std::string report;             // JSON file; "": none
  bool force = false;             // overwrite
  int num_threads = 0;            // 0: DefaultThreadCount; does not change the result
};

// Prints what was written to stdout, progress to stderr; returns the exit code. Throws Error.
int RunQuantize(const QuantizeOptions& options);

}  // namespace octavo

#endif  // OCTAVO_CLI_CMD_QUANTIZE_H_
