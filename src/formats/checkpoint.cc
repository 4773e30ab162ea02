#include "formats/checkpoint.h"

#include <array>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/aligned_buffer.h"
#include "base/check.h"
#include "base/file.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "formats/gguf_checkpoint.h"
#include "formats/hf_folder.h"
#include "formats/octavo_file.h"
#include "formats/octavo_layout.h"
#include "octavo/error.h"
#include "tensor/float16.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

bool StartsWith(const MappedFile& file, std::string_view magic) {
  return file.bytes().size() >= magic.size() &&
         std::memcmp(file.bytes().data(), magic.data(), magic.size()) == 0;
}

// Rows of T that hold the widened numbers exactly, made by `narrow`.
template <typename T, typename Narrow>
LoadedTensor UnpackTo(const PackedTensor& packed, const Shape& shape, DType dtype, Narrow narrow) {
  const auto k = static_cast<size_t>(packed.layout.k);
  auto rows = std::make_shared<AlignedBuffer<T>>(static_cast<size_t>(packed.layout.n) * k);
  std::vector<float> row(k);
  for (int64_t n = 0; n < packed.layout.n; ++n) {
    UnpackPackedRow(packed.layout, packed.data, n, row.data());
    T* const out = rows->data() + static_cast<size_t>(n) * k;
    for (size_t i = 0; i < k; ++i) out[i] = narrow(row[i]);
  }
  return {{reinterpret_cast<const std::byte*>(rows->data()), dtype, shape}, rows};
}

}  // namespace

size_t StoredBytes(const TensorInfo& tensor) {
  if (tensor.packed) return PackedBytes(*tensor.packed);
  return static_cast<size_t>(tensor.shape.num_elements()) * DTypeSize(tensor.dtype);
}

LoadedTensor Unpack(const PackedTensor& packed, const Shape& shape, DType dtype) {
  OCTAVO_CHECK(shape.num_elements() == packed.layout.n * packed.layout.k, shape.ToString());
  switch (dtype) {
    case DType::kF16:
      return UnpackTo<Float16>(packed, shape, dtype, [](float x) { return ToFloat16(x); });
    case DType::kBF16:
      return UnpackTo<BFloat16>(packed, shape, dtype, [](float x) { return ToBFloat16(x); });
    default:
      break;
  }
  OCTAVO_CHECK(dtype == DType::kF32, DTypeName(dtype));
  return UnpackTo<float>(packed, shape, dtype, [](float x) { return x; });
}

std::optional<PackedTensor> Checkpoint::FindPacked(std::string_view /*name*/) const {
  return std::nullopt;
}

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
    throw Error(ErrorCode::kNotFound, StrCat(name, ": no such model"));
  }
  if (fs::is_directory(status)) {
    // What `octavo quantize --output DIR` leaves.
    const fs::path packed = path / "model.octavo";
    if (!fs::exists(path / "config.json", error) && fs::is_regular_file(packed, error)) {
      return OpenOctavoFile(packed);
    }
    if (!fs::exists(path / "config.json", error) && HasGgufFiles(path)) {
      return OpenGgufCheckpoint(path);
    }
    return OpenHfFolder(path);
  }
  const MappedFile file = MappedFile::Open(path);
  if (StartsWith(file, kOctavoMagic)) return OpenOctavoFile(path);
  if (StartsWith(file, "GGUF")) return OpenGgufCheckpoint(path);
  throw Error(ErrorCode::kUnsupported,
              StrCat(name,
                     ": a file of another kind, expected a folder with config.json and "
                     "model.safetensors, an .octavo or a GGUF file"));
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
