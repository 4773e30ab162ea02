#include "tests/testing/checkpoint_forms.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/str_cat.h"
#include "formats/safetensors.h"

namespace octavo::testing {
namespace {

constexpr size_t kNumShards = 3;

struct NamedTensor {
  std::string name;
  LoadedTensor tensor;
};

std::vector<NamedTensor> ReadAll(const std::filesystem::path& folder) {
  const auto file = SafetensorsFile::Open(folder / "model.safetensors");
  std::vector<NamedTensor> tensors;
  for (const SafetensorsEntry& entry : file->entries()) {
    tensors.push_back({entry.info.name, SafetensorsFile::Load(file, entry)});
  }
  return tensors;
}

void WriteSafetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::string data;
  for (const auto& [name, tensor] : tensors) {
    std::vector<int64_t> shape;
    for (int i = 0; i < tensor.view.shape.rank(); ++i) shape.push_back(tensor.view.shape[i]);
    const size_t begin = data.size();
    data.append(reinterpret_cast<const char*>(tensor.view.data), tensor.view.size_bytes());
    header[name] = {{"dtype", DTypeName(tensor.view.dtype)},
                    {"shape", shape},
                    {"data_offsets", {begin, data.size()}}};
  }
  const std::string text = header.dump();
  std::string length(8, '\0');
  const auto num_bytes = static_cast<uint64_t>(text.size());
  for (size_t i = 0; i < 8; ++i) length[i] = static_cast<char>((num_bytes >> (8 * i)) & 0xFF);
  WriteFileAtomically(path, length + text + data);
}

}  // namespace

void WriteNestedWeights(const std::filesystem::path& flat, const std::filesystem::path& nested) {
  std::vector<NamedTensor> tensors = ReadAll(flat);
  for (auto& [name, tensor] : tensors) {
    if (name.rfind("visual.", 0) == 0) {
      name = "model." + name;
    } else if (name.rfind("model.", 0) == 0) {
      name = "model.language_model." + name.substr(6);
    }
  }
  std::sort(tensors.begin(), tensors.end(),
            [](const NamedTensor& a, const NamedTensor& b) { return a.name < b.name; });
  WriteSafetensors(nested / "model.safetensors", tensors);
}

void WriteShards(const std::filesystem::path& flat, const std::filesystem::path& sharded) {
  std::vector<std::vector<NamedTensor>> shards(kNumShards);
  nlohmann::ordered_json index;
  size_t next = 0;
  size_t total_bytes = 0;
  const auto file_name = [](size_t shard) {
    return StrCat("model-0000", shard + 1, "-of-0000", kNumShards, ".safetensors");
  };
  for (const NamedTensor& tensor : ReadAll(flat)) {
    index["weight_map"][tensor.name] = file_name(next);
    total_bytes += tensor.tensor.view.size_bytes();
    shards[next].push_back(tensor);
    next = (next + 1) % kNumShards;
  }
  index["metadata"]["total_size"] = total_bytes;
  for (size_t i = 0; i < kNumShards; ++i) WriteSafetensors(sharded / file_name(i), shards[i]);
  WriteFileAtomically(sharded / "model.safetensors.index.json", index.dump(1));
}

}  // namespace octavo::testing
