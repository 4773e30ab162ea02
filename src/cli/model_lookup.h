// Which model a command runs when it is not told.
#ifndef OCTAVO_CLI_MODEL_LOOKUP_H_
#define OCTAVO_CLI_MODEL_LOOKUP_H_

#include <filesystem>
#include <string>
#include <vector>

namespace octavo {

// Where octavo-nano may lie, seen from the folder of the program: installed beside it, or in the
// source tree that a build folder belongs to. In this order.
std::vector<std::filesystem::path> NanoFolders(const std::filesystem::path& program_dir);

// `flag` (--model) if not empty, else the environment variable OCTAVO_MODEL, else the first of
// NanoFolders that has a config.json. Throws kNotFound naming what was looked for.
std::string FindModel(const std::string& flag);

}  // namespace octavo

#endif  // OCTAVO_CLI_MODEL_LOOKUP_H_
