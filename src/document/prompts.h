// The exact prompts and sampling of MinerU's tasks.
#ifndef OCTAVO_DOCUMENT_PROMPTS_H_
#define OCTAVO_DOCUMENT_PROMPTS_H_

#include <optional>
#include <string_view>

#include "octavo/engine.h"

namespace octavo {

enum class Task { kLayout, kText, kTable, kEquation, kImage };

// "layout", "text", "table", "equation", "image": the names of model cards (model_card.h).
std::string_view TaskName(Task task) noexcept;

// The user prompt; begins with a line feed.
// Source: mineru-vl-utils 2.0.7, mineru_client.py, DEFAULT_PROMPTS.
std::string_view TaskPrompt(Task task) noexcept;

// The system prompt of every request.
std::string_view SystemPrompt() noexcept;

// Greedy with penalties on what was generated; special tokens are kept in the text.
// Source: mineru-vl-utils 2.0.7, mineru_client.py, DEFAULT_SAMPLING_PARAMS.
SamplingParams TaskSampling(Task task);

// The task that reads a block of this type, or nothing for a container ("list", …) and for
// pictures unless `image_analysis`.
std::optional<Task> TaskOfBlockType(std::string_view type, bool image_analysis) noexcept;

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_PROMPTS_H_
