#include "cli/result_files.h"

#include <algorithm>
#include <array>
#include <cstdio>
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

constexpr std::array<std::string_view, 5> kFormats = {"md", "content_list", "content_list_v2",
                                                      "middle", "model"};

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

uint64_t Fnv1a64(std::string_view bytes) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return hash;
}

}  // namespace

InputStamp StampOfFile(const fs::path& path) {
  std::error_code error;
  InputStamp stamp;
  stamp.shown = PrintableName(path.string());
  const auto absolute = fs::absolute(path, error);
  if (!error) stamp.bytes = fs::file_size(path, error);
  if (!error) stamp.time = fs::last_write_time(path, error).time_since_epoch().count();
  if (error) {
    const bool is_absent = error == std::errc::no_such_file_or_directory;
    throw Error(is_absent ? ErrorCode::kNotFound : ErrorCode::kIo,
                StrCat(stamp.shown, ": ", error.message()));
  }
  stamp.source = absolute.lexically_normal().string();
  return stamp;
}

InputStamp StampOfBytes(std::string_view bytes, const std::string& shown) {
  char source[32];
  std::snprintf(source, sizeof source, "-:%016llx",
                static_cast<unsigned long long>(Fnv1a64(bytes)));
  return {source, bytes.size(), 0, shown};
}

ResultFiles::ResultFiles(InputStamp input, const std::string& name, const ResultOptions& options)
    : input_(std::move(input)),
      name_(name),
      options_(options),
      journal_path_(options.output_dir / ".octavo" / (name + ".jsonl")),
      header_(Header()) {
  ReadJournal();
  RefuseToReplaceTheInput();
  if (!options_.force && !is_own_) RefuseForeignResults();
  if (!is_done_) BeginJournal();
}

ResultFiles::~ResultFiles() = default;

std::string ResultFiles::Header() const {
  const Json header = {{"octavo", 1},
                       {"input", input_.source},
                       {"bytes", input_.bytes},
                       {"time", input_.time},
                       {"settings", options_.settings}};
  return header.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void ResultFiles::ReadJournal() {
  std::error_code ignored;
  if (!fs::exists(journal_path_, ignored)) return;
  const std::string where = journal_path_.string();
  const std::vector<std::string> lines = CompleteLines(ReadFile(journal_path_, kMaxJournalBytes));
  if (lines.empty()) return;
  const bool is_finished = lines.back() == kDoneLine;
  try {
    const Json header = ParseJson(lines.front(), where);
    if (!header.is_object() || !header.contains("input") || !header["input"].is_string()) return;
    is_own_ = header["input"] == Json::parse(header_)["input"];
  } catch (const Error&) {
    return;  // a damaged journal is as good as none
  }
  is_foreign_done_ = !is_own_ && is_finished;
  is_foreign_begun_ = !is_own_ && !is_finished && lines.size() > 1;
  if (options_.force || lines.front() != header_) return;
  if (is_finished) {
    is_done_ = std::all_of(
        options_.formats.begin(), options_.formats.end(),
        [&](const std::string& format) { return fs::exists(OutputPath(format), ignored); });
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

// --force allows to replace results, not what they are made from.
void ResultFiles::RefuseToReplaceTheInput() const {
  for (const std::string& format : options_.formats) {
    std::error_code ignored;
    const fs::path path = OutputPath(format);
    if (!fs::equivalent(path, input_.source, ignored)) continue;
    throw Error(ErrorCode::kInvalidArgument,
                StrCat(PrintableName(path.string()),
                       " is the input itself; choose another folder with -o"));
  }
}

void ResultFiles::RefuseForeignResults() const {
  const auto refuse = [&](const fs::path& path, const char* what) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat(PrintableName(path.string()), what, input_.shown,
                       "; choose another folder with -o, or replace it with --force"));
  };
  if (is_foreign_begun_) refuse(journal_path_, " holds pages of another input than ");
  std::error_code ignored;
  // The journal of another input's results goes for all of them, whatever is to be written now.
  for (const std::string& format : is_foreign_done_
                                       ? std::vector<std::string>(kFormats.begin(), kFormats.end())
                                       : options_.formats) {
    const fs::path path = OutputPath(format);
    if (fs::exists(path, ignored)) refuse(path, " exists and is no result of ");
  }
}

// Begins with what an earlier run left, without a last line that was cut off: what is appended
// would land behind it, on the same line.
void ResultFiles::BeginJournal() {
  CreateFolder(journal_path_.parent_path());
  std::string bytes = header_ + "\n";
  for (const auto& [index, page] : pages_) bytes += PageToJsonLine(page) + "\n";
  WriteFileAtomically(journal_path_, bytes);
  journal_ = std::make_unique<AppendedFile>(journal_path_);
}

fs::path ResultFiles::OutputPath(const std::string& format) const {
  return options_.output_dir / (name_ + (format == "md" ? ".md" : "_" + format + ".json"));
}

fs::path ResultFiles::ResultPath() const { return OutputPath(options_.formats.front()); }

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
  journal_->Append(PageToJsonLine(page) + "\n");
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
    if (format == "middle") bytes = ToMiddleJson(pages);
    if (format == "content_list_v2") bytes = ToContentListV2Json(pages, ImagePrefix());
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
