// ReferenceFolder: reads the layout of the reference data (stages, tiny-qwen2vl, images,
// tokenizer).
#ifndef OCTAVO_TESTS_PARITY_REFERENCE_FOLDER_H_
#define OCTAVO_TESTS_PARITY_REFERENCE_FOLDER_H_

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "formats/safetensors.h"
#include "tensor/matrix_view.h"
#include "vision/image.h"

namespace octavo::parity {

// A stored tensor, whole: f32 as f32, integers as int32.
struct StoredTensor {
  Shape shape;
  std::vector<float> floats;
  std::vector<int32_t> ints;
  std::vector<uint8_t> bytes;

  // The last dimension as columns, the others as rows.
  ConstFloatMatrix Matrix() const;
};

// All tensors of one safetensors file.
class StoredTensors {
 public:
  StoredTensors() = default;
  explicit StoredTensors(const std::filesystem::path& path);
  bool Has(const std::string& name) const { return tensors_.count(name) != 0; }
  // Throws kNotFound.
  const StoredTensor& Get(const std::string& name) const;
  std::vector<std::string> Names() const;

 private:
  std::string where_;
  std::map<std::string, StoredTensor> tensors_;
};

// One prompt with its pictures and what the reference computed from it.
struct StageCase {
  std::string name;     // "main.layout_a"
  std::string variant;  // "main"
  std::string scene;    // "layout_a"
  std::filesystem::path checkpoint;
  std::string prompt_text;
  std::vector<Image> images;
  StoredTensors tensors;
  int32_t rope_delta = 0;
  nlohmann::json runs;  // greedy runs: name to tokens, gaps
};

nlohmann::json ReadJson(const std::filesystem::path& path);

std::vector<StageCase> ReadStageCases(const std::filesystem::path& folder);

}  // namespace octavo::parity

#endif  // OCTAVO_TESTS_PARITY_REFERENCE_FOLDER_H_
