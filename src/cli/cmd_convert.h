// octavo convert: a model as one .octavo file, which opens at once and is used where it lies.
#ifndef OCTAVO_CLI_CMD_CONVERT_H_
#define OCTAVO_CLI_CMD_CONVERT_H_

#include <string>

namespace octavo {

struct ConvertOptions {
  std::string model;             // a folder or a file
  std::string output;            // an .octavo file, or a folder for one
  std::string weights = "keep";  // "keep", "bf16", "f32"
  bool force = false;            // overwrite
  int num_threads = 0;           // 0: DefaultThreadCount
};

// Prints what was written to stdout, progress to stderr; returns the exit code. Throws Error.
int RunConvert(const ConvertOptions& options);

}  // namespace octavo

#endif  // OCTAVO_CLI_CMD_CONVERT_H_
