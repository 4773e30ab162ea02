#include "formats/checkpoint_writer.h"

#include <system_error>

#include "base/check.h"
#include "base/file.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "formats/safetensors_writer.h"
#include "octavo/error.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

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
  SafetensorsWriter writer(weights, checkpoint.Tensors());
  for (const TensorInfo& info : checkpoint.Tensors()) {
    const LoadedTensor tensor = checkpoint.Get(info.name);
    OCTAVO_CHECK(tensor.view.dtype == info.dtype && tensor.view.shape == info.shape, info.name);
    writer.Append({tensor.view.data, tensor.view.size_bytes()});
  }
  writer.Commit();
}

}  // namespace octavo
