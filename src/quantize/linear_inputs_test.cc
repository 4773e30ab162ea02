#include "quantize/linear_inputs.h"

#include <limits>

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(InputCollector, KeepsEvenlySpreadRowsWhateverThePieces) {
  std::vector<float> values;
  for (int i = 0; i < 100; ++i) {
    values.push_back(static_cast<float>(i));
    values.push_back(-2);
  }
  const ConstFloatMatrix all(values.data(), 100, 2);
  InputCollector whole({"lm.a"}, 10);
  whole.Expect("lm.", 100);
  whole.Take("lm.a", all);
  whole.Take("lm.b", all);
  InputCollector pieces({"lm.a"}, 10);
  pieces.Expect("lm.", 100);
  for (int64_t begin = 0; begin < 100; begin += 25) pieces.Take("lm.a", all.Rows(begin, 25));

  ASSERT_NE(whole.Find("lm.a"), nullptr);
  EXPECT_EQ(whole.Find("lm.b"), nullptr) << "a stage that nobody asked for";
  const LinearInputs& inputs = *whole.Find("lm.a");
  EXPECT_EQ(inputs.num_seen, 100);
  EXPECT_EQ(inputs.num_rows(), 10);
  EXPECT_EQ(inputs.sum_abs[0], 4950.0);
  EXPECT_EQ(inputs.sum_abs[1], 200.0);
  EXPECT_EQ(inputs.rows, pieces.Find("lm.a")->rows);
  EXPECT_EQ(inputs.matrix().row(9)[0] - inputs.matrix().row(0)[0], 90.0f);
}

TEST(InputCollector, KeepsAllOfFewRows) {
  const std::vector<float> values = {1, 2, 3};
  InputCollector collector({"x"}, 10);
  collector.Expect("x", 3);
  collector.Take("x", {values.data(), 3, 1});
  EXPECT_EQ(collector.Find("x")->rows, values);
  EXPECT_TRUE(collector.is_finite());
}

TEST(InputCollector, NoticesNumbersThatAreNotFinite) {
  const float value = std::numeric_limits<float>::infinity();
  InputCollector collector({"x"}, 10);
  collector.Take("x", {&value, 1, 1});
  EXPECT_FALSE(collector.is_finite());
}

}  // namespace
}  // namespace octavo
