// Runs golden cases of the MinerU packages through octavo.
//
//   octavo_cases [--family NAME]... [--list] [--max-skipped N] PATH
//
// PATH holds the folders "vlu", "mineru3" and "documents", or is one of them, or one family's file:
// {"family": NAME, "cases": [{"name", "input", "expected"}, …]}. Every answer must equal what the
// package gave ("expected"; numbers within 1e-9); where the package raised ({"error": …}) octavo
// must do the sensible thing that case_families.h states. One line per failure (with --list: per
// case), closing line "N passed, M failed, K skipped".
// Skipped are, by name, families of whole documents, which octavo does not put together yet, and
// single cases that differ in nothing but a guess of a model that octavo does not have: fastText's
// of a language, Magika's of a programming language. An input that octavo refuses or that has not
// the family's form is always a failure. Exit status 0 if nothing failed, 1 if something did, a
// family is unknown or more than N cases were skipped, 2 for wrong usage or files that are no
// cases.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "octavo/error.h"
#include "suites/case_compare.h"
#include "suites/case_families.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t kMaxFileBytes = size_t{64} << 20;

// Families of documents as a whole.
const std::set<std::string, std::less<>> kLaterFamilies = {"merge_table"};

struct Options {
  std::set<std::string> families;  // empty: all
  bool lists_all = false;
  int max_skipped = std::numeric_limits<int>::max();
  fs::path path;
};

struct Counts {
  int passed = 0;
  int failed = 0;
  int skipped = 0;
};

std::string Printable(const std::string& text) { return PrintableName(text, 300); }

// Sets every guess of a programming language to the same name.
void HideGuesses(json* value) {
  if (value->is_object()) {
    for (const char* key : {"guess_lang", "code_language"}) {
      const auto guess = value->find(key);
      if (guess == value->end() || !guess->is_string()) continue;
      *guess = "?";
    }
  }
  if (value->is_structured()) {
    for (json& item : *value) HideGuesses(&item);
  }
  if (!value->is_string()) return;
  std::string text = value->get<std::string>();
  for (size_t i = text.find("```"); i != std::string::npos; i = text.find("```", i + 3)) {
    const size_t end = std::min(text.find('\n', i), text.size());
    if (end <= i + 3) continue;
    text = StrCat(text.substr(0, i + 3), "?", text.substr(end));
  }
  *value = std::move(text);
}

class Runner {
 public:
  explicit Runner(const Options& options) : options_(options) {}

  void RunFile(const fs::path& path) {
    const json file = ParseJson(ReadFile(path, kMaxFileBytes), path.native());
    const bool is_document = !file.contains("family") && file.contains("name");
    const std::string family = is_document ? "documents" : file.at("family").get<std::string>();
    if (!options_.families.empty() && options_.families.count(family) == 0) return;
    if (is_document || kLaterFamilies.count(family) > 0) {
      Skip(is_document ? json::array({file}) : file.at("cases"), family);
      return;
    }
    const CaseFamily* known = Find(family);
    if (known == nullptr) {
      has_unknown_ = true;
      std::printf("FAILED %s: family '%s' is unknown\n", path.c_str(), Printable(family).c_str());
      counts_.failed += static_cast<int>(file.at("cases").size());
      return;
    }
    for (const json& one : file.at("cases")) RunCase(*known, one);
  }

  int Finish() const {
    std::printf("%d passed, %d failed, %d skipped\n", counts_.passed, counts_.failed,
                counts_.skipped);
    const bool skips_too_many = counts_.skipped > options_.max_skipped;
    if (skips_too_many) {
      std::fprintf(stderr, "octavo_cases: %d cases skipped, expected at most %d\n", counts_.skipped,
                   options_.max_skipped);
    }
    return counts_.failed > 0 || has_unknown_ || skips_too_many ? 1 : 0;
  }

  const Counts& counts() const { return counts_; }

 private:
  static const CaseFamily* Find(const std::string& name) {
    for (const CaseFamilies* families : {&VluFamilies(), &Mineru3Families()}) {
      const auto found = families->find(name);
      if (found != families->end()) return &found->second;
    }
    return nullptr;
  }

