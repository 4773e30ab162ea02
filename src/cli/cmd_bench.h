// octavo bench: the machine's limits, then encode, prefill, decode and memory of a model.
#ifndef OCTAVO_CLI_CMD_BENCH_H_
#define OCTAVO_CLI_CMD_BENCH_H_

#include <string>

namespace octavo {

struct BenchOptions {
  std::string model_dir;                // a checkpoint, or …
  std::string synthetic = "mineru2.5";  // … seeded random weights of this architecture
  std::string write_synthetic;  // folder: write that checkpoint as Hugging Face files and stop
  std::string compute;          // "f32", "bf16", "int8", "": the checkpoint's default
  std::string attention;        // "f32", "int16", "": the default
  int num_threads = 0;          // 0: default
  int image_width = 1036;       // pixels, multiples of 28
  int image_height = 1036;
  int decode_steps = 128;
  int batch = 1;      // sequences decoded together
  bool json = false;  // only the closing JSON line
};

// Prints the report to stdout (progress to stderr) and returns the exit code.
// Throws Error (kInvalidArgument for impossible options, and what loading throws).
int RunBench(const BenchOptions& options);

}  // namespace octavo

#endif  // OCTAVO_CLI_CMD_BENCH_H_
