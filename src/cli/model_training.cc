#include "cli/model_training.h"

#include <string>

#include "base/str_cat.h"
#include "octavo/error.h"

namespace octavo {

void RequireTraining(const ModelCard& card, std::optional<Task> task) {
  if (task ? card.Knows(*task) : card.Knows("chat")) return;
  const std::string name = card.name.empty() ? "this model" : card.name;
  throw Error(
      ErrorCode::kUnsupported,
      StrCat(name, " was not trained for ",
             task ? std::string(TaskPrompt(*task).substr(1)) : "free questions",
             "; --model DIR or OCTAVO_MODEL names the folder of a MinerU2.5 checkpoint that was "
             "(what `octavo pull mineru2.5-pro` will fetch, not there yet)"));
}

}  // namespace octavo
