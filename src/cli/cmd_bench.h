// octavo bench: the machine's limits, then encode, prefill, decode and memory of a model.
#ifndef OCTAVO_CLI_CMD_BENCH_H_
#define OCTAVO_CLI_CMD_BENCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cli/model_flags.h"

namespace octavo {

struct BenchOptions {
  ModelFlags model;                     // its model_dir: a checkpoint, "": …
  std::string synthetic = "mineru2.5";  // … seeded random weights of this architecture
  std::string write_synthetic;  // folder: write that checkpoint as Hugging Face files and stop
  // Form of the language model's matrices, rounded to nearest in memory: "w4", "w8", "bf16", "f32",
  // "": as they are. The other two: "w4", "w8", "keep", "": w8 beside w4 and w8, else as weights.
  std::string weights, vision, head;
  int image_width = 1036;  // pixels, multiples of 28
  int image_height = 1036;
  int decode_steps = 128;
  std::vector<int> batches = {1};  // sequences decoded together, one number after the other
  int num_crops = 8;               // of 448 x 448 pixels, beside one alone; 0: neither
  std::string replay;              // file of answers (bench_replay.h); "": none
  bool json = false;               // only the closing JSON line
  bool csv = false;                // only CSV
};

// Prints the report to stdout (progress to stderr) and returns the exit code.
// Throws Error (kInvalidArgument for impossible options, and what loading throws).
int RunBench(const BenchOptions& options);

}  // namespace octavo

#endif  // OCTAVO_CLI_CMD_BENCH_H_
