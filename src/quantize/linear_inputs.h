// What linear layers read while calibration pages run: the mean size of each input, and some rows.
#ifndef OCTAVO_QUANTIZE_LINEAR_INPUTS_H_
#define OCTAVO_QUANTIZE_LINEAR_INPUTS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/matrix_view.h"

namespace octavo {

// Inputs of one linear layer, or of several that read the same.
struct LinearInputs {
  int64_t k = 0;
  int64_t num_seen = 0;         // rows that went by
  std::vector<double> sum_abs;  // [K], over all of them
  std::vector<float> rows;      // [num_rows(), K]: some, evenly spread

  int64_t num_rows() const { return k == 0 ? 0 : static_cast<int64_t>(rows.size()) / k; }
  ConstFloatMatrix matrix() const { return {rows.data(), num_rows(), k}; }
};

// Collects the inputs of the stages (model/stage_observer.h) that are named. Which rows are kept
// depends on their number only. One thread.
class InputCollector {
 public:
  // Of every stage about `max_rows` rows are kept, of `expected_rows` that will come.
  InputCollector(std::set<std::string, std::less<>> stages, int64_t max_rows)
      : stages_(std::move(stages)), max_rows_(max_rows) {}

  // Stages whose name begins with `prefix` will see so many rows. Before they come.
  void Expect(std::string_view prefix, int64_t num_rows);
  void Take(std::string_view stage, ConstFloatMatrix rows);

  // nullptr if nothing of that stage came by.
  const LinearInputs* Find(std::string_view stage) const;
  // False if a number of any stage was a NaN or an infinity.
  bool is_finite() const { return is_finite_; }

 private:
  int64_t ExpectedRows(std::string_view stage) const;

  std::set<std::string, std::less<>> stages_;
  int64_t max_rows_;
  std::map<std::string, int64_t, std::less<>> expected_;
  std::map<std::string, LinearInputs, std::less<>> inputs_;
  bool is_finite_ = true;
};

}  // namespace octavo

#endif  // OCTAVO_QUANTIZE_LINEAR_INPUTS_H_
