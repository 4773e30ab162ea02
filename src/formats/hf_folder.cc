#include "formats/hf_folder.h"

#include <map>
#include <set>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "formats/quantization_config.h"
#include "formats/quantized_folder.h"
#include "formats/safetensors.h"
#include "octavo/error.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr size_t kMaxTextFileBytes = size_t{256} << 20;
constexpr size_t kMaxShards = 1024;
constexpr char kConfigFile[] = "config.json";
constexpr char kWeightsFile[] = "model.safetensors";
constexpr char kIndexFile[] = "model.safetensors.index.json";

std::string Name(const fs::path& path) { return PrintableName(path.native(), 400); }

bool Exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// A name of a file in the folder itself, whatever the operating system makes of separators.
bool IsPlainFileName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

// Shard file to the tensors that the index says it holds.
std::map<std::string, std::vector<std::string>> ReadIndex(const fs::path& path) {
  const std::string& where = path.native();
  const Json index = ParseJson(ReadFile(path, JsonLimits{}.max_bytes), where);
  const auto damaged = [&where](const std::string& what) {
    return Error(ErrorCode::kDataLoss, StrCat(PrintableName(where, 400), ": ", what));
  };
  if (!index.is_object()) throw damaged("not an object");
  const auto weight_map = index.find("weight_map");
  if (weight_map == index.end() || !weight_map->is_object()) {
    throw damaged("weight_map is absent or not an object");
  }
  std::map<std::string, std::vector<std::string>> shards;
  for (const auto& item : weight_map->items()) {
    if (!item.value().is_string()) {
      throw damaged(StrCat("file of tensor '", PrintableName(item.key()), "' is not a string"));
    }
    const auto& file = item.value().get_ref<const std::string&>();
    if (!IsPlainFileName(file)) {
      throw damaged(StrCat("tensor '", PrintableName(item.key()), "' in file '",
                           PrintableName(file), "', which is outside the folder"));
    }
    shards[file].push_back(item.key());
  }
  if (shards.empty()) throw damaged("weight_map is empty");
  if (shards.size() > kMaxShards) {
    throw Error(ErrorCode::kUnsupported, StrCat(PrintableName(where, 400), ": ", shards.size(),
                                                " shards, at most ", kMaxShards, " are read"));
  }
  return shards;
}

class HfFolder : public Checkpoint {
 public:
  explicit HfFolder(const fs::path& folder) : folder_(folder) {
    if (!Exists(folder_ / kConfigFile)) {
      throw Error(ErrorCode::kNotFound, StrCat(Name(folder_), ": no ", kConfigFile));
    }
    if (Exists(folder_ / kIndexFile)) {
      OpenShards();
    } else if (Exists(folder_ / kWeightsFile)) {
      AddFile(SafetensorsFile::Open(folder_ / kWeightsFile));
    } else {
      throw Error(ErrorCode::kNotFound,
                  StrCat(Name(folder_), ": neither ", kWeightsFile, " nor ", kIndexFile));
    }
  }

  std::string Source() const override { return folder_.string(); }

  std::string Container() const override {
    return is_sharded_ ? StrCat("safetensors, ", num_files_, " shards") : "safetensors";
  }

  const std::vector<TensorInfo>& Tensors() const override { return tensors_; }

  std::optional<LoadedTensor> Find(std::string_view name) const override {
    const auto found = stored_.find(std::string(name));
    if (found == stored_.end()) return std::nullopt;
    return SafetensorsFile::Load(found->second.file, *found->second.entry);
  }

  std::optional<std::string> TextFile(std::string_view name) const override {
    OCTAVO_CHECK(IsPlainFileName(name), name);
    const fs::path path = folder_ / name;
    if (!Exists(path)) return std::nullopt;
    return ReadFile(path, kMaxTextFileBytes);
  }

 private:
  struct Stored {
    std::shared_ptr<const SafetensorsFile> file;
    const SafetensorsEntry* entry;
  };

  void OpenShards() {
    is_sharded_ = true;
    for (const auto& [file_name, tensor_names] : ReadIndex(folder_ / kIndexFile)) {
      const fs::path path = folder_ / file_name;
      if (!Exists(path)) {
        throw Error(ErrorCode::kNotFound,
                    StrCat(Name(path), ": absent, but named by ", kIndexFile));
      }
      const auto file = SafetensorsFile::Open(path);
      std::set<std::string_view> held;
      for (const SafetensorsEntry& entry : file->entries()) held.insert(entry.info.name);
      for (const std::string& name : tensor_names) {
        if (held.count(name) == 0) {
          throw Error(ErrorCode::kDataLoss, StrCat(Name(path), ": no tensor '", PrintableName(name),
                                                   "', which ", kIndexFile, " says it holds"));
        }
      }
      AddFile(file);
    }
  }

  void AddFile(const std::shared_ptr<const SafetensorsFile>& file) {
    ++num_files_;
    for (const SafetensorsEntry& entry : file->entries()) {
      TensorInfo info = entry.info;
      info.name = CanonicalTensorName(entry.info.name);
      if (!stored_.try_emplace(info.name, Stored{file, &entry}).second) {
        throw Error(ErrorCode::kDataLoss,
                    StrCat(Name(file->path()), ": tensor '", PrintableName(entry.info.name),
                           "' is there twice, perhaps under an older name or in another shard"));
      }
      tensors_.push_back(std::move(info));
    }
  }

  fs::path folder_;
  std::vector<TensorInfo> tensors_;
  std::unordered_map<std::string, Stored> stored_;
  int num_files_ = 0;
  bool is_sharded_ = false;
};

}  // namespace

std::unique_ptr<Checkpoint> OpenHfFolder(const fs::path& folder) {
  auto checkpoint = std::make_unique<HfFolder>(folder);
  if (const auto quantization = ReadQuantizationConfig(*checkpoint)) {
    return OpenQuantized(std::move(checkpoint), *quantization);
  }
  return checkpoint;
}

}  // namespace octavo
