// Report: what a parity run checked, one line per failure.
#ifndef OCTAVO_TESTS_PARITY_REPORT_H_
#define OCTAVO_TESTS_PARITY_REPORT_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tensor/matrix_view.h"

namespace octavo::parity {

// Largest deviations that a stage may have; both must hold. 0: not limited.
struct Tolerance {
  double max_abs = 0;
  double rel_rms = 0;            // rms(got - expected) / rms(expected)
  bool scales_with_rms = false;  // max_abs * max(1, rms(expected))
};

// `print` gets every failure as it is found.
class Report {
 public:
  explicit Report(std::function<void(const std::string&)> print) : print_(std::move(print)) {}

  // `what` names stage and case.
  void Check(bool ok, const std::string& what, const std::string& detail);
  // Shapes and numbers; the message names the worst element.
  void CheckClose(const std::string& what, ConstFloatMatrix got, ConstFloatMatrix expected,
                  const Tolerance& tolerance);
  void CheckEqual(const std::string& what, std::span<const float> got,
                  std::span<const float> expected);
  void CheckEqual(const std::string& what, std::span<const int32_t> got,
                  std::span<const int32_t> expected);
  // Something that could not be checked; printed, not counted.
  void Note(const std::string& line) { print_(line); }

  int64_t num_passed() const { return num_passed_; }
  int64_t num_failed() const { return num_failed_; }

  // A running hash of numbers, to compare whole runs bit for bit.
  void Hash(std::span<const float> numbers);
  uint64_t hash() const { return hash_; }

 private:
  std::function<void(const std::string&)> print_;
  int64_t num_passed_ = 0;
  int64_t num_failed_ = 0;
  uint64_t hash_ = 0xCBF29CE484222325u;
};

}  // namespace octavo::parity

#endif  // OCTAVO_TESTS_PARITY_REPORT_H_
