#include "cli/model_lookup.h"

#include <cstdlib>

#include "octavo/error.h"

namespace octavo {
namespace fs = std::filesystem;

std::vector<fs::path> NanoFolders(const fs::path& program_dir) {
  std::vector<fs::path> folders;
  // bin/octavo of an installation; build/PRESET/octavo of a source tree; a folder unpacked
  // anywhere.
  for (const char* models : {"../share/octavo/models", "../../models", "models"}) {
    folders.push_back((program_dir / models / "octavo-nano").lexically_normal());
  }
  return folders;
}

std::string FindModel(const std::string& flag) {
  if (!flag.empty()) return flag;
  if (const char* variable = std::getenv("OCTAVO_MODEL"); variable != nullptr && *variable != 0) {
    return variable;
  }
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  std::string tried;
  for (const fs::path& folder : NanoFolders(program.parent_path())) {
    if (fs::exists(folder / "config.json", error)) return folder.string();
    tried += (tried.empty() ? "" : ", ") + folder.string();
  }
  throw Error(
      ErrorCode::kNotFound,
      "no model: --model and OCTAVO_MODEL are not set and octavo-nano is in none of " + tried);
}

}  // namespace octavo
