#include "cli/input_files.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/str_cat.h"
#include "base/utf8.h"
#include "octavo/error.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

std::string LowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool HasDocumentExtension(const fs::path& path) {
  constexpr std::array<std::string_view, 11> kExtensions = {
      ".pdf", ".png", ".jpg", ".jpeg", ".jpe", ".webp", ".tif", ".tiff", ".gif", ".bmp", ".ppm"};
  const std::string extension = LowerCase(path.extension().string());
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

bool IsHidden(const fs::path& path) { return path.filename().string().substr(0, 1) == "."; }

// What stands directly in one folder.
struct FolderContents {
  std::vector<fs::path> files;
  std::vector<fs::path> folders;
  std::error_code error;
};

FolderContents ListFolder(const fs::path& folder) {
  FolderContents contents;
  std::error_code absent;
  // The pictures that octavo cut out of documents are no documents.
  const bool has_results = fs::exists(folder / ".octavo", absent);
  fs::directory_iterator entry(folder, contents.error);
  for (; !contents.error && entry != fs::directory_iterator(); entry.increment(contents.error)) {
    std::error_code ignored;
    if (IsHidden(entry->path())) continue;
    // Links to folders may lead in circles.
    if (entry->is_directory(ignored)) {
      if (entry->is_symlink(ignored)) continue;
      if (has_results && entry->path().filename() == "images") continue;
      contents.folders.push_back(entry->path());
    } else if (HasDocumentExtension(entry->path()) && entry->is_regular_file(ignored)) {
      contents.files.push_back(entry->path());
    }
  }
  return contents;
}

// The documents below a folder, and the folders that could not be searched.
std::vector<fs::path> DocumentsBelow(const fs::path& top, std::vector<InputProblem>* problems) {
  std::vector<fs::path> found;
  std::vector<fs::path> waiting = {top};
  while (!waiting.empty()) {
    const fs::path folder = std::move(waiting.back());
    waiting.pop_back();
    const FolderContents contents = ListFolder(folder);
    found.insert(found.end(), contents.files.begin(), contents.files.end());
    waiting.insert(waiting.end(), contents.folders.begin(), contents.folders.end());
    if (!contents.error) continue;
    const std::string name = folder.string();
    problems->push_back({name, Error(ErrorCode::kIo, StrCat(PrintableName(name),
                                                            ": the folder cannot be searched: ",
                                                            contents.error.message()))});
  }
  std::sort(found.begin(), found.end());
  return found;
}

class Collector {
 public:
  void Add(const fs::path& path, const fs::path& relative) {
    std::error_code ignored;
    const fs::path canonical = fs::weakly_canonical(path, ignored);
    if (!seen_.insert(canonical.empty() ? path : canonical).second) return;
    files_.push_back({path, NewName((relative.parent_path() / relative.stem()).generic_string())});
  }

  void AddStdin() {
    if (std::exchange(has_stdin_, true)) return;
    files_.push_back({"-", NewName("stdin"), true});
  }

  std::vector<InputFile> Take() && { return std::move(files_); }

 private:
  std::string NewName(const std::string& stem) {
    std::string name = stem;
    // Compared without case, for file systems that do not tell them apart.
    for (int i = 2; !names_.insert(LowerCase(name)).second; ++i) name = StrCat(stem, "-", i);
    return name;
  }

  bool has_stdin_ = false;
  std::set<fs::path> seen_;
  std::set<std::string> names_;
  std::vector<InputFile> files_;
};

}  // namespace

FoundInputs FindInputFiles(const std::vector<std::string>& inputs) {
  FoundInputs found;
  Collector collector;
  for (const std::string& input : inputs) {
    const fs::path path(input);
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (input == "-") {
      collector.AddStdin();
    } else if (status.type() == fs::file_type::not_found) {
      found.problems.push_back({input, Error(ErrorCode::kNotFound, StrCat(PrintableName(input),
                                                                          ": no such file or "
                                                                          "folder"))});
    } else if (status.type() == fs::file_type::none) {
      found.problems.push_back(
          {input, Error(ErrorCode::kIo, StrCat(PrintableName(input), ": ", error.message()))});
    } else if (status.type() != fs::file_type::directory) {
      collector.Add(path, path.filename());
    } else {
      const size_t num_problems = found.problems.size();
      const std::vector<fs::path> documents = DocumentsBelow(path, &found.problems);
      for (const fs::path& document : documents) {
        collector.Add(document, document.lexically_relative(path));
      }
      if (!documents.empty() || found.problems.size() > num_problems) continue;
      found.problems.push_back(
          {input, Error(ErrorCode::kNotFound,
                        StrCat(PrintableName(input), ": no PDF and no picture in this folder"))});
    }
  }
  found.files = std::move(collector).Take();
  return found;
}

}  // namespace octavo
