#include "quantize/linear_inputs.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace octavo {

void InputCollector::Expect(std::string_view prefix, int64_t num_rows) {
  expected_[std::string(prefix)] = num_rows;
}

int64_t InputCollector::ExpectedRows(std::string_view stage) const {
  for (const auto& [prefix, rows] : expected_) {
    if (stage.substr(0, prefix.size()) == prefix) return rows;
  }
  return 0;
}

void InputCollector::Take(std::string_view stage, ConstFloatMatrix rows) {
  if (!stages_.contains(stage)) return;
  LinearInputs& inputs = inputs_[std::string(stage)];
  if (inputs.k == 0) {
    inputs.k = rows.cols;
    inputs.sum_abs.resize(static_cast<size_t>(rows.cols));
  }
  OCTAVO_CHECK(inputs.k == rows.cols, stage);
  const int64_t expected = std::max<int64_t>(1, ExpectedRows(stage));
  double all = 0;
  for (int64_t r = 0; r < rows.rows; ++r) {
    const float* const row = rows.row(r);
    for (int64_t i = 0; i < rows.cols; ++i) {
      const auto size = static_cast<double>(std::abs(row[i]));
      inputs.sum_abs[static_cast<size_t>(i)] += size;
      all += size;
    }
    // Row n is kept where n * max / expected passes a whole number.
    const int64_t n = inputs.num_seen++;
    if (expected <= max_rows_ || (n + 1) * max_rows_ / expected > n * max_rows_ / expected) {
      inputs.rows.insert(inputs.rows.end(), row, row + rows.cols);
    }
  }
  if (!std::isfinite(all)) is_finite_ = false;
}

const LinearInputs* InputCollector::Find(std::string_view stage) const {
  const auto found = inputs_.find(stage);
  return found == inputs_.end() ? nullptr : &found->second;
}

}  // namespace octavo
