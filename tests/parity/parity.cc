#include "tests/parity/parity.h"

namespace octavo::parity {

std::unique_ptr<Checkpoint> OpenSubject(const std::filesystem::path& path, const Subject& subject) {
  std::unique_ptr<Checkpoint> checkpoint = Checkpoint::Open(path);
  if (!subject.edit_checkpoint) return checkpoint;
  auto edited = std::make_unique<testing::EditedCheckpoint>(std::move(checkpoint));
  subject.edit_checkpoint(edited.get());
  return edited;
}

void RunParity(const std::filesystem::path& folder, const Subject& subject,
               const ParityParts& parts, Report* report) {
  if (parts.stages) CheckStages(folder, subject, report);
  if (parts.sampling) CheckSampling(folder, subject, report);
  if (parts.images) CheckImages(folder, report);
  if (parts.tokenizer) CheckTokenizer(folder, report);
  if (parts.quant) CheckQuant(folder, subject, report);
}

}  // namespace octavo::parity
