#include "tests/parity/report.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/str_cat.h"

namespace octavo::parity {

void Report::Check(bool ok, const std::string& what, const std::string& detail) {
  if (ok) {
    ++num_passed_;
    return;
  }
  ++num_failed_;
  print_(StrCat("FAILED ", what, ": ", detail));
}

void Report::CheckClose(const std::string& what, ConstFloatMatrix got, ConstFloatMatrix expected,
                        const Tolerance& tolerance) {
  if (got.rows != expected.rows || got.cols != expected.cols) {
    Check(false, what,
          StrCat("shape ", got.rows, " x ", got.cols, ", expected ", expected.rows, " x ",
                 expected.cols));
    return;
  }
  double sum_squares = 0;
  double error_squares = 0;
  double worst = -1;
  int64_t worst_row = 0;
  int64_t worst_col = 0;
  for (int64_t r = 0; r < expected.rows; ++r) {
    for (int64_t c = 0; c < expected.cols; ++c) {
      const double x = static_cast<double>(expected.row(r)[c]);
      const double error = std::abs(static_cast<double>(got.row(r)[c]) - x);
      sum_squares += x * x;
      error_squares += error * error;
      // A NaN compares false with everything: it is the worst there is.
      if (error <= worst) continue;
      worst = std::isnan(error) ? HUGE_VAL : error;
      worst_row = r;
      worst_col = c;
    }
  }
  const double count = std::max(1.0, static_cast<double>(expected.rows * expected.cols));
  const double rms = std::sqrt(sum_squares / count);
  const double rel_rms = std::sqrt(error_squares / count) / (rms > 0 ? rms : 1);
  const double abs_limit = tolerance.max_abs * (tolerance.scales_with_rms ? std::max(1.0, rms) : 1);
  const bool abs_ok = tolerance.max_abs == 0 || worst <= abs_limit;
  const bool rms_ok = tolerance.rel_rms == 0 || rel_rms <= tolerance.rel_rms;
  std::string detail;
  if (!abs_ok || !rms_ok) {
    detail =
        StrCat("max_abs ", worst, " / ", abs_limit, ", rel_rms ", rel_rms, " / ", tolerance.rel_rms,
               ", worst at [", worst_row, ", ", worst_col, "]: ", got.row(worst_row)[worst_col],
               ", expected ", expected.row(worst_row)[worst_col]);
  }
  Check(abs_ok && rms_ok, what, detail);
}

namespace {

template <typename T, typename Same>
std::string FirstDifference(std::span<const T> got, std::span<const T> expected, Same same) {
  if (got.size() != expected.size()) {
    return StrCat(got.size(), " numbers, expected ", expected.size());
  }
  int64_t num_differing = 0;
  std::string first;
  for (size_t i = 0; i < got.size(); ++i) {
    if (same(got[i], expected[i])) continue;
    if (num_differing++ == 0) {
      first = StrCat("first at ", i, ": ", got[i], ", expected ", expected[i]);
    }
  }
  if (num_differing == 0) return "";
  return StrCat(num_differing, " of ", got.size(), " differ, ", first);
}

}  // namespace

void Report::CheckEqual(const std::string& what, std::span<const float> got,
                        std::span<const float> expected) {
  const std::string difference = FirstDifference(got, expected, [](float a, float b) {
    return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
  });
  Check(difference.empty(), what, difference);
}

void Report::CheckEqual(const std::string& what, std::span<const int32_t> got,
                        std::span<const int32_t> expected) {
  const std::string difference =
      FirstDifference(got, expected, [](int32_t a, int32_t b) { return a == b; });
  Check(difference.empty(), what, difference);
}

void Report::Hash(std::span<const float> numbers) {
  for (const float x : numbers) {
    hash_ = (hash_ ^ std::bit_cast<uint32_t>(x)) * 0x100000001B3u;
  }
}

}  // namespace octavo::parity
