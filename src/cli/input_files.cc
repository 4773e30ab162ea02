#include "cli/input_files.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <system_error>

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
  const std::string extension = LowerCase(path.extension().string());
  return extension == ".pdf" || extension == ".png" || extension == ".jpg" || extension == ".jpeg";
}

bool IsHidden(const fs::path& path) { return path.filename().string().substr(0, 1) == "."; }

// Relative paths of the documents below a folder.
std::vector<fs::path> DocumentsBelow(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                         error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (IsHidden(entry->path())) {
      if (entry->is_directory(ignored)) entry.disable_recursion_pending();
      continue;
    }
    if (HasDocumentExtension(entry->path()) && entry->is_regular_file(ignored)) {
      found.push_back(entry->path().lexically_relative(folder));
    }
  }
  if (error) {
    throw Error(ErrorCode::kIo,
                StrCat(PrintableName(folder.string()), ": cannot be searched: ", error.message()));
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
    const std::string stem = (relative.parent_path() / relative.stem()).generic_string();
    std::string name = stem;
    // Compared without case, for file systems that do not tell them apart.
    for (int i = 2; !names_.insert(LowerCase(name)).second; ++i) name = StrCat(stem, "-", i);
    files_.push_back({path, name});
  }

  std::vector<InputFile> Take() && { return std::move(files_); }

 private:
  std::set<fs::path> seen_;
  std::set<std::string> names_;
  std::vector<InputFile> files_;
};

}  // namespace

std::vector<InputFile> FindInputFiles(const std::vector<std::string>& inputs) {
  Collector collector;
  for (const std::string& input : inputs) {
    const fs::path path(input);
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      if (!fs::exists(path, ignored)) {
        throw Error(ErrorCode::kNotFound, StrCat(PrintableName(input), ": no such file or folder"));
      }
      collector.Add(path, path.filename());
      continue;
    }
    const std::vector<fs::path> documents = DocumentsBelow(path);
    if (documents.empty()) {
      throw Error(ErrorCode::kNotFound,
                  StrCat(PrintableName(input), ": no PDF, PNG or JPEG in this folder"));
    }
    for (const fs::path& relative : documents) collector.Add(path / relative, relative);
  }
  return std::move(collector).Take();
}

}  // namespace octavo
