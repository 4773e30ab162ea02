// A folder of Hugging Face files as a Checkpoint: config.json with one safetensors file or several
// shards and their index.
#ifndef OCTAVO_FORMATS_HF_FOLDER_H_
#define OCTAVO_FORMATS_HF_FOLDER_H_

#include <filesystem>
#include <memory>

#include "formats/checkpoint.h"

namespace octavo {

// model.safetensors.index.json is preferred over model.safetensors. A shard must be a file of the
// folder itself and hold every tensor that the index promises. A folder that
// config.json or quantize_config.json says is quantised has whole matrices in place of the parts of
// quantised layers (quantized_folder.h). Throws as Checkpoint::Open.
std::unique_ptr<Checkpoint> OpenHfFolder(const std::filesystem::path& folder);

}  // namespace octavo

#endif  // OCTAVO_FORMATS_HF_FOLDER_H_
