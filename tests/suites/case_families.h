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
  // The answer is a guess of a model that octavo does not have (fastText, Magika): another name
  // than the reference's is told and counted as skipped.
  bool is_guess = false;
};

using CaseFamilies = std::map<std::string, CaseFamily>;

// Of mineru-vl-utils: one block or one page at a time.
const CaseFamilies& VluFamilies();
// Of mineru 3: documents and functions on text.
const CaseFamilies& Mineru3Families();

// Blocks in the form of the cases, and back.
std::vector<ContentBlock> BlocksFromJson(const nlohmann::json& blocks);
nlohmann::json BlocksToJson(const std::vector<ContentBlock>& blocks);

}  // namespace octavo

#endif  // OCTAVO_TESTS_SUITES_CASE_FAMILIES_H_
