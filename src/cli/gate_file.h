// Where the record of `octavo eval --gate` (evaluate/gate_record.h) lies, and what parse makes of
// it.
//
// Beside the model: octavo-gate.json in its folder, FILE.octavo-gate.json beside a file. Where that
// cannot be written, in the user's folder, under the model's stamp:
// ($XDG_STATE_HOME or $HOME/.local/state)/octavo/gates/STAMP.json. A record of the user's counts
// before the one beside the model.
#ifndef OCTAVO_CLI_GATE_FILE_H_
#define OCTAVO_CLI_GATE_FILE_H_

#include <filesystem>
#include <string>
#include <vector>

#include "document/quality.h"
#include "evaluate/gate_record.h"

namespace octavo {

// Which files a model is made of: names, sizes and samples of the content of a folder's regular
// files (no record of a gate), or of the one file, with the vision file and octavo.json beside it
// if it is GGUF's language file; equal for equal copies. Throws kNotFound, kIo, and what
// GgufVisionFileBeside throws.
std::string StampOfModel(const std::string& model);

// The places of its record, that which counts first being first. The user's is left out where no
// folder for it is known.
std::vector<std::filesystem::path> GatePlaces(const std::string& model, const std::string& stamp);

// The quality that this model may be read with unasked: the fastest that has passed with the
// savings that it sets today, else best. A record that cannot be read or is of other files is not
// used; then `note` says so in a line, else it is empty.
Quality QualityOfGate(const std::string& model, const std::string& stamp, std::string* note);

// Puts the entry into the model's record; returns where that lies. Throws kIo if it can be written
// nowhere.
std::filesystem::path WriteGate(const std::string& model, const std::string& stamp,
                                const GateEntry& entry);

}  // namespace octavo

#endif  // OCTAVO_CLI_GATE_FILE_H_
