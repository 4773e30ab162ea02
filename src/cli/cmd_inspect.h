// octavo inspect: what a model consists of, what it will take, and whether it is whole.
#ifndef OCTAVO_CLI_CMD_INSPECT_H_
#define OCTAVO_CLI_CMD_INSPECT_H_

#include <string>

namespace octavo {

struct InspectOptions {
  std::string path;  // a model folder, an .octavo or a .gguf file
  // For the memory plan; "": the default.
  std::string compute;    // "f32", "bf16", "int8", "int16"
  std::string attention;  // "f32", "int16"
  bool json = false;      // one JSON object instead of the table
};

// Prints the report to stdout and returns the exit code: 0 if the model is whole and octavo can run
// it. Damage is reported as the last line and gives the exit code of its kind; what was readable
// is shown before. Throws Error if nothing can be opened.
int RunInspect(const InspectOptions& options);

}  // namespace octavo

#endif  // OCTAVO_CLI_CMD_INSPECT_H_
