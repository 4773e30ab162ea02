#include "tests/parity/report.h"

#include <gtest/gtest.h>

#include <limits>

namespace octavo::parity {
namespace {

std::string FailureOf(std::vector<float> got, std::vector<float> expected, Tolerance tolerance) {
  std::string line;
  Report report([&](const std::string& printed) { line = printed; });
  const auto cols = static_cast<int64_t>(got.size());
  report.CheckClose("stage", ConstFloatMatrix(got.data(), 1, cols),
                    ConstFloatMatrix(expected.data(), 1, static_cast<int64_t>(expected.size())),
                    tolerance);
  EXPECT_EQ(report.num_passed() + report.num_failed(), 1);
  return line;
}

TEST(ParityReport, NamesTheWorstElement) {
  EXPECT_EQ(FailureOf({1, 2, 3}, {1, 2, 3}, {.max_abs = 1e-9}), "");
  const std::string line = FailureOf({1, 2.5f, 3}, {1, 2, 3}, {.max_abs = 0.4});
  EXPECT_NE(line.find("[0, 1]: 2.5, expected 2"), std::string::npos) << line;
}

TEST(ParityReport, RefusesNanAndOtherShapes) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(FailureOf({1, nan, 9}, {1, 2, 3}, {.max_abs = 100}), "");
  EXPECT_NE(FailureOf({1, 2}, {1, 2, 3}, {.max_abs = 100}), "");
}

TEST(ParityReport, ScalesTheLimitWithTheReferenceOnlyWhereAsked) {
  EXPECT_NE(FailureOf({100, 101}, {100, 100}, {.max_abs = 0.5}), "");
  EXPECT_EQ(FailureOf({100, 101}, {100, 100}, {.max_abs = 0.5, .scales_with_rms = true}), "");
  EXPECT_NE(FailureOf({100, 101}, {100, 100}, {.rel_rms = 0.001}), "");
}

}  // namespace
}  // namespace octavo::parity
