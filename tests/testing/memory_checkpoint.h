// A checkpoint whose tensors and text files are made by the test.
#ifndef OCTAVO_TESTS_TESTING_MEMORY_CHECKPOINT_H_
#define OCTAVO_TESTS_TESTING_MEMORY_CHECKPOINT_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/checkpoint.h"

namespace octavo::testing {

// Tensors in memory, by name.
class MemoryCheckpoint : public Checkpoint {
 public:
  void Add(const std::string& name, DType dtype, const Shape& shape) {
    const auto num_bytes = static_cast<size_t>(shape.num_elements()) * DTypeSize(dtype);
    infos_.push_back({name, dtype, shape});
    data_[name] = std::make_shared<std::string>(num_bytes, '\0');
  }
  void Remove(const std::string& name) {
    data_.erase(name);
    std::erase_if(infos_, [&](const TensorInfo& info) { return info.name == name; });
  }
  std::string& Bytes(const std::string& name) { return *data_.at(name); }

  std::string Source() const override { return "memory"; }
  std::string Container() const override { return "memory"; }
  const std::vector<TensorInfo>& Tensors() const override { return infos_; }
  std::optional<LoadedTensor> Find(std::string_view name) const override {
    for (const TensorInfo& info : infos_) {
      if (info.name != name) continue;
      const auto& data = data_.at(info.name);
      return LoadedTensor{
          {reinterpret_cast<const std::byte*>(data->data()), info.dtype, info.shape}, data};
    }
    return std::nullopt;
  }
  std::optional<std::string> TextFile(std::string_view name) const override {
    const auto found = text_files.find(std::string(name));
    if (found == text_files.end()) return std::nullopt;
    return found->second;
  }

  std::map<std::string, std::string> text_files;

 private:
  std::vector<TensorInfo> infos_;
  std::map<std::string, std::shared_ptr<std::string>> data_;
};

}  // namespace octavo::testing

#endif  // OCTAVO_TESTS_TESTING_MEMORY_CHECKPOINT_H_
