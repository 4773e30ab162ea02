#include "cli/result_files.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/hash.h"
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
// Lines of the journal that hold no page begin so.
constexpr std::string_view kDone = "{\"done\":";
constexpr std::string_view kWritten = "{\"written\":";

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

bool IsPageLine(std::string_view line) {
  return !line.starts_with(kDone) && !line.starts_with(kWritten);
}

// Lines of a journal that end in a line feed; a last line without one was cut off.
std::vector<std::string_view> CompleteLines(std::string_view text) {
  std::vector<std::string_view> lines;
  size_t begin = 0;
  for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', begin)) {
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// What tells the bytes of an output from others: their number and hash.
std::string StampText(uint64_t num_bytes, uint64_t hash) {
  char stamp[48];
  std::snprintf(stamp, sizeof stamp, "%llu:%016llx", static_cast<unsigned long long>(num_bytes),
                static_cast<unsigned long long>(hash));
  return stamp;
}

std::string StampOfOutputBytes(std::string_view bytes) {
  return StampText(bytes.size(), Fnv1a64(bytes));
}

// JSON holds no names that are not UTF-8: their bytes are spelt out, so that two names never become
// one. No path and no settings begin so.
std::string JsonIdentity(const std::string& name) {
  if (IsValidUtf8(name)) return name;
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string spelt = "bytes:";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && c != '%') {
      spelt += c;
    } else {
      spelt += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return spelt;
}

}  // namespace

InputStamp StampOfFile(const fs::path& path) {
  std::error_code error;
  InputStamp stamp;
  stamp.shown = PrintableName(path.string());
  const auto absolute = fs::absolute(path, error);
  const bool is_file = !error && fs::is_regular_file(path, error);
  if (is_file) stamp.bytes = fs::file_size(path, error);
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
  RefuseImpossibleNames();
  fs::path lock_path = journal_path_;
  if (!lock_.Acquire(lock_path.replace_extension(".lock"))) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat(PrintableName(ResultPath().string()),
                       " is being written by another run; wait for its end, or choose another "
                       "folder with -o"));
  }
  ReadJournal();
  RefuseToReplaceTheInput();
  if (is_done_) {
    kept_lines_.clear();
    lock_.Release();
    return;
  }
  if (!options_.force) RefuseForeignResults();
  BeginJournal();
}

ResultFiles::~ResultFiles() = default;

std::string ResultFiles::Header() const {
  const Json header = {{"octavo", 1},
                       {"input", JsonIdentity(input_.source)},
                       {"bytes", input_.bytes},
                       {"time", input_.time},
                       {"settings", JsonIdentity(options_.settings)}};
  return header.dump();
}

// Of what stands under the name of an output; "" where there is nothing.
std::string ResultFiles::StampOfOutput(const std::string& format) const {
  const fs::path path = OutputPath(format);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return "";
  try {
    uint64_t num_bytes = 0;
    uint64_t hash = kFnvBasis;
    ReadFileInPieces(path, [&](std::string_view piece) {
      num_bytes += piece.size();
      hash = Fnv1a64(piece, hash);
    });
    return StampText(num_bytes, hash);
  } catch (const Error&) {
    return "unreadable";
  }
}

bool ResultFiles::HasPicturesOf(const Page& page) const {
  return std::all_of(page.blocks.begin(), page.blocks.end(), [&](const ContentBlock& block) {
    std::error_code ignored;
    const fs::path path = options_.output_dir / "images" / block.img_path;
    return block.img_path.empty() ||
           (fs::is_regular_file(path, ignored) && fs::file_size(path, ignored) > 0);
  });
}

void ResultFiles::ReadJournal() {
  std::error_code ignored;
  if (!fs::exists(journal_path_, ignored)) return;
  const std::string text = ReadFile(journal_path_, kMaxJournalBytes);
  const std::vector<std::string_view> lines = CompleteLines(text);
  if (lines.empty()) return;
  const bool is_finished = lines.back().starts_with(kDone);
  try {
    const Json header = ParseJson(lines.front(), journal_path_.string());
    if (!header.is_object() || !header.contains("input") || !header["input"].is_string()) return;
    is_own_ = header["input"] == Json::parse(header_)["input"];
  } catch (const Error&) {
    return;  // a damaged journal is as good as none
  }
  is_foreign_done_ = !is_own_ && is_finished;
  is_foreign_begun_ = !is_own_ && !is_finished && lines.size() > 1;
  if (is_own_) ReadOwnJournal(lines);
}

// One line behind the header; a page is kept if this run goes on. False for what is damaged and for
// a page whose pictures are gone: that page is read again.
bool ResultFiles::TakeLine(std::string_view line, bool goes_on) {
  const std::string where = journal_path_.string();
  try {
    if (!IsPageLine(line)) {
      const Json json = ParseJson(line, where);
      const auto written = json.at("written").get<std::map<std::string, std::string>>();
      for (const auto& [format, stamp] : written) own_[format].insert(stamp);
      if (goes_on && line.starts_with(kDone)) current_ = written;
      return true;
    }
    if (!goes_on) return true;
    const Page page = PageFromJsonLine(line, where);
    if (!HasPicturesOf(page)) return false;
    kept_lines_.insert_or_assign(page.index, line);
    page_indices_.insert(page.index);
    return true;
  } catch (const Error&) {
    return false;
  } catch (const Json::exception&) {
    return false;
  }
}

