// The results of one input on disk: a journal while it is read, the outputs when it is done.
//
// OUT/.octavo/NAME.jsonl is the journal: a header (which input, which settings), a line for each
// page that was read, size and hash of each output before it is written, and at the end a line that
// says which outputs the pages were made into. Each line is on disk before the next page is taken.
// A run that was stopped goes on from it; a run that was finished is not repeated, nor is it read
// again for another format; and it tells octavo's own results from others' files and from edited
// ones.
#ifndef OCTAVO_CLI_RESULT_FILES_H_
#define OCTAVO_CLI_RESULT_FILES_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/file_lock.h"
#include "octavo/document.h"

namespace octavo {

struct ResultOptions {
  std::filesystem::path output_dir;
  std::vector<std::string>
      formats;           // of "md", "content_list", "content_list_v2", "middle", "model"
  std::string settings;  // what else decides about the results, in any form
  bool force = false;
};

// Which input, and which state of it.
struct InputStamp {
  std::string source;  // what tells inputs apart: the absolute path, or the bytes' own number
  uint64_t bytes = 0;
  int64_t time = 0;   // of the last change; 0: none
  std::string shown;  // in messages
};

// Of a file or what else has the name; of bytes without a file. Throws kNotFound, kIo.
InputStamp StampOfFile(const std::filesystem::path& path);
InputStamp StampOfBytes(std::string_view bytes, const std::string& shown);

class ResultFiles {
 public:
  // Opens the journal of an input and keeps other runs from its results until it is destroyed or
  // finished. Throws kInvalidArgument for what concerns this input alone (an output or a begun
  // journal stands in the way that is not octavo's result of this input, or was changed since;
  // another run is at it; a name that is too long or taken by a folder), kIo.
  ResultFiles(InputStamp input, const std::string& name, const ResultOptions& options);
  ~ResultFiles();

  // True if the same input was read with the same settings and all outputs stand as they were
  // written.
  bool is_done() const { return is_done_; }

  // Indices of the pages that stand in the journal, of earlier runs and this one; without those
  // whose pictures are gone. The pages themselves stay on disk, so that a long document takes no
  // more memory than a short one while it is read.
  const std::set<int>& page_indices() const { return page_indices_; }

  // The pages of the journal, in order. Throws kNotFound, kIo, kDataLoss if it was taken away or
  // changed meanwhile; kResourceExhausted if it is larger than 2 GiB.
  std::vector<Page> ReadPages() const;

  // Writes the page's pictures, then its line of the journal. All is on disk when it returns.
  // Throws kIo.
  void Append(Page page);

  // Writes the outputs, each in one step, and marks the journal as finished unless pages are
  // missing. Throws kInvalidArgument (something came to stand in the way since), kIo, and what
  // ReadPages throws.
  void Finish(bool is_complete);

  // The first of the outputs, in the order in which formats were named.
  std::filesystem::path ResultPath() const;

 private:
  std::filesystem::path OutputPath(const std::string& format) const;
  std::string ImagePrefix() const;
  std::string Header() const;
  std::string StampOfOutput(const std::string& format) const;
  bool HasPicturesOf(const Page& page) const;
  void ReadJournal();
  bool TakeLine(std::string_view line, bool goes_on);
  void ReadOwnJournal(const std::vector<std::string_view>& lines);
  void RefuseImpossibleNames() const;
  void RefuseToReplaceTheInput() const;
  void RefuseForeignResults() const;
  void BeginJournal();

  InputStamp input_;
  std::string name_;
  ResultOptions options_;
  std::filesystem::path journal_path_;
  std::string header_;
  std::set<int> page_indices_;
  // Lines of pages that an earlier run left, until they stand in this run's journal.
  std::map<int, std::string> kept_lines_;
  bool is_done_ = false;
  // By format: stamps of what octavo wrote under that name, with whatever settings.
  std::map<std::string, std::set<std::string>> own_;
  // By format: stamp of what was made from all pages with these settings.
  std::map<std::string, std::string> current_;
  // What stood in the folder: results of this input, the begun or finished ones of another.
  bool is_own_ = false;
  bool is_foreign_begun_ = false;
  bool is_foreign_done_ = false;
  FileLock lock_;
  std::unique_ptr<AppendedFile> journal_;
};

}  // namespace octavo

#endif  // OCTAVO_CLI_RESULT_FILES_H_
