#include "cli/model_output.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/str_cat.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "formats/gguf.h"
#include "octavo/error.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

constexpr double kMega = 1e6;
constexpr double kSecondsBetweenLines = 10;

std::string Name(const fs::path& path) { return PrintableName(path.native(), 400); }

const char* PartName(std::string_view name) {
  switch (PartOfTensor(name)) {
    case ModelPart::kVision:
      return "vision tower";
    case ModelPart::kHead:
      return "embeddings";
    case ModelPart::kLanguage:
      break;
  }
  return "language model";
}

// Creates the file's folder. Throws if the file may not be written there.
void PrepareFolder(const fs::path& file, const fs::path& source, bool force) {
  std::error_code ignored;
  const fs::path folder = FolderOf(file);
  if (fs::equivalent(folder, source, ignored)) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat(Name(folder), ": is the model's own folder; give --output another place"));
  }
  if (fs::exists(file, ignored) && !force) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat(Name(file), ": exists and is not overwritten without --force"));
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw Error(ErrorCode::kIo,
                StrCat(Name(folder), ": cannot create the folder: ", error.message()));
  }
}

// Two models in one folder: only one of them would ever be opened.
void RefuseOtherModel(const fs::path& folder, const std::vector<std::string>& files) {
  std::error_code ignored;
  for (fs::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
    if (ignored) return;
    const fs::path& path = entry->path();
    const bool has_weights = path.extension() == ".gguf" || path.extension() == ".safetensors";
    if (!has_weights || std::count(files.begin(), files.end(), path.filename()) > 0) continue;
    throw Error(ErrorCode::kInvalidArgument,
                StrCat(Name(path), ": of another model; give --output another place"));
  }
}

}  // namespace

fs::path ModelOutputFile(const std::string& output, const fs::path& source, bool force) {
  const fs::path wish(output);
  const bool is_file = wish.extension() == ".octavo";
  fs::path file = is_file ? wish : wish / "model.octavo";
  PrepareFolder(file, source, force);
  return file;
}

fs::path FolderOutputFile(const std::string& output, const fs::path& source,
                          const std::vector<std::string>& files, bool force) {
  // A GGUF model is two files of one folder.
  fs::path own = source;
  if (IsGgufFile(source)) own = FolderOf(source);
  fs::path last;
  for (const std::string& file : files) {
    last = fs::path(output) / file;
    PrepareFolder(last, own, force);
  }
  RefuseOtherModel(output, files);
  return last;
}

WorkTeller::WorkTeller(const char* verb) : verb_(verb), is_terminal_(IsTerminal(stderr)) {}

WorkTeller::~WorkTeller() {
  if (is_terminal_ && has_told_) std::fputs("\r\x1B[K", stderr);
}

void WorkTeller::Tell(const std::string& name, double share) {
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (!is_terminal_ && seconds - last_told_ < kSecondsBetweenLines) return;
  last_told_ = seconds;
  has_told_ = true;
  const std::string left = TimeLeft(share, seconds);
  std::fprintf(stderr, "%s%s: %3.0f %%%s%s  %s%s", is_terminal_ ? "\r\x1B[K" : "", verb_,
               100 * share, left.empty() ? "" : ", ", left.c_str(), PrintableName(name).c_str(),
               is_terminal_ ? "" : "\n");
  std::fflush(stderr);
}

std::string TimeLeft(double share, double seconds) {
  // Neither a first guess from nothing nor one about the past.
  if (share < 0.01 || share >= 1 || seconds < 1) return "";
  const double left = seconds / share * (1 - share);
  if (left < 90) return StrCat("about ", std::lround(std::ceil(left)), " s left");
  return StrCat("about ", std::lround(left / 60), " min left");
}

WrittenModel WriteWithProgress(const WriteWork& write, const fs::path& path, int num_threads,
                               const char* verb) {
  std::atomic<bool> is_interrupted{false};
  const InterruptWatcher watcher([&] { is_interrupted = true; });
  ThreadPool pool(num_threads > 0 ? num_threads : DefaultThreadCount());
  WorkTeller teller(verb);
  return write(&pool, [&](const std::string& name, double share) {
    if (is_interrupted) {
      throw Error(ErrorCode::kCancelled, StrCat(Name(path), ": interrupted, nothing is written"));
    }
    teller.Tell(name, share);
  });
}

WrittenModel WriteModelWithProgress(const Checkpoint& checkpoint, const ExportOptions& options,
                                    const Adjustments& adjustments, const fs::path& path,
                                    int num_threads, const char* verb) {
  return WriteWithProgress(
      [&](ThreadPool* pool, const WriteProgress& progress) {
        return WriteModel(checkpoint, options, adjustments, path, pool, progress);
      },
      path, num_threads, verb);
}

void RemoveLeftovers(const fs::path& path) noexcept {
  std::error_code ignored;
  const fs::path folder = FolderOf(path);
  const std::string begin = path.filename().string() + ".";
  for (fs::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
    if (ignored) return;
    const std::string name = entry->path().filename().string();
    if (name.starts_with(begin) && name.ends_with(".tmp")) fs::remove(entry->path(), ignored);
  }
}

void PrintWrittenModel(const WrittenModel& model, const fs::path& path) {
  struct Sum {
    int tensors = 0;
    uint64_t bytes = 0;
    double squares = 0;
    double weight_squares = 0;
  };
  std::map<std::pair<std::string, std::string>, Sum> sums;
  for (const WrittenTensor& tensor : model.tensors) {
    Sum& sum = sums[{PartName(tensor.name), tensor.to}];
    ++sum.tensors;
    sum.bytes += tensor.bytes;
    if (!tensor.rounding) continue;
    sum.squares += tensor.rounding->squares;
    sum.weight_squares += tensor.rounding->weight_squares;
  }
  std::printf("%s  %.1f MB, the model before %.1f MB\n", Name(path).c_str(),
              static_cast<double>(model.file_bytes) / kMega,
              static_cast<double>(model.source_bytes) / kMega);
  for (const auto& [key, sum] : sums) {
    std::printf("  %-14s %-11s %5d tensors %10.1f MB", key.first.c_str(), key.second.c_str(),
                sum.tensors, static_cast<double>(sum.bytes) / kMega);
    if (sum.weight_squares > 0) {
      std::printf("   rounding error %.2f %%", 100 * std::sqrt(sum.squares / sum.weight_squares));
    }
    std::printf("\n");
  }
  for (const WrittenTensor& tensor : model.tensors) {
    if (tensor.note.empty()) continue;
    std::printf("  kept as it is: %s, %s\n", tensor.name.c_str(), tensor.note.c_str());
  }
}

}  // namespace octavo
