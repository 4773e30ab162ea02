// The inputs of a run: files, what folders hold, standard input; each with the name of its results.
#ifndef OCTAVO_CLI_INPUT_FILES_H_
#define OCTAVO_CLI_INPUT_FILES_H_

#include <filesystem>
#include <string>
#include <vector>

#include "octavo/error.h"

namespace octavo {

struct InputFile {
  std::filesystem::path path;  // "-" with is_stdin
  // Of the results, below the output folder: the file's name without extension, in the same
  // sub-folders as below the folder that was given. Never twice in a run: "report", "report-2".
  std::string result_name;
  bool is_stdin = false;
};

// An input that is not there or cannot be searched.
struct InputProblem {
  std::string name;  // as given, or the sub-folder
  Error error;
};

struct FoundInputs {
  std::vector<InputFile> files;
  std::vector<InputProblem> problems;
};

// Folders are searched through with their sub-folders, sorted, for files with an extension that
// octavo reads (any case); hidden files, links to folders and the pictures of octavo's own results
// are left out. A file that is named is taken whatever its name; "-" is standard input. The same
// file named twice is taken once. Problems are kNotFound (no such path, a folder without documents)
// and kIo (may not be searched).
FoundInputs FindInputFiles(const std::vector<std::string>& inputs);

}  // namespace octavo

#endif  // OCTAVO_CLI_INPUT_FILES_H_
