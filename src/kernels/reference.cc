#include "kernels/reference.h"

#include <algorithm>
#include <cmath>

namespace octavo {

Reference ReferenceDot(const float* x, int64_t x_stride, const float* w, int64_t w_stride,
                       int64_t k) {
  Reference sum;
  for (int64_t i = 0; i < k; ++i) {
    const double term = double{x[i * x_stride]} * double{w[i * w_stride]};
    sum.value += term;
    sum.magnitude += std::fabs(term);
  }
  return sum;
}

std::vector<Reference> ReferenceLayerNorm(const std::vector<float>& x,
                                          const std::vector<float>& weight,
                                          const std::vector<float>& bias, float eps) {
  const auto count = static_cast<double>(x.size());
  double mean = 0, magnitude = 0, variance = 0;
  for (const float v : x) {
    mean += v / count;
    magnitude += std::fabs(v) / count;
  }
  for (const float v : x) variance += (v - mean) * (v - mean) / count;
  const double scale = 1 / std::sqrt(variance + eps);
  std::vector<Reference> y;
  for (size_t i = 0; i < x.size(); ++i) {
    y.push_back(
        {(x[i] - mean) * scale * weight[i] + bias[i],
         (std::fabs(x[i]) + magnitude) * scale * std::fabs(weight[i]) + std::fabs(bias[i])});
  }
  return y;
}

std::vector<Reference> ReferenceRmsNorm(const std::vector<float>& x,
                                        const std::vector<float>& weight, float eps) {
  double squares = 0;
  for (const float v : x) squares += double{v} * v / static_cast<double>(x.size());
  std::vector<Reference> y;
  for (size_t i = 0; i < x.size(); ++i) {
    const double value = x[i] / std::sqrt(squares + eps) * weight[i];
    y.push_back({value, std::fabs(value)});
  }
  return y;
}

double ReferenceQuickGelu(double x) { return x / (1 + std::exp(-1.702 * x)); }
double ReferenceGelu(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }
double ReferenceSilu(double x) { return x / (1 + std::exp(-x)); }

std::vector<double> ReferenceSoftmax::Add(const std::vector<float>& scores) {
  double highest = maximum;
  for (const float score : scores) highest = std::max(highest, double{score});
  correction = std::exp2(double{static_cast<float>(maximum) - static_cast<float>(highest)});
  maximum = highest;
  sum *= correction;
  std::vector<double> powers;
  for (const float score : scores) {
    powers.push_back(std::exp2(double{score - static_cast<float>(highest)}));
    sum += powers.back();
  }
  return powers;
}

}  // namespace octavo
