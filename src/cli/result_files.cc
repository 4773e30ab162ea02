#include "cli/result_files.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/json.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "document/page_json.h"
#include "octavo/error.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr size_t kMaxJournalBytes = size_t{2} << 30;
constexpr std::string_view kDoneLine = "{\"done\":true}";

void CreateFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw Error(ErrorCode::kIo, StrCat(PrintableName(folder.string()),
                                       ": the folder cannot be made: ", error.message()));
  }
}

// Lines of a journal that end in a line feed; a last line without one was cut off.
std::vector<std::string> CompleteLines(const std::string& text) {
  std::vector<std::string> lines;
  size_t begin = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace

// Appends lines that are on disk when Write returns.
struct ResultFiles::Journal {
  explicit Journal(fs::path file) : path(std::move(file)), stream(path, std::ios::app) {
    if (!stream) ThrowIo();
  }
  void Write(std::string_view line) {
    stream << line << '\n';
    stream.flush();
    if (!stream) ThrowIo();
  }
  [[noreturn]] void ThrowIo() const {
    throw Error(ErrorCode::kIo, StrCat(PrintableName(path.string()), ": cannot be written"));
  }
  fs::path path;
  std::ofstream stream;
};

ResultFiles::ResultFiles(const fs::path& input, const std::string& name,
                         const ResultOptions& options)
    : name_(name),
      options_(options),
      journal_path_(options.output_dir / ".octavo" / (name + ".jsonl")),
      header_(Header(input)) {
  ReadJournal(input);
  if (!options_.force && !is_own_) RefuseForeignOutputs(input);
  if (is_done_) return;
  CreateFolder(journal_path_.parent_path());
  if (pages_.empty()) WriteFileAtomically(journal_path_, header_ + "\n");
  journal_ = std::make_unique<Journal>(journal_path_);
}

ResultFiles::~ResultFiles() = default;

std::string ResultFiles::Header(const fs::path& input) const {
  std::error_code error;
  const auto size = fs::file_size(input, error);
  const auto time = fs::last_write_time(input, error);
  if (error) {
    throw Error(ErrorCode::kNotFound, StrCat(PrintableName(input.string()), ": ", error.message()));
  }
  const Json header = {{"octavo", 1},
                       {"input", fs::absolute(input).lexically_normal().string()},
                       {"bytes", size},
                       {"time", time.time_since_epoch().count()},
                       {"settings", options_.settings}};
  return header.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void ResultFiles::ReadJournal(const fs::path& input) {
  std::error_code ignored;
  if (!fs::exists(journal_path_, ignored)) return;
  const std::string where = journal_path_.string();
  const std::vector<std::string> lines = CompleteLines(ReadFile(journal_path_, kMaxJournalBytes));
  if (lines.empty()) return;
  try {
    const Json header = ParseJson(lines.front(), where);
    is_own_ = header.is_object() && header.contains("input") &&
              header["input"] == fs::absolute(input).lexically_normal().string();
  } catch (const Error&) {
    return;  // a damaged journal is as good as none
  }
  if (options_.force || lines.front() != header_) return;
  const bool has_all_outputs = std::all_of(
      options_.formats.begin(), options_.formats.end(),
      [&](const std::string& format) { return fs::exists(OutputPath(format), ignored); });
  if (lines.back() == kDoneLine) {
    is_done_ = has_all_outputs;
    return;
  }
  for (size_t i = 1; i < lines.size(); ++i) {
    try {
      Page page = PageFromJsonLine(lines[i], where);
      const int index = page.index;
      pages_.insert_or_assign(index, std::move(page));
    } catch (const Error&) {
      continue;  // that page is read again
    }
  }
}

void ResultFiles::RefuseForeignOutputs(const fs::path& input) const {
  std::error_code ignored;
  for (const std::string& format : options_.formats) {
    const fs::path path = OutputPath(format);
    if (!fs::exists(path, ignored)) continue;
    throw Error(ErrorCode::kInvalidArgument,
                StrCat(PrintableName(path.string()), " exists and is no result of ",
                       PrintableName(input.string()),
                       "; choose another folder with -o, or replace it with --force"));
  }
}

fs::path ResultFiles::OutputPath(const std::string& format) const {
  return options_.output_dir / (name_ + (format == "md" ? ".md" : "_" + format + ".json"));
}

fs::path ResultFiles::MarkdownPath() const { return OutputPath("md"); }

// Pictures of all results stand in one folder; results in sub-folders reach up to it.
std::string ResultFiles::ImagePrefix() const {
  std::string prefix;
  for (const char c : name_) prefix += c == '/' ? "../" : "";
  return prefix + "images/";
}

void ResultFiles::Append(Page page) {
  if (!page.pictures.empty()) CreateFolder(options_.output_dir / "images");
  for (const CutPicture& picture : page.pictures) {
    WriteFileAtomically(options_.output_dir / "images" / picture.name, picture.jpeg_bytes);
  }
  page.pictures.clear();
  journal_->Write(PageToJsonLine(page));
  const int index = page.index;
  pages_.insert_or_assign(index, std::move(page));
}

void ResultFiles::Finish(bool is_complete) {
  std::vector<Page> pages;
  for (const auto& [index, page] : pages_) pages.push_back(page);
  CreateFolder(OutputPath("md").parent_path());
  for (const std::string& format : options_.formats) {
    std::string bytes;
    if (format == "md") bytes = ToMarkdown(pages, ImagePrefix());
    if (format == "content_list") bytes = ToContentListJson(pages, ImagePrefix());
    if (format == "model") bytes = ToModelJson(pages);
    WriteFileAtomically(OutputPath(format), bytes);
  }
  if (!is_complete) return;
  journal_.reset();
  WriteFileAtomically(journal_path_, header_ + "\n" + std::string(kDoneLine) + "\n");
  is_done_ = true;
}

}  // namespace octavo
