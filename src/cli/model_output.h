// What convert and quantize share: where the new model goes, and how far the writing is.
#ifndef OCTAVO_CLI_MODEL_OUTPUT_H_
#define OCTAVO_CLI_MODEL_OUTPUT_H_

#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>

#include "quantize/write_model.h"

namespace octavo {

// The file that `output` means: itself if its name ends in .octavo, else model.octavo in a folder
// of that name, which is created. Throws kInvalidArgument (the file is there and `force` is not
// said; the folder is the source's own), kIo.
std::filesystem::path ModelOutputFile(const std::string& output,
                                      const std::filesystem::path& source, bool force);

// "about 4 min left"; "" while nobody can know.
std::string TimeLeft(double share, double seconds);

// Writes the model, telling progress on stderr: one line that renews itself on a terminal, else a
// line every ten seconds. The first Ctrl-C ends it after the tensor under way and leaves nothing
// behind. Throws as WriteModel does; kCancelled.
WrittenModel WriteModelWithProgress(const Checkpoint& checkpoint, const ExportOptions& options,
                                    const std::filesystem::path& path, int num_threads,
                                    const char* verb);

// Prints what became of the model: a line for each part and form, one for each matrix that was to
// be quantised and is not.
void PrintWrittenModel(const WrittenModel& model, const std::filesystem::path& path);

}  // namespace octavo

#endif  // OCTAVO_CLI_MODEL_OUTPUT_H_
