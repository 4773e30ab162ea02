#include "cli/progress.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/memory_info.h"
#include "base/str_cat.h"
#include "base/utf8.h"

namespace octavo {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxLineBytes = 8192;

std::string Format(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

double ToMegabytes(int64_t bytes) { return static_cast<double>(bytes) / 1e6; }

std::string Count(int64_t number, const char* one, const char* many) {
  return StrCat(number, " ", number == 1 ? one : many);
}

void WriteEvent(std::FILE* stream, const Json& event) {
  if (stream == nullptr) return;
  const std::string line = event.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  const bool is_written =
      std::fwrite(line.data(), 1, line.size(), stream) == line.size() && std::fflush(stream) == 0;
  if (!is_written) throw Error(ErrorCode::kIo, "stdout cannot be written");
}

// JSON holds no names that are not UTF-8; with their bytes spelt out they stay different.
std::string EventName(const std::string& name) {
  return IsValidUtf8(name) ? name : PrintableName(name, kMaxLineBytes);
}

// A message without what the line has already: the input's name, then the page's.
std::string Without(const std::string& name, const std::string& message) {
  const std::string prefix = name + ": ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

// Of the model, not of a document: told once in a run.
bool IsAboutTheModel(const std::string& warning) {
  return warning.starts_with("layout: whitespace: the model was not trained");
}

}  // namespace

std::string DurationText(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(std::max(0.0, seconds)));
  char text[64];
  if (whole < 60) {
    std::snprintf(text, sizeof text, "%lld s", static_cast<long long>(whole));
  } else if (whole < 3600) {
    std::snprintf(text, sizeof text, "%lld:%02lld", static_cast<long long>(whole / 60),
                  static_cast<long long>(whole % 60));
  } else {
    std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", static_cast<long long>(whole / 3600),
                  static_cast<long long>(whole / 60 % 60), static_cast<long long>(whole % 60));
  }
  return text;
}

Progress::Progress(Streams streams, size_t num_documents)
    : streams_(std::move(streams)), num_documents_(num_documents), start_(streams_.now()) {}

Progress::~Progress() { EraseBar(); }

double Progress::SecondsSinceStart() const {
  return std::chrono::duration<double>(streams_.now() - start_).count();
}

// From the pace of the pages so far; documents not yet opened are taken to be as long as the
// others.
double Progress::SecondsLeft() const {
  if (num_pages_done_ == 0) return -1;
  const double pages_left = num_pages_ - num_pages_current_;
  const double documents_left = static_cast<double>(num_documents_ - num_documents_done_) - 1;
  const double pages_each = static_cast<double>(num_pages_started_) /
                            static_cast<double>(std::max<size_t>(1, num_documents_started_));
  return (pages_left + std::max(0.0, documents_left) * pages_each) * SecondsSinceStart() /
         num_pages_done_;
}

void Progress::StartDocument(const std::string& name, int num_pages, int num_kept) {
  name_ = name;
  num_pages_ = num_pages;
  num_pages_current_ = num_kept;
  std::erase_if(num_pages_warned_, [](const auto& entry) { return !IsAboutTheModel(entry.first); });
  num_pages_started_ += num_pages;
  ++num_documents_started_;
  WriteEvent(streams_.events, {{"event", "document"},
                               {"input", EventName(name)},
                               {"pages", num_pages},
                               {"pages_kept", num_kept}});
  if (num_kept > 0) {
    Say(StrCat(PrintableName(name), ": going on after ", Count(num_kept, "page", "pages"),
               " of an earlier run"));
  }
  DrawBar();
}

void Progress::FinishPage(const Page& page) {
  ++num_pages_current_;
  ++num_pages_done_;
  timings_.render_seconds += page.timings.render_seconds;
  timings_.layout_seconds += page.timings.layout_seconds;
  timings_.recognize_seconds += page.timings.recognize_seconds;
  timings_.total_seconds += page.timings.total_seconds;
  timings_.encode_seconds += page.timings.encode_seconds;
  timings_.prefill_seconds += page.timings.prefill_seconds;
  timings_.decode_seconds += page.timings.decode_seconds;
  Json event = {{"event", "page"},
                {"input", EventName(name_)},
                {"page", page.index + 1},
                {"seconds", page.timings.total_seconds},
                {"blocks", page.blocks.size()},
                {"warnings", page.warnings}};
  if (page.error_code) {
    event["error"] = page.error;
  } else {
    event["layout"] = page.layout == LayoutSource::kModel ? "model" : "whitespace";
  }
  WriteEvent(streams_.events, event);
  const std::string where = StrCat(PrintableName(name_), ": page ", page.index + 1);
  for (const std::string& warning : page.warnings) {
    if (++num_pages_warned_[warning] == 1) Say(StrCat(where, ": ", warning));
  }
  if (page.error_code) {
    ++num_pages_failed_;
    Say(StrCat(where,
               " failed: ", Without(StrCat("page ", page.index + 1), Without(name_, page.error))));
  } else if (!streams_.is_terminal) {
    Say(StrCat(where, " (", num_pages_current_, " of ", num_pages_, "), ",
               Format("%.1f s", page.timings.total_seconds)));
  }
  DrawBar();
}

void Progress::FinishDocument(const std::string& result) {
  ++num_documents_done_;
  WriteEvent(streams_.events,
             {{"event", "done"}, {"input", EventName(name_)}, {"result", EventName(result)}});
  for (const auto& [warning, num_pages] : num_pages_warned_) {
    if (num_pages == 1 || IsAboutTheModel(warning)) continue;
    Say(StrCat(PrintableName(name_), ": on ", num_pages, " pages: ", warning));
  }
  if (result == "-") return;
  Say(StrCat(PrintableName(name_), " -> ", PrintableName(result)));
}

