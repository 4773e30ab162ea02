// The inputs of a run: files, and what folders hold; each with the name of its results.
#ifndef OCTAVO_CLI_INPUT_FILES_H_
#define OCTAVO_CLI_INPUT_FILES_H_

#include <filesystem>
#include <string>
#include <vector>

namespace octavo {

struct InputFile {
  std::filesystem::path path;
  // Of the results, below the output folder: the file's name without extension, in the same
  // sub-folders as below the folder that was given. Never twice in a run: "report", "report-2".
  std::string result_name;
};

// Folders are searched through, sorted, for files with an extension that octavo reads (pdf, png,
// jpg, jpeg; any case); hidden files and links to folders are left out. A file that is named is
// taken whatever its name. The same file named twice is taken once. Throws kNotFound (no such path,
// a folder without documents), kIo.
std::vector<InputFile> FindInputFiles(const std::vector<std::string>& inputs);

}  // namespace octavo

#endif  // OCTAVO_CLI_INPUT_FILES_H_
