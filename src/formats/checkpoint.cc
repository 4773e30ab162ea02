#include "formats/checkpoint.h"

#include <array>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "formats/gguf.h"
#include "formats/hf_folder.h"
#include "octavo/error.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

bool StartsWithGgufMagic(const fs::path& path) {
  const MappedFile file = MappedFile::Open(path);
  return file.bytes().size() >= 4 && std::memcmp(file.bytes().data(), "GGUF", 4) == 0;
}

}  // namespace

std::string CanonicalTensorName(std::string_view name) {
  // Stored prefix to canonical prefix; the longer of two that match stands first. Source:
  // transformers modeling_qwen2_vl.py (_checkpoint_conversion_mapping) and vLLM qwen2_vl.py.
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kPrefixes = {{
      {"model.language_model.", "model."},
      {"model.visual.", "visual."},
      {"language_model.model.", "model."},
      {"language_model.lm_head.", "lm_head."},
  }};
  for (const auto& [stored, canonical] : kPrefixes) {
    if (name.substr(0, stored.size()) == stored) {
      return std::string(canonical).append(name.substr(stored.size()));
    }
  }
  return std::string(name);
}

std::unique_ptr<Checkpoint> Checkpoint::Open(const fs::path& path) {
  const std::string name = PrintableName(path.native(), 400);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    throw Error(ErrorCode::kNotFound, StrCat(name, ": no such model folder"));
  }
  if (fs::is_directory(status)) return OpenHfFolder(path);
  if (StartsWithGgufMagic(path)) {
    const Gguf gguf = Gguf::Open(path);
    throw Error(ErrorCode::kUnsupported,
                StrCat(name, ": intact GGUF file of ", gguf.tensors().size(),
                       " tensors, which octavo cannot run; give a folder of Hugging Face files"));
  }
  throw Error(ErrorCode::kUnsupported,
              StrCat(name, ": a file, expected a folder with config.json and model.safetensors"));
}

LoadedTensor Checkpoint::Get(std::string_view name) const {
  auto tensor = Find(name);
  if (!tensor) {
    throw Error(ErrorCode::kNotFound,
                StrCat(PrintableName(Source(), 400), ": no tensor '", PrintableName(name), "'"));
  }
  return *std::move(tensor);
}

std::string Checkpoint::GetTextFile(std::string_view name) const {
  auto text = TextFile(name);
  if (!text) {
    throw Error(ErrorCode::kNotFound,
                StrCat(PrintableName(Source(), 400), ": no ", PrintableName(name)));
  }
  return *std::move(text);
}

}  // namespace octavo
