// A folder of Hugging Face files as a Checkpoint: config.json with one safetensors file or several
// shards and their index.
#ifndef OCTAVO_FORMATS_HF_FOLDER_H_
#define OCTAVO_FORMATS_HF_FOLDER_H_

#include <filesystem>
#include <memory>

#include "formats/checkpoint.h"

namespace octavo {

// model.safetensors.index.json is preferred over model.safetensors. A shard must be a file of the
// folder itself and hold every tensor that the index promises. A folder whose config.json or
// tensors are quantised is checked and then refused. Throws as Checkpoint::Open.
std::unique_ptr<Checkpoint> OpenHfFolder(const std::filesystem::path& folder);

}  // namespace octavo

#endif  // OCTAVO_FORMATS_HF_FOLDER_H_
