#include "cli/eval_inputs.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/str_cat.h"
#include "base/utf8.h"
#include "cli/input_files.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTruthEnding = ".md";
constexpr std::string_view kLayoutEnding = ".layout.json";

fs::path WithEnding(const fs::path& document, std::string_view ending) {
  fs::path path = document;
  path.replace_extension();
  path += ending;
  return path;
}

bool IsFile(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// The path without the ending of a truth, or an empty path for any other file.
fs::path StemOfTruth(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name == "README.md") return {};
  for (const std::string_view ending : {kTruthEnding, kLayoutEnding}) {
    if (name.size() > ending.size() &&
        std::string_view(name).substr(name.size() - ending.size()) == ending) {
      return path.parent_path() / name.substr(0, name.size() - ending.size());
    }
  }
  return {};
}

// Truth of the folder that no document stands beside.
std::vector<std::string> LonelyTruth(const fs::path& folder, const std::set<fs::path>& stems) {
  std::set<std::string> found;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                         error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (entry->path().filename().string().substr(0, 1) == ".") {
      if (entry->is_directory(ignored)) entry.disable_recursion_pending();
      continue;
    }
    const fs::path stem = StemOfTruth(entry->path());
    if (stem.empty() || !entry->is_regular_file(ignored) || stems.count(stem) > 0) continue;
    found.insert(entry->path().lexically_relative(folder).generic_string());
  }
  return {found.begin(), found.end()};
}

}  // namespace

EvalInputs FindEvalInputs(const std::string& folder) {
  const FoundInputs found = FindInputFiles({folder});
  if (!found.problems.empty()) {
    const InputProblem& problem = found.problems.front();
    throw Error(problem.error.code(), problem.error.what());
  }
  EvalInputs inputs;
  std::set<fs::path> stems;
  for (const InputFile& file : found.files) {
    if (file.is_stdin) {
      throw Error(ErrorCode::kInvalidArgument, "found -, expected a folder of pages with truth");
    }
    const fs::path truth = WithEnding(file.path, kTruthEnding);
    const fs::path layout = WithEnding(file.path, kLayoutEnding);
    stems.insert(WithEnding(file.path, ""));
    if (!IsFile(truth)) {
      inputs.without_truth.push_back(file.path.lexically_relative(folder).generic_string());
      continue;
    }
    inputs.documents.push_back(
        {file.path, file.result_name, truth, IsFile(layout) ? layout : fs::path()});
  }
  std::sort(inputs.documents.begin(), inputs.documents.end(),
            [](const EvalInput& a, const EvalInput& b) { return a.name < b.name; });
  if (inputs.documents.empty()) {
    throw Error(ErrorCode::kNotFound,
                StrCat(PrintableName(folder),
                       ": no page has its truth beside it, expected NAME.md beside NAME.png"));
  }
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) inputs.truth_without_page = LonelyTruth(folder, stems);
  return inputs;
}

}  // namespace octavo
