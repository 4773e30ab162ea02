// octavo.json, an optional file of a model folder or text of an .octavo file: what a model was
// trained for.
//
//   {"name": "octavo-nano", "tasks": ["text", "equation"],
//    "line": {"height_px": 28, "min_width_px": 224, "max_width_px": 560},
//    "equation": {"min_letter_px": 9, "max_letter_px": 15,
//                 "min_width_px": 112, "max_width_px": 560, "multiple_px": 28}}
//
// Without the file a model is taken to know every task, and lines and formulas are sent as they
// are.
#ifndef OCTAVO_DOCUMENT_MODEL_CARD_H_
#define OCTAVO_DOCUMENT_MODEL_CARD_H_

#include <string>
#include <string_view>
#include <vector>

#include "document/prompts.h"

namespace octavo {

struct ModelCard {
  std::string name;                // empty: not said
  bool knows_every_task = true;    // no file, or no "tasks"
  std::vector<std::string> tasks;  // "layout", "text", "table", "equation", "image", "chat"
  // How single lines are read best: rescaled to this height; with paper added behind where they are
  // shorter; cut between words where longer. Widths are at that height.
  int line_height_px = 0;     // 0: as they are
  int line_min_width_px = 0;  // 0: any
  int line_max_width_px = 0;  // 0: any
  // How display formulas are read best: on pages whose letters (the median of all) are lower or
  // higher than these, rescaled; with paper added where they are narrower; reduced where wider;
  // with paper up to multiples of the last on both sides. 0: any.
  int equation_min_letter_px = 0;
  int equation_max_letter_px = 0;
  int equation_min_width_px = 0;
  int equation_max_width_px = 0;
  int equation_multiple_px = 0;

  bool Knows(std::string_view task) const;
  bool Knows(Task task) const { return Knows(TaskName(task)); }
};

// Throws kDataLoss (not JSON, wrong types, values out of range), kIo.
ModelCard ReadModelCard(const std::string& model_dir);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_MODEL_CARD_H_
