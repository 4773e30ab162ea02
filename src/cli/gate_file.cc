#include "cli/gate_file.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "base/xxh.h"
#include "cli/savings_flags.h"
#include "formats/checkpoint.h"
#include "formats/gguf.h"
#include "formats/gguf_checkpoint.h"
#include "octavo/error.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

constexpr char kGateName[] = "octavo-gate.json";

// Of each file so many pieces and more, evenly spread, the first and the last included, in large
// ones so close that no layer lies between two: weights of which some layers were trained further
// differ in some of them, and gigabytes are not read.
constexpr size_t kMinSamples = 16;
constexpr size_t kMaxSpacing = size_t{4} << 20;
constexpr size_t kSampleBytes = size_t{1} << 14;

void AddFile(const fs::path& path, std::string* content) {
  const MappedFile file = MappedFile::Open(path);
  const std::span<const std::byte> bytes = file.bytes();
  *content += StrCat(path.filename().string(), "\n", bytes.size(), "\n");
  const auto add = [&](size_t offset, size_t count) {
    const Xxh128Digest digest = Xxh128(bytes.subspan(offset, count), 0);
    *content += StrCat(digest.low, " ", digest.high, "\n");
  };
  const size_t num_samples = std::max(kMinSamples, bytes.size() / kMaxSpacing + 2);
  if (bytes.size() <= num_samples * kSampleBytes) {
    add(0, bytes.size());
    return;
  }
  for (size_t i = 0; i < num_samples; ++i) {
    add((bytes.size() - kSampleBytes) / (num_samples - 1) * i, kSampleBytes);
  }
  add(bytes.size() - kSampleBytes, kSampleBytes);
}

// Empty if none is known.
fs::path UserFolder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return fs::path(state) / "octavo" / "gates";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') {
    return fs::path(home) / ".local" / "state" / "octavo" / "gates";
  }
  return {};
}

fs::path PlaceBeside(const std::string& model) {
  std::error_code ignored;
  if (fs::is_directory(model, ignored)) return fs::path(model) / kGateName;
  return model + "." + kGateName;
}

// Nothing if there is none. Throws kDataLoss and what else reading throws.
std::optional<GateRecord> ReadGate(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::nullopt;
  return ParseGateRecord(ReadFile(path, kMaxGateRecordBytes), PrintableName(path.string()));
}

}  // namespace

std::string StampOfModel(const std::string& model) {
  std::vector<fs::path> files;
  std::error_code error;
  if (fs::is_directory(model, error)) {
    for (fs::directory_iterator entry(model, error), end; !error && entry != end;
         entry.increment(error)) {
      std::error_code ignored;
      if (entry->is_regular_file(ignored) && entry->path().filename() != kGateName) {
        files.push_back(entry->path());
      }
    }
    if (error) throw Error(ErrorCode::kIo, StrCat(PrintableName(model), ": cannot be listed"));
    std::sort(files.begin(), files.end());
  } else {
    files.emplace_back(model);
    if (IsGgufFile(model)) {
      files.push_back(GgufVisionFileBeside(model));
      fs::path card = fs::path(model).replace_filename(kModelCardFile);
      if (fs::is_regular_file(card, error)) files.push_back(std::move(card));
    }
  }
  std::string content;
  for (const fs::path& file : files) AddFile(file, &content);
  const Xxh128Digest digest = Xxh128(std::as_bytes(std::span(content)), 0);
  char text[33];
  std::snprintf(text, sizeof(text), "%016llx%016llx", static_cast<unsigned long long>(digest.high),
                static_cast<unsigned long long>(digest.low));
  return text;
}

std::vector<fs::path> GatePlaces(const std::string& model, const std::string& stamp) {
  std::vector<fs::path> places;
  const fs::path user = UserFolder();
  if (!user.empty()) places.push_back(user / (stamp + ".json"));
  places.push_back(PlaceBeside(model));
  return places;
}

Quality QualityOfGate(const std::string& model, const std::string& stamp, std::string* note) {
  note->clear();
  for (const fs::path& place : GatePlaces(model, stamp)) {
    try {
      const std::optional<GateRecord> record = ReadGate(place);
      if (!record) continue;
      if (record->model != stamp) {
        *note =
            StrCat(PrintableName(place.string()),
                   ": not used, as it is of other model files; octavo eval --gate makes it anew");
        continue;
      }
      note->clear();
      for (const Quality quality : {Quality::kFast, Quality::kBalanced}) {
        const GateEntry* entry =
            record->Find(QualityName(quality), DescribeSavings(SavingsOf(quality)));
        if (entry != nullptr && entry->passed) return quality;
      }
      return Quality::kBest;
    } catch (const Error& problem) {
      *note = StrCat("record of the gate not used: ", problem.what());
    }
  }
  return Quality::kBest;
}

fs::path WriteGate(const std::string& model, const std::string& stamp, const GateEntry& entry) {
  GateRecord record;
  record.model = stamp;
  const std::vector<fs::path> places = GatePlaces(model, stamp);
  for (const fs::path& place : places) {
    try {
      const std::optional<GateRecord> old = ReadGate(place);
      if (!old || old->model != stamp) continue;
      record = *old;
      break;
    } catch (const Error&) {
      // What cannot be read is replaced.
    }
  }
  record.Set(entry);
  const std::string text = GateRecordJson(record);
  std::error_code ignored;
  try {
    WriteFileAtomically(places.back(), text);
    if (places.size() > 1) fs::remove(places.front(), ignored);
    return places.back();
  } catch (const Error& problem) {
    if (problem.code() != ErrorCode::kIo || places.size() == 1) throw;
  }
  fs::create_directories(places.front().parent_path(), ignored);
  WriteFileAtomically(places.front(), text);
  return places.front();
}

}  // namespace octavo