void Progress::GiveUpDocument(const Error& first_error) { WriteFailure(name_, first_error); }

void Progress::SkipDocument(const std::string& name, const std::string& result) {
  ++num_documents_done_;
  ++num_documents_skipped_;
  WriteEvent(streams_.events,
             {{"event", "unchanged"}, {"input", EventName(name)}, {"result", EventName(result)}});
  Say(StrCat(PrintableName(name), ": unchanged since ", PrintableName(result),
             " was written; --force reads it again"));
}

void Progress::FailDocument(const std::string& name, const Error& error) {
  WriteFailure(name, error);
  Say(StrCat("octavo: ", ErrorCodeName(error.code()), ": ", error.what()));
}

void Progress::Note(const std::string& line) { Say(line); }

void Progress::WriteFailure(const std::string& name, const Error& error) {
  ++num_documents_done_;
  ++num_documents_failed_;
  WriteEvent(streams_.events, {{"event", "failed"},
                               {"input", EventName(name)},
                               {"code", ErrorCodeName(error.code())},
                               {"error", error.what()}});
}

void Progress::Finish(bool timings) {
  EraseBar();
  const double seconds = SecondsSinceStart();
  std::string line = StrCat(Count(num_pages_done_, "page", "pages"), " of ",
                            Count(static_cast<int64_t>(num_documents_), "document", "documents"),
                            " in ", DurationText(seconds));
  if (num_pages_done_ > 0 && seconds > 0) {
    line += Format(" (%.1f pages/min)", 60.0 * num_pages_done_ / seconds);
  }
  if (num_documents_skipped_ > 0) line += StrCat(", ", num_documents_skipped_, " unchanged");
  if (num_documents_failed_ > 0) line += StrCat(", ", num_documents_failed_, " failed");
  if (num_pages_failed_ > 0) {
    line += StrCat(", ", Count(num_pages_failed_, "page", "pages"), " failed");
  }
  const size_t num_unread = num_documents_ - num_documents_done_;
  if (num_unread > 0) line += StrCat(", ", num_unread, " not finished");
  line += Format(", at most %.0f MB of memory", ToMegabytes(PeakResidentBytes()));
  Say(line);
  if (timings) {
    Say(StrCat("seconds by stage, pages overlap: render ", Format("%.2f", timings_.render_seconds),
               ", layout ", Format("%.2f", timings_.layout_seconds), ", recognise ",
               Format("%.2f", timings_.recognize_seconds), " (sums of requests that run together: ",
               "encode ", Format("%.2f", timings_.encode_seconds), ", prefill ",
               Format("%.2f", timings_.prefill_seconds), ", decode ",
               Format("%.2f", timings_.decode_seconds), "), pages in all ",
               Format("%.2f", timings_.total_seconds)));
  }
  WriteEvent(streams_.events, {{"event", "end"},
                               {"documents", num_documents_},
                               {"documents_failed", num_documents_failed_},
                               {"documents_unchanged", num_documents_skipped_},
                               {"documents_unfinished", num_unread},
                               {"pages", num_pages_done_},
                               {"pages_failed", num_pages_failed_},
                               {"seconds", seconds},
                               {"render_seconds", timings_.render_seconds},
                               {"layout_seconds", timings_.layout_seconds},
                               {"recognize_seconds", timings_.recognize_seconds},
                               {"encode_seconds", timings_.encode_seconds},
                               {"prefill_seconds", timings_.prefill_seconds},
                               {"decode_seconds", timings_.decode_seconds},
                               {"peak_rss_mb", ToMegabytes(PeakResidentBytes())}});
}

void Progress::Say(const std::string& line) {
  EraseBar();
  // Messages hold names of files as they are.
  std::fprintf(streams_.talk, "%s\n", PrintableName(line, kMaxLineBytes).c_str());
  std::fflush(streams_.talk);
}

void Progress::EraseBar() {
  if (!has_bar_) return;
  std::fputs("\r\x1b[K", streams_.talk);
  std::fflush(streams_.talk);
  has_bar_ = false;
}

void Progress::DrawBar() {
  if (!streams_.is_terminal) return;
  std::string tail = StrCat(" ", num_pages_current_, "/", num_pages_, " pages");
  if (num_documents_ > 1) {
    tail += StrCat(", document ", num_documents_done_ + 1, "/", num_documents_);
  }
  if (num_pages_done_ > 0) {
    tail += Format(", %.1f pages/min", 60.0 * num_pages_done_ / SecondsSinceStart());
    tail += StrCat(", ", DurationText(SecondsLeft()), " left");
  }
  tail += Format(", %.0f MB", ToMegabytes(ResidentBytes()));
  const int room = std::clamp(streams_.width - static_cast<int>(tail.size()) - 3, 0, 40);
  const int filled = num_pages_ > 0 ? room * num_pages_current_ / num_pages_ : 0;
  const std::string bar = room > 4
                              ? StrCat("[", std::string(static_cast<size_t>(filled), '#'),
                                       std::string(static_cast<size_t>(room - filled), '.'), "]")
                              : "";
  std::fprintf(
      streams_.talk, "\r\x1b[K%s",
      (bar + tail).substr(0, static_cast<size_t>(std::max(1, streams_.width - 1))).c_str());
  std::fflush(streams_.talk);
  has_bar_ = true;
}

}  // namespace octavo
