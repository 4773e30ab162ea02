// Writes a checkpoint as Hugging Face files: model.safetensors, streamed, and its text files.
#ifndef OCTAVO_FORMATS_CHECKPOINT_WRITER_H_
#define OCTAVO_FORMATS_CHECKPOINT_WRITER_H_

#include <filesystem>
#include <string>
#include <vector>

#include "formats/checkpoint.h"

namespace octavo {

// Creates `folder` if needed and writes model.safetensors there, one tensor in memory at a time,
// with every text file named in `text_files` that the checkpoint has. Dtypes are kept.
// Throws kInvalidArgument if model.safetensors already exists there, kIo; leaves no partial
// model.safetensors behind.
void WriteSafetensorsFolder(const Checkpoint& checkpoint,
                            const std::vector<std::string>& text_files,
                            const std::filesystem::path& folder);

}  // namespace octavo

#endif  // OCTAVO_FORMATS_CHECKPOINT_WRITER_H_