  void Skip(const json& cases, const std::string& family) {
    for (const json& one : cases) {
      ++counts_.skipped;
      std::printf("skipped %s: family %s is of whole documents\n",
                  Printable(one.at("name").get<std::string>()).c_str(), family.c_str());
    }
  }

  void RunCase(const CaseFamily& family, const json& one) {
    const std::string name = Printable(one.at("name").get<std::string>());
    const json& expected = one.at("expected");
    std::string complaint;
    bool is_other_guess = false;
    try {
      const json answer = family.answer(one.at("input"));
      complaint = Judge(family, one.at("input"), expected, answer);
      is_other_guess = !complaint.empty() && IsOtherGuess(family, expected, answer);
    } catch (const Error& error) {
      complaint = StrCat("octavo refuses it: ", error.what());
    } catch (const json::exception& error) {
      complaint = StrCat("the input has not this family's form: ", error.what());
    }
    if (complaint.empty()) {
      ++counts_.passed;
      if (options_.lists_all) std::printf("passed %s\n", name.c_str());
    } else if (is_other_guess) {
      ++counts_.skipped;
      std::printf("skipped %s: a guess differs: %s\n", name.c_str(), complaint.c_str());
    } else {
      ++counts_.failed;
      std::printf("FAILED %s: %s\n", name.c_str(), complaint.c_str());
    }
  }

  static std::string Judge(const CaseFamily& family, const json& input, const json& expected,
                           const json& answer) {
    const bool raises = expected.is_object() && expected.size() == 1 && expected.contains("error");
    if (!raises) return FirstDifference(expected, answer);
    if (family.judge_where_reference_fails != nullptr) {
      return family.judge_where_reference_fails(input, answer);
    }
    return StrCat("the reference raises; what is sensible is not stated for this family");
  }

  // True if nothing differs but guesses.
  static bool IsOtherGuess(const CaseFamily& family, json expected, json answer) {
    if (family.is_guess) return expected.is_string() && answer.is_string();
    HideGuesses(&expected);
    HideGuesses(&answer);
    return FirstDifference(expected, answer).empty();
  }

  const Options& options_;
  Counts counts_;
  bool has_unknown_ = false;
};

bool ParseArguments(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--list") {
      options->lists_all = true;
    } else if (argument == "--family" && i + 1 < argc) {
      options->families.emplace(argv[++i]);
    } else if (argument == "--max-skipped" && i + 1 < argc) {
      const std::string_view number = argv[++i];
      const char* end = number.data() + number.size();
      const auto result = std::from_chars(number.data(), end, options->max_skipped);
      if (result.ec != std::errc() || result.ptr != end) return false;
    } else if (argument.substr(0, 1) == "-" || !options->path.empty()) {
      return false;
    } else {
      options->path = argument;
    }
  }
  return !options->path.empty();
}

// Files of cases in the folder and in the folders it is known to have.
std::vector<fs::path> FindFiles(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const fs::path& folder : {path, path / "vlu", path / "mineru3", path / "documents"}) {
    if (!fs::is_directory(folder)) continue;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

int Run(const Options& options) {
  Runner runner(options);
  for (const fs::path& file : FindFiles(options.path)) runner.RunFile(file);
  const Counts& counts = runner.counts();
  if (counts.passed + counts.failed + counts.skipped == 0) {
    std::fprintf(stderr, "octavo_cases: no cases in %s\n", options.path.c_str());
    return 2;
  }
  return runner.Finish();
}

}  // namespace
}  // namespace octavo

int main(int argc, char** argv) {
  octavo::Options options;
  if (!octavo::ParseArguments(argc, argv, &options)) {
    std::fprintf(stderr,
                 "usage: octavo_cases [--family NAME]... [--list] [--max-skipped N] PATH\n");
    return 2;
  }
  try {
    return octavo::Run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "octavo_cases: %s\n", error.what());
    return 2;
  }
}
