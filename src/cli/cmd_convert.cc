#include "cli/cmd_convert.h"

#include "cli/model_output.h"
#include "formats/checkpoint.h"

namespace octavo {

int RunConvert(const ConvertOptions& options) {
  const std::unique_ptr<Checkpoint> checkpoint = Checkpoint::Open(options.model);
  const std::filesystem::path path = ModelOutputFile(options.output, options.model, options.force);
  const MatrixForm form = options.weights == "bf16"  ? MatrixForm::kBF16
                          : options.weights == "f32" ? MatrixForm::kF32
                                                     : MatrixForm::kKeep;
  const WrittenModel model =
      WriteModelWithProgress(*checkpoint, {.language = form, .head = form, .vision = form}, {},
                             path, options.num_threads, "convert");
  PrintWrittenModel(model, path);
  return 0;
}

}  // namespace octavo
