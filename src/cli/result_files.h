// The results of one input on disk: a journal while it is read, the outputs when it is done.
//
// OUT/.octavo/NAME.jsonl is the journal: a header (which input, which settings), a line for each
// page that was read, and at the end a line that says so. A run that was stopped goes on from it; a
// run that was finished is not repeated; and it tells octavo's own results from others' files.
#ifndef OCTAVO_CLI_RESULT_FILES_H_
#define OCTAVO_CLI_RESULT_FILES_H_

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "octavo/document.h"

namespace octavo {

struct ResultOptions {
  std::filesystem::path output_dir;
  std::vector<std::string> formats;  // "md", "content_list", "model"
  std::string settings;              // what else decides about the results, in any form
  bool force = false;
};

class ResultFiles {
 public:
  // Opens the journal of an input. Throws kInvalidArgument (an output stands in the way that is not
  // octavo's result of this input), kNotFound, kIo.
  ResultFiles(const std::filesystem::path& input, const std::string& name,
              const ResultOptions& options);
  ~ResultFiles();

  // True if the same input was read with the same settings and all outputs stand.
  bool is_done() const { return is_done_; }

  // Pages that an earlier run read, by index.
  const std::map<int, Page>& pages() const { return pages_; }

  // Writes the page's pictures, then its line of the journal, and keeps it. Throws kIo.
  void Append(Page page);

  // Writes the outputs, each in one step, and marks the journal as finished unless pages are
  // missing. Throws kIo.
  void Finish(bool is_complete);

  std::filesystem::path MarkdownPath() const;

 private:
  struct Journal;

  std::filesystem::path OutputPath(const std::string& format) const;
  std::string ImagePrefix() const;
  std::string Header(const std::filesystem::path& input) const;
  void ReadJournal(const std::filesystem::path& input);
  void RefuseForeignOutputs(const std::filesystem::path& input) const;

  std::string name_;
  ResultOptions options_;
  std::filesystem::path journal_path_;
  std::string header_;
  std::map<int, Page> pages_;
  bool is_done_ = false;
  bool is_own_ = false;  // the outputs that stand are of this input
  std::unique_ptr<Journal> journal_;
};

}  // namespace octavo

#endif  // OCTAVO_CLI_RESULT_FILES_H_
