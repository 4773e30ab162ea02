#include "document/model_card.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/file.h"
#include "base/json.h"
#include "base/str_cat.h"
#include "formats/checkpoint.h"
#include "formats/gguf.h"
#include "formats/octavo_file.h"
#include "octavo/error.h"

namespace octavo {
namespace {

using Json = nlohmann::json;

[[noreturn]] void ThrowWrong(const std::string& where, const std::string& what) {
  throw Error(ErrorCode::kDataLoss, StrCat(where, ": ", what));
}

// A part of the card; {} where it is not there. What it has beside the keys that are read is for
// other programs.
Json PartOf(const Json& card, const char* part, const std::string& where) {
  const auto found = card.find(part);
  if (found == card.end()) return Json::object();
  if (!found->is_object()) ThrowWrong(where, StrCat(part, " is not an object"));
  return *found;
}

// 0 where it is not there.
int PixelsOf(const Json& values, const char* part, const char* key, int most,
             const std::string& where) {
  const auto found = values.find(key);
  if (found == values.end()) return 0;
  if (!found->is_number_integer() || *found < 0 || *found > most) {
    ThrowWrong(where, StrCat(part, ".", key, " is not a whole number of 0 to ", most));
  }
  return found->get<int>();
}

// 0 is any, on both sides.
void RequireOrder(int least, int most, const char* what, const std::string& where) {
  if (most > 0 && least > most) {
    ThrowWrong(where, StrCat(what, ": found a least of ", least, " over a most of ", most));
  }
}

void ReadLine(const Json& json, const std::string& where, ModelCard* card) {
  constexpr int kMost = 10'000;
  const Json line = PartOf(json, "line", where);
  card->line_height_px = PixelsOf(line, "line", "height_px", kMost, where);
  card->line_min_width_px = PixelsOf(line, "line", "min_width_px", kMost, where);
  card->line_max_width_px = PixelsOf(line, "line", "max_width_px", kMost, where);
}

void ReadEquation(const Json& json, const std::string& where, ModelCard* card) {
  // Larger ones would make pictures of a few letters that no memory holds.
  constexpr int kMostLetter = 200;
  constexpr int kMostWidth = 10'000;
  constexpr int kMostMultiple = 280;
  const Json equation = PartOf(json, "equation", where);
  card->equation_min_letter_px =
      PixelsOf(equation, "equation", "min_letter_px", kMostLetter, where);
  card->equation_max_letter_px =
      PixelsOf(equation, "equation", "max_letter_px", kMostLetter, where);
  card->equation_min_width_px = PixelsOf(equation, "equation", "min_width_px", kMostWidth, where);
  card->equation_max_width_px = PixelsOf(equation, "equation", "max_width_px", kMostWidth, where);
  card->equation_multiple_px = PixelsOf(equation, "equation", "multiple_px", kMostMultiple, where);
  RequireOrder(card->equation_min_letter_px, card->equation_max_letter_px, "equation.letter_px",
               where);
  RequireOrder(card->equation_min_width_px, card->equation_max_width_px, "equation.width_px",
               where);
}

// Of a folder of files, beside a GGUF file, or, in words, inside an .octavo file.
std::filesystem::path CardPath(const std::string& model) {
  if (IsGgufFile(model)) return std::filesystem::path(model).replace_filename(kModelCardFile);
  return std::filesystem::path(model) / kModelCardFile;
}

std::optional<std::string> CardText(const std::string& model) {
  constexpr size_t kMaxBytes = size_t{1} << 20;
  if (model.empty()) return std::nullopt;
  const std::filesystem::path path = CardPath(model);
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return ReadFile(path, kMaxBytes);
  return ReadOctavoText(model, kModelCardFile);
}

}  // namespace

bool ModelCard::Knows(std::string_view task) const {
  return knows_every_task || std::find(tasks.begin(), tasks.end(), task) != tasks.end();
}

ModelCard ReadModelCard(const std::string& model_dir) {
  ModelCard card;
  const std::optional<std::string> text = CardText(model_dir);
  if (!text) return card;
  const std::string where = CardPath(model_dir).string();
  const Json json = ParseJson(*text, where);
  if (!json.is_object()) ThrowWrong(where, "is not a JSON object");
  const auto name = json.find("name");
  if (name != json.end()) {
    if (!name->is_string()) ThrowWrong(where, "name is not a string");
    card.name = name->get<std::string>();
  }
  const auto tasks = json.find("tasks");
  if (tasks != json.end()) {
    card.knows_every_task = false;
    if (!tasks->is_array()) ThrowWrong(where, "tasks is not a list");
    for (const Json& task : *tasks) {
      if (!task.is_string()) ThrowWrong(where, "tasks has an entry that is not a string");
      card.tasks.push_back(task.get<std::string>());
    }
  }
  ReadLine(json, where, &card);
  ReadEquation(json, where, &card);
  return card;
}

}  // namespace octavo
