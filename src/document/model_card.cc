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

// A part of the card whose values are pixels; {} where it is not there.
Json SizesOf(const Json& card, const char* part, const std::string& where) {
  const auto found = card.find(part);
  if (found == card.end()) return Json::object();
  if (!found->is_object()) ThrowWrong(where, StrCat(part, " is not an object"));
  for (const auto& [key, value] : found->items()) {
    if (!value.is_number_integer() || value < 0 || value > 10000) {
      ThrowWrong(where, StrCat(part, ".", key, " is not a whole number of 0 to 10000"));
    }
  }
  return *found;
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
  const Json line = SizesOf(json, "line", where);
  card.line_height_px = line.value("height_px", 0);
  card.line_min_width_px = line.value("min_width_px", 0);
  card.line_max_width_px = line.value("max_width_px", 0);
  const Json equation = SizesOf(json, "equation", where);
  card.equation_min_letter_px = equation.value("min_letter_px", 0);
  card.equation_max_letter_px = equation.value("max_letter_px", 0);
  card.equation_min_width_px = equation.value("min_width_px", 0);
  card.equation_max_width_px = equation.value("max_width_px", 0);
  card.equation_multiple_px = equation.value("multiple_px", 0);
  return card;
}

}  // namespace octavo
