// Compares JSON values and says where they first differ.
#ifndef OCTAVO_TESTS_SUITES_CASE_COMPARE_H_
#define OCTAVO_TESTS_SUITES_CASE_COMPARE_H_

#include <string>

#include <nlohmann/json.hpp>

namespace octavo {

// "" if equal (numbers within 1e-9), else one line: where, what was expected, what was found.
std::string FirstDifference(const nlohmann::json& expected, const nlohmann::json& found,
                            const std::string& where = "");

// A value on one line, cut after some 120 bytes.
std::string ShortDump(const nlohmann::json& value);

}  // namespace octavo

#endif  // OCTAVO_TESTS_SUITES_CASE_COMPARE_H_
