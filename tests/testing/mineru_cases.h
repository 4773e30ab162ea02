// Golden cases of the MinerU packages (tests/data/mineru), without JSON in the tests that use them.
#ifndef OCTAVO_TESTS_TESTING_MINERU_CASES_H_
#define OCTAVO_TESTS_TESTING_MINERU_CASES_H_

#include <string>
#include <vector>

#include "octavo/document.h"

namespace octavo {

// A family whose input is one text.
struct TextCase {
  std::string name;
  std::string raw;
  std::string expected;  // of families with a text as answer
  std::vector<ContentBlock> expected_blocks;
};
std::vector<TextCase> ReadTextCases(const std::string& family);

// A family whose input is a page of blocks.
struct BlocksCase {
  std::string name;
  std::vector<ContentBlock> blocks;
  bool simple = false;
  bool abandon_list = false;
  bool abandon_paratext = false;
  bool table_formula_eq_wrap = false;
  std::vector<ContentBlock> expected;
};
std::vector<BlocksCase> ReadBlocksCases(const std::string& family);

struct CropResizeCase {
  std::string name;
  int width = 0;
  int height = 0;
  int expected_width = 0;
  int expected_height = 0;
};
std::vector<CropResizeCase> ReadCropResizeCases();

struct RequestsCase {
  struct Request {
    size_t block = 0;
    std::string prompt;
    std::string sampling;
    int width = 0;
    int height = 0;
    bool operator==(const Request&) const = default;
  };
  std::string name;
  int page_width = 0;
  int page_height = 0;
  std::vector<ContentBlock> blocks;
  bool image_analysis = false;
  std::vector<std::string> not_extract;
  std::vector<std::string> expected_types;
  std::vector<Request> expected;
};
std::vector<RequestsCase> ReadRequestsCases();

// One line per block, for comparison and messages.
std::string Describe(const std::vector<ContentBlock>& blocks);

}  // namespace octavo

#endif  // OCTAVO_TESTS_TESTING_MINERU_CASES_H_
