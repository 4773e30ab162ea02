// An .octavo file as a checkpoint: mapped, its matrices used where they lie.
#ifndef OCTAVO_FORMATS_OCTAVO_FILE_H_
#define OCTAVO_FORMATS_OCTAVO_FILE_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "formats/checkpoint.h"

namespace octavo {

// Header and index are checked whole, hashes included; of texts and tensors nothing is read. Those
// have hashes of their own, which VerifyOctavoFile checks: at every start it would cost a read of
// the whole file. Throws as ReadOctavoIndex and MappedFile::Open.
std::unique_ptr<Checkpoint> OpenOctavoFile(const std::filesystem::path& path);

// A text of the model at `path` without opening the rest: nullopt if it is neither an .octavo file
// nor a folder with one called model.octavo and no config.json, or has no such text. Throws as
// OpenOctavoFile.
std::optional<std::string> ReadOctavoText(const std::filesystem::path& path, std::string_view name);

// Reads all of the file: every hash, the filling between entries (zero), the range of quantised
// values. Throws kDataLoss naming the entry that is damaged, and as OpenOctavoFile.
void VerifyOctavoFile(const std::filesystem::path& path);

}  // namespace octavo

#endif  // OCTAVO_FORMATS_OCTAVO_FILE_H_
