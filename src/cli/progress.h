// What a run tells about itself: a bar on a terminal, plain lines elsewhere, or JSON events.
#ifndef OCTAVO_CLI_PROGRESS_H_
#define OCTAVO_CLI_PROGRESS_H_

#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <string>

#include "octavo/document.h"

namespace octavo {

// One thread. What writes an event throws kIo where it cannot be written.
class Progress {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  struct Streams {
    std::FILE* talk = stderr;     // lines and the bar
    std::FILE* events = nullptr;  // JSON lines; null: none
    bool is_terminal = false;     // of talk
    int width = 80;               // of the terminal
    Clock now = std::chrono::steady_clock::now;
  };

  Progress(Streams streams, size_t num_documents);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // num_kept: pages that an earlier run has read.
  void StartDocument(const std::string& name, int num_pages, int num_kept);
  void FinishPage(const Page& page);
  // The document at hand is done. `result`: where it was written; "-": stdout, of which nothing is
  // said.
  void FinishDocument(const std::string& result);
  // None of the pages of the document at hand could be read, which each of them has said.
  void GiveUpDocument(const Error& first_error);
  // A document that was not started.
  void SkipDocument(const std::string& name, const std::string& result);
  void FailDocument(const std::string& name, const Error& error);
  // A line about a document, for people only.
  void Note(const std::string& line);
  // The closing line, and seconds by stage with `timings`.
  void Finish(bool timings);

  // Takes the bar away, so that results can be written to the same terminal; the next page brings
  // it back.
  void EraseBar();

 private:
  void Say(const std::string& line);  // above the bar
  void DrawBar();
  void WriteFailure(const std::string& name, const Error& error);
  double SecondsSinceStart() const;
  double SecondsLeft() const;

  Streams streams_;
  size_t num_documents_;
  std::chrono::steady_clock::time_point start_;
  bool has_bar_ = false;
  // Of the document at hand; those about the model of all.
  std::map<std::string, int> num_pages_warned_;

  std::string name_;           // of the document at hand
  int num_pages_ = 0;          // of the document at hand
  int num_pages_current_ = 0;  // of these, done or kept

  size_t num_documents_done_ = 0;     // whatever became of them
  size_t num_documents_started_ = 0;  // with pages to read
  int num_documents_failed_ = 0;
  int num_documents_skipped_ = 0;
  int num_pages_started_ = 0;  // of these
  int num_pages_done_ = 0;     // in this run
  int num_pages_failed_ = 0;
  PageTimings timings_;
};

// "45 s", "3:07", "2:00:05".
std::string DurationText(double seconds);

}  // namespace octavo

#endif  // OCTAVO_CLI_PROGRESS_H_
