#include "evaluate/gate_record.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/json.h"
#include "base/str_cat.h"
#include "octavo/error.h"

namespace octavo {
namespace {

using Json = nlohmann::json;

constexpr char kFormat[] = "octavo-gate";
constexpr int kVersion = 1;
constexpr size_t kMaxEntries = 16;
constexpr size_t kMaxReasons = 8;
constexpr double kMaxFigure = 1e9;
constexpr size_t kMaxReasonBytes = 400;

class Reader {
 public:
  explicit Reader(std::string_view where) : where_(where) {}

  [[noreturn]] void Fail(const std::string& what) const {
    throw Error(ErrorCode::kDataLoss, StrCat(where_, ": ", what));
  }
  const Json& Member(const Json& object, const char* key) const {
    if (!object.is_object()) Fail("found no JSON object, expected a gate record");
    const auto it = object.find(key);
    if (it == object.end()) Fail(StrCat("has no ", key));
    return *it;
  }
  std::string Text(const Json& object, const char* key) const {
    const Json& value = Member(object, key);
    if (!value.is_string()) Fail(StrCat(key, " is no text"));
    return value.get<std::string>();
  }
  bool Truth(const Json& object, const char* key) const {
    const Json& value = Member(object, key);
    if (!value.is_boolean()) Fail(StrCat(key, " is neither true nor false"));
    return value.get<bool>();
  }
  const Json& List(const Json& object, const char* key, size_t max_size) const {
    const Json& value = Member(object, key);
    if (!value.is_array()) Fail(StrCat(key, " is no list"));
    if (value.size() > max_size) {
      Fail(StrCat(key, " has ", value.size(), " entries, expected at most ", max_size));
    }
    return value;
  }
  std::array<double, 2> Pair(const Json& object, const char* key) const {
    const Json& value = List(object, key, 2);
    if (value.size() != 2 || !value[0].is_number() || !value[1].is_number()) {
      Fail(StrCat(key, " is no pair of numbers"));
    }
    const std::array<double, 2> pair = {value[0].get<double>(), value[1].get<double>()};
    for (const double number : pair) {
      if (!(number >= 0 && number <= kMaxFigure)) {
        Fail(StrCat(key, " has ", number, ", expected 0 to ", kMaxFigure));
      }
    }
    return pair;
  }

  GateEntry Entry(const Json& json) const {
    GateEntry entry;
    entry.quality = Text(json, "quality");
    entry.savings = Text(json, "savings");
    entry.passed = Truth(json, "passed");
    for (const Json& reason : List(json, "reasons", kMaxReasons)) {
      if (!reason.is_string()) Fail("a reason is no text");
      entry.reasons.push_back(reason.get<std::string>());
    }
    const Json& pages = Member(json, "pages");
    if (!pages.is_number_integer() || pages.get<int64_t>() < 0 ||
        pages.get<int64_t>() > INT32_MAX) {
      Fail("pages is no number of pages");
    }
    entry.num_pages = pages.get<int>();
    entry.character_error = Pair(json, "character_error");
    entry.seconds_per_page = Pair(json, "seconds_per_page");
    return entry;
  }

 private:
  std::string_view where_;
};

nlohmann::ordered_json Rounded(const std::array<double, 2>& pair) {
  const auto rounded = [](double value) {
    return std::min(std::round(value * 1e6) / 1e6, kMaxFigure);
  };
  return {rounded(pair[0]), rounded(pair[1])};
}

}  // namespace

const GateEntry* GateRecord::Find(std::string_view quality, std::string_view savings) const {
  const auto it = std::find_if(gates.begin(), gates.end(), [&](const GateEntry& entry) {
    return entry.quality == quality && entry.savings == savings;
  });
  return it == gates.end() ? nullptr : &*it;
}

void GateRecord::Set(GateEntry entry) {
  gates.erase(std::remove_if(gates.begin(), gates.end(),
                             [&](const GateEntry& old) { return old.quality == entry.quality; }),
              gates.end());
  gates.push_back(std::move(entry));
}

GateRecord ParseGateRecord(std::string_view text, std::string_view where) {
  const Json root = ParseJson(text, where);
  const Reader reader(where);
  if (reader.Text(root, "format") != kFormat) {
    reader.Fail(StrCat("format is no ", kFormat));
  }
  const Json& version = reader.Member(root, "version");
  if (!version.is_number_integer() || version.get<int64_t>() != kVersion) {
    throw Error(ErrorCode::kUnsupported,
                StrCat(where, ": version is not ", kVersion, ", the only one that is read"));
  }
  GateRecord record;
  record.model = reader.Text(root, "model");
  for (const Json& entry : reader.List(root, "gates", kMaxEntries)) {
    record.gates.push_back(reader.Entry(entry));
  }
  return record;
}

std::string GateRecordJson(const GateRecord& record) {
  nlohmann::ordered_json json;
  json["format"] = kFormat;
  json["version"] = kVersion;
  json["model"] = record.model;
  json["gates"] = nlohmann::ordered_json::array();
  for (const GateEntry& entry : record.gates) {
    nlohmann::ordered_json item;
    item["quality"] = entry.quality;
    item["savings"] = entry.savings;
    item["passed"] = entry.passed;
    item["reasons"] = nlohmann::ordered_json::array();
    for (size_t i = 0; i < std::min(entry.reasons.size(), kMaxReasons); ++i) {
      item["reasons"].push_back(entry.reasons[i].substr(0, kMaxReasonBytes));
    }
    item["pages"] = entry.num_pages;
    item["character_error"] = Rounded(entry.character_error);
    item["seconds_per_page"] = Rounded(entry.seconds_per_page);
    json["gates"].push_back(std::move(item));
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace octavo
