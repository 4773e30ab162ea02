#include "suites/case_compare.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/str_cat.h"
#include "base/utf8.h"

namespace octavo {
namespace {

using nlohmann::json;

std::string Differ(const json& expected, const json& found, const std::string& where) {
  return StrCat(where.empty() ? "the answer" : where, ": expected ", ShortDump(expected),
                ", found ", ShortDump(found));
}

std::string DifferenceOfTexts(const std::string& expected, const std::string& found,
                              const std::string& where) {
  constexpr size_t kBefore = 20;
  size_t same = 0;
  while (same < std::min(expected.size(), found.size()) && expected[same] == found[same]) ++same;
  size_t begin = same > kBefore ? same - kBefore : 0;
  while (begin > 0 && (static_cast<unsigned char>(expected[begin]) & 0xC0u) == 0x80u) --begin;
  return Differ(expected.substr(begin), found.substr(begin),
                begin == 0 ? where : StrCat(where, " from byte ", begin));
}

std::string DifferenceOfObjects(const json& expected, const json& found, const std::string& where) {
  for (const auto& item : expected.items()) {
    const std::string place = StrCat(where, "/", item.key());
    if (!found.contains(item.key())) {
      return StrCat(place, ": expected ", ShortDump(item.value()), ", found nothing");
    }
    const std::string difference = FirstDifference(item.value(), found.at(item.key()), place);
    if (!difference.empty()) return difference;
  }
  for (const auto& item : found.items()) {
    if (expected.contains(item.key())) continue;
    return StrCat(where, "/", item.key(), ": expected nothing, found ", ShortDump(item.value()));
  }
  return "";
}

std::string DifferenceOfArrays(const json& expected, const json& found, const std::string& where) {
  for (size_t i = 0; i < std::min(expected.size(), found.size()); ++i) {
    const std::string difference = FirstDifference(expected[i], found[i], StrCat(where, "/", i));
    if (!difference.empty()) return difference;
  }
  if (expected.size() == found.size()) return "";
  return StrCat(where.empty() ? "the answer" : where, ": expected ", expected.size(),
                " items, found ", found.size());
}

}  // namespace

std::string ShortDump(const json& value) {
  return PrintableName(value.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string FirstDifference(const json& expected, const json& found, const std::string& where) {
  if (expected.is_number() && found.is_number()) {
    const bool is_same = std::abs(expected.get<double>() - found.get<double>()) <= 1e-9;
    return is_same ? "" : Differ(expected, found, where);
  }
  if (expected.type() != found.type()) return Differ(expected, found, where);
  if (expected.is_object()) return DifferenceOfObjects(expected, found, where);
  if (expected.is_array()) return DifferenceOfArrays(expected, found, where);
  if (expected == found) return "";
  if (!expected.is_string()) return Differ(expected, found, where);
  return DifferenceOfTexts(expected.get_ref<const std::string&>(),
                           found.get_ref<const std::string&>(), where);
}

}  // namespace octavo
