#include "tests/parity/reference_folder.h"

#include <cstring>

#include "base/file.h"
#include "base/json.h"
#include "base/str_cat.h"
#include "octavo/error.h"
#include "vision/image_codec.h"

namespace octavo::parity {
namespace {

StoredTensor Read(const TensorView& view) {
  StoredTensor tensor;
  tensor.shape = view.shape;
  const auto count = static_cast<size_t>(view.shape.num_elements());
  switch (view.dtype) {
    case DType::kI64:
      for (size_t i = 0; i < count; ++i) {
        int64_t value = 0;
        std::memcpy(&value, view.data + i * sizeof(value), sizeof(value));
        tensor.ints.push_back(static_cast<int32_t>(value));
      }
      break;
    case DType::kU8:
      tensor.bytes.resize(count);
      std::memcpy(tensor.bytes.data(), view.data, count);
      break;
    default:
      tensor.floats.resize(count);
      ToFloats(view, 0, view.shape.num_elements(), tensor.floats.data());
  }
  return tensor;
}

}  // namespace

ConstFloatMatrix StoredTensor::Matrix() const {
  const int64_t cols = shape.rank() == 0 ? 1 : shape[shape.rank() - 1];
  return {floats.data(), static_cast<int64_t>(floats.size()) / std::max<int64_t>(cols, 1), cols};
}

StoredTensors::StoredTensors(const std::filesystem::path& path) : where_(path.string()) {
  const auto file = SafetensorsFile::Open(path);
  for (const SafetensorsEntry& entry : file->entries()) {
    tensors_[entry.info.name] = Read(SafetensorsFile::Load(file, entry).view);
  }
}

const StoredTensor& StoredTensors::Get(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    throw Error(ErrorCode::kNotFound, StrCat(where_, " has no tensor ", name));
  }
  return found->second;
}

std::vector<std::string> StoredTensors::Names() const {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors_) names.push_back(name);
  return names;
}

nlohmann::json ReadJson(const std::filesystem::path& path) {
  return ParseJson(ReadFile(path, size_t{64} << 20), path.string());
}

std::vector<StageCase> ReadStageCases(const std::filesystem::path& folder) {
  const nlohmann::json index = ReadJson(folder / "stages" / "index.json");
  std::vector<StageCase> cases;
  for (const auto& [name, entry] : index.at("cases").items()) {
    StageCase& stage_case = cases.emplace_back();
    stage_case.name = name;
    stage_case.variant = name.substr(0, name.find('.'));
    stage_case.scene = name.substr(name.find('.') + 1);
    stage_case.checkpoint = folder / entry.at("checkpoint").get<std::string>();
    stage_case.prompt_text = entry.at("prompt_text").get<std::string>();
    stage_case.rope_delta = entry.at("rope_delta").get<int32_t>();
    stage_case.tensors = StoredTensors(folder / "stages" / entry.at("file").get<std::string>());
    stage_case.runs = index.at("runs").at(name);
    for (const auto& image : entry.at("images")) {
      const std::string file = index.at("images").at(image.get<std::string>()).at("file");
      const MappedFile png = MappedFile::Open(folder / "stages" / file);
      stage_case.images.push_back(DecodeImage(png.bytes(), file));
    }
  }
  return cases;
}

}  // namespace octavo::parity
