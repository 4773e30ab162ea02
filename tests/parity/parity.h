// RunParity: octavo against stored results of the reference libraries.
#ifndef OCTAVO_TESTS_PARITY_PARITY_H_
#define OCTAVO_TESTS_PARITY_PARITY_H_

#include <filesystem>
#include <string>

#include "tests/parity/reference_folder.h"
#include "tests/parity/report.h"
#include "tests/parity/subject.h"

namespace octavo::parity {

struct ParityParts {
  bool stages = true;
  bool sampling = true;
  bool images = true;
  bool tokenizer = true;
  bool quant = true;
};

// Checks everything that `folder` (the layout of the reference data: stages/, tiny-qwen2vl/,
// images/, tokenizer/, quant/) holds. Throws Error if a file is absent or damaged.
void RunParity(const std::filesystem::path& folder, const Subject& subject,
               const ParityParts& parts, Report* report);

// The parts. Stages: preprocessing, ids, positions, every stage tensor, logits, decode logits, the
// other checkpoint forms, epsilons. Sampling: all greedy runs, through the engine, several at once.
void CheckStages(const std::filesystem::path& folder, const Subject& subject, Report* report);
void CheckSampling(const std::filesystem::path& folder, const Subject& subject, Report* report);
void CheckImages(const std::filesystem::path& folder, Report* report);
void CheckTokenizer(const std::filesystem::path& folder, Report* report);

// Quantised forms: CRC of every tensor, logits in f32 and, where weights are packed, in int8 and
// int16.
void CheckQuant(const std::filesystem::path& folder, const Subject& subject, Report* report);

// Logits after the prompt of a case by another form of the checkpoint.
std::vector<float> LastLogits(const std::filesystem::path& path, const StageCase& stage_case,
                              const Subject& subject);
Tolerance LogitsTolerance(const Subject& subject);

// An opened checkpoint with the subject's edits.
std::unique_ptr<Checkpoint> OpenSubject(const std::filesystem::path& path, const Subject& subject);

}  // namespace octavo::parity

#endif  // OCTAVO_TESTS_PARITY_PARITY_H_
