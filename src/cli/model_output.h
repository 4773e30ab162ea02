// What convert and quantize share: where the new model goes, and how far the writing is.
#ifndef OCTAVO_CLI_MODEL_OUTPUT_H_
#define OCTAVO_CLI_MODEL_OUTPUT_H_

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "quantize/write_model.h"

namespace octavo {

// The file that `output` means: itself if its name ends in .octavo, else model.octavo in a folder
// of that name, which is created. Throws kInvalidArgument (the file is there and `force` is not
// said; the folder is the source's own), kIo.
std::filesystem::path ModelOutputFile(const std::string& output,
                                      const std::filesystem::path& source, bool force);

// The last of several files that go into a folder called `output`, which is created; each of them
// counts as being there. Throws as above, and kInvalidArgument if the folder has weights of another
// model, which no `force` helps; a GGUF file's own folder is the one that it lies in.
std::filesystem::path FolderOutputFile(const std::string& output,
                                       const std::filesystem::path& source,
                                       const std::vector<std::string>& files, bool force);

// "about 4 min left"; "" while nobody can know.
std::string TimeLeft(double share, double seconds);

// Tells about one piece of work on stderr: one line that renews itself on a terminal, else a line
// every ten seconds. One thread.
class WorkTeller {
 public:
  explicit WorkTeller(const char* verb);
  ~WorkTeller();
  WorkTeller(const WorkTeller&) = delete;
  WorkTeller& operator=(const WorkTeller&) = delete;

  // What is under way, and how much of all is done.
  void Tell(const std::string& name, double share);

 private:
  const char* const verb_;
  const bool is_terminal_;
  bool has_told_ = false;
  double last_told_ = 0;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Removes the temporary files that killed writers of `path` left beside it.
// REQUIRES: nobody else is writing it.
void RemoveLeftovers(const std::filesystem::path& path) noexcept;

// Writes the model, telling progress. The first Ctrl-C ends it after the tensor under way and
// leaves nothing behind. Throws as WriteModel does; kCancelled.
WrittenModel WriteModelWithProgress(const Checkpoint& checkpoint, const ExportOptions& options,
                                    const Adjustments& adjustments,
                                    const std::filesystem::path& path, int num_threads,
                                    const char* verb);

// What WriteModelWithProgress does around the writing that `write` does.
using WriteWork = std::function<WrittenModel(ThreadPool*, const WriteProgress&)>;
WrittenModel WriteWithProgress(const WriteWork& write, const std::filesystem::path& path,
                               int num_threads, const char* verb);

// Prints what became of the model: a line for each part and form, one for each matrix that was to
// be quantised and is not.
void PrintWrittenModel(const WrittenModel& model, const std::filesystem::path& path);

}  // namespace octavo

#endif  // OCTAVO_CLI_MODEL_OUTPUT_H_
