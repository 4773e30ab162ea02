// Families of golden cases of the MinerU packages: what octavo answers to an input.
#ifndef OCTAVO_TESTS_SUITES_CASE_FAMILIES_H_
#define OCTAVO_TESTS_SUITES_CASE_FAMILIES_H_

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "octavo/document.h"

namespace octavo {

struct CaseFamily {
  // octavo's answer in the form of `expected`. Throws nlohmann's exceptions for an input of another
  // form.
  nlohmann::json (*answer)(const nlohmann::json& input) = nullptr;
  // What is wrong with an answer where the reference raises; "" if it is sensible. Null: no case of
  // the family makes it raise.
  std::string (*judge_where_reference_fails)(const nlohmann::json& input,
                                             const nlohmann::json& answer) = nullptr;
  // For guesses of a model that octavo does not have: whether another guess than the reference's
  // does no harm. Such a case is named and counted as skipped; every other difference is a failure.
  // Null: answers must be equal.
  bool (*is_harmless_guess)(const nlohmann::json& expected, const nlohmann::json& answer) = nullptr;
};

using CaseFamilies = std::map<std::string, CaseFamily>;

// Of mineru-vl-utils: one block or one page at a time.
const CaseFamilies& VluFamilies();
// Of mineru 3: documents and functions on text.
const CaseFamilies& Mineru3Families();

// Two names of a programming language of which one says nothing: "txt".
bool IsHarmlessCodeGuess(const nlohmann::json& expected, const nlohmann::json& answer);

// Blocks in the form of the cases, and back.
std::vector<ContentBlock> BlocksFromJson(const nlohmann::json& blocks);
nlohmann::json BlocksToJson(const std::vector<ContentBlock>& blocks);

}  // namespace octavo

#endif  // OCTAVO_TESTS_SUITES_CASE_FAMILIES_H_
