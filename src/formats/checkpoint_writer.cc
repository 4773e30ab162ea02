#include "formats/checkpoint_writer.h"

#include <cstring>
#include <system_error>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/file.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "octavo/error.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

// Length field and header; the data area that follows starts at a multiple of 8.
std::string MakeHeader(const std::vector<TensorInfo>& tensors) {
  nlohmann::ordered_json header;
  header["__metadata__"] = {{"format", "pt"}};
  size_t offset = 0;
  for (const TensorInfo& info : tensors) {
    std::vector<int64_t> dims;
    dims.reserve(kMaxRank);
    for (int i = 0; i < info.shape.rank(); ++i) dims.push_back(info.shape[i]);
    const size_t end =
        offset + static_cast<size_t>(info.shape.num_elements()) * DTypeSize(info.dtype);
    header[info.name] = {
        {"dtype", DTypeName(info.dtype)}, {"shape", dims}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string json = header.dump();
  json.resize((json.size() + 7) / 8 * 8, ' ');
  const uint64_t length = json.size();
  std::string out(sizeof length, '\0');
  std::memcpy(out.data(), &length, sizeof length);
  return out + json;
}

}  // namespace

void WriteSafetensorsFolder(const Checkpoint& checkpoint,
                            const std::vector<std::string>& text_files, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw Error(ErrorCode::kIo, StrCat(PrintableName(folder.native(), 400),
                                       ": cannot create the folder: ", error.message()));
  }
  const fs::path weights = folder / "model.safetensors";
  if (fs::exists(weights, error)) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat(PrintableName(weights.native(), 400), ": exists and is not overwritten"));
  }
  for (const std::string& name : text_files) {
    if (const auto text = checkpoint.TextFile(name)) WriteFileAtomically(folder / name, *text);
  }
  // The weights come last: a folder that has them is complete.
  AtomicFile file(weights);
  file.Append(MakeHeader(checkpoint.Tensors()));
  for (const TensorInfo& info : checkpoint.Tensors()) {
    const LoadedTensor tensor = checkpoint.Get(info.name);
    OCTAVO_CHECK(tensor.view.dtype == info.dtype && tensor.view.shape == info.shape, info.name);
    file.Append({reinterpret_cast<const char*>(tensor.view.data), tensor.view.size_bytes()});
  }
  file.Commit();
}

}  // namespace octavo
