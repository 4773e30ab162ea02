// What a model was trained for, and what to say where it was not.
#ifndef OCTAVO_CLI_MODEL_TRAINING_H_
#define OCTAVO_CLI_MODEL_TRAINING_H_

#include <optional>

#include "document/model_card.h"
#include "document/prompts.h"

namespace octavo {

// Throws kUnsupported where the card does not name the task (nothing: free questions); the message
// says which models do it.
void RequireTraining(const ModelCard& card, std::optional<Task> task);

}  // namespace octavo

#endif  // OCTAVO_CLI_MODEL_TRAINING_H_