// The journal may be of other settings, or of another state of the input: then it only tells which
// files are octavo's.
void ResultFiles::ReadOwnJournal(const std::vector<std::string_view>& lines) {
  const bool goes_on = !options_.force && lines.front() == header_;
  bool has_all_pages = true;
  for (size_t i = 1; i < lines.size(); ++i) {
    if (!TakeLine(lines[i], goes_on)) has_all_pages = false;
  }
  is_done_ =
      has_all_pages && lines.back().starts_with(kDone) &&
      std::all_of(options_.formats.begin(), options_.formats.end(), [&](const std::string& format) {
        const auto found = current_.find(format);
        return found != current_.end() && found->second == StampOfOutput(format);
      });
}

// What this input alone cannot be written for, so that the others go on: names that are too long
// for the file system, folders where files are to be and files where folders are.
void ResultFiles::RefuseImpossibleNames() const {
  std::vector<fs::path> paths = {journal_path_};
  for (const std::string& format : options_.formats) paths.push_back(OutputPath(format));
  for (const fs::path& path : paths) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    const auto refuse = [&](const fs::path& which, const char* what) {
      throw Error(ErrorCode::kInvalidArgument, StrCat(PrintableName(which.string(), 400), what));
    };
    if (error == std::errc::filename_too_long) {
      refuse(path, ": the name is too long for this file system; rename the input");
    }
    if (status.type() == fs::file_type::directory) {
      refuse(path, ": a folder stands where the result is to be");
    }
    // A file further up is one in the way of all results.
    if (path.parent_path() != options_.output_dir && error == std::errc::not_a_directory &&
        fs::is_directory(options_.output_dir)) {
      refuse(path.parent_path(), ": a file stands where a folder of results is to be");
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
    if (!fs::exists(path, ignored)) continue;
    const auto own = own_.find(format);
    if (own == own_.end()) refuse(path, " exists and is no result of ");
    const std::string stamp = StampOfOutput(format);
    // Nothing is lost with an empty file.
    if (stamp == StampOfOutputBytes("") || own->second.count(stamp) > 0) continue;
    refuse(path, " was changed since octavo wrote it from ");
  }
}

// Begins with what an earlier run left, without a last line that was cut off: what is appended
// would land behind it, on the same line.
void ResultFiles::BeginJournal() {
  CreateFolder(journal_path_.parent_path());
  std::string bytes = header_ + "\n";
  // Of the stamps only those that can still be met.
  Json written = Json::object();
  for (const auto& [format, stamps] : own_) {
    const std::string stamp = StampOfOutput(format);
    if (stamps.count(stamp) > 0) {
      written[format] = stamp;
    } else if (!stamps.empty()) {
      written[format] = *stamps.begin();
    }
  }
  if (!written.empty()) bytes += Json{{"written", written}}.dump() + "\n";
  for (const auto& [index, line] : std::exchange(kept_lines_, {})) bytes += line + "\n";
  WriteFileAtomically(journal_path_, bytes);
  journal_ = std::make_unique<AppendedFile>(journal_path_);
  is_foreign_begun_ = is_foreign_done_ = false;
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
  page_indices_.insert(page.index);
}

std::vector<Page> ResultFiles::ReadPages() const {
  std::map<int, Page> pages;  // of a page that was read twice, the later one
  const std::string text = ReadFile(journal_path_, kMaxJournalBytes);
  const std::vector<std::string_view> lines = CompleteLines(text);
  for (size_t i = 1; i < lines.size(); ++i) {
    if (!IsPageLine(lines[i])) continue;
    Page page = PageFromJsonLine(lines[i], journal_path_.string());
    const int index = page.index;
    pages.insert_or_assign(index, std::move(page));
  }
  std::vector<Page> in_order;
  in_order.reserve(pages.size());
  for (auto& [index, page] : pages) in_order.push_back(std::move(page));
  return in_order;
}

void ResultFiles::Finish(bool is_complete) {
  const std::vector<Page> pages = ReadPages();
  // What came to stand there while the pages were read.
  if (!options_.force) RefuseForeignResults();
  CreateFolder(OutputPath("md").parent_path());
  for (const std::string& format : options_.formats) {
    std::string bytes;
    if (format == "md") bytes = ToMarkdown(pages, ImagePrefix());
    if (format == "middle") bytes = ToMiddleJson(pages);
    if (format == "content_list_v2") bytes = ToContentListV2Json(pages, ImagePrefix());
    if (format == "content_list") bytes = ToContentListJson(pages, ImagePrefix());
    if (format == "model") bytes = ToModelJson(pages);
    // First the stamp: a run that is killed in between must know its file again.
    const std::string stamp = StampOfOutputBytes(bytes);
    journal_->Append(Json{{"written", {{format, stamp}}}}.dump() + "\n");
    WriteFileAtomically(OutputPath(format), bytes);
    own_[format].insert(stamp);
    current_[format] = stamp;
  }
  if (!is_complete) return;
  journal_->Append(Json{{"done", true}, {"written", current_}}.dump() + "\n");
  journal_.reset();
  lock_.Release();
  is_done_ = true;
}

}  // namespace octavo
