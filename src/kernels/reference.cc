#include "kernels/reference.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

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

namespace {

// The scale of a group and its q.
template <typename Number>
float QuantizeGroup(const float* x, int count, float range, Number* q) {
  float most = 0;
  bool finite = true;
  for (int i = 0; i < count; ++i) {
    finite = finite && std::isfinite(x[i]);
    most = std::max(most, std::fabs(x[i]));
  }
  const float scale = finite ? most / range : std::numeric_limits<float>::quiet_NaN();
  for (int i = 0; i < count; ++i) {
    const float rounded = scale > 0 ? std::nearbyint(x[i] / scale) : 0.0f;
    q[i] = static_cast<Number>(std::clamp(rounded, -range, range));
  }
  return scale;
}

// Sum of f(q) over those of [begin, end) that belong to a lane.
template <typename F>
int LaneSum(const int8_t* q, int begin, int end, int lane, F f) {
  int sum = 0;
  for (int i = begin; i < end; ++i) sum += i / 2 % 2 == lane ? f(int{q[i]}) : 0;
  return sum;
}

uint16_t NormRoundedUp(int square) {
  return static_cast<uint16_t>(std::ceil(std::sqrt(static_cast<double>(square))));
}

ActivationGroup Describe(float scale, const int8_t* q, int count) {
  const auto same = [](int v) { return v; };
  const auto squared = [](int v) { return v * v; };
  ActivationGroup group{};
  group.scale = scale;
  int magnitude = 0;
  for (int lane = 0; lane < 2; ++lane) {
    const int sum = LaneSum(q, 0, count, lane, same);
    group.lane_sums[lane] = static_cast<int16_t>(sum);
    group.sum += static_cast<float>(sum);
    magnitude = std::max(magnitude, LaneSum(q, 0, count, lane, [](int v) { return std::abs(v); }));
    for (int begin = 0; begin < count; begin += 32) {
      group.part_lane_sums[begin / 32][lane] =
          static_cast<int16_t>(LaneSum(q, begin, begin + 32, lane, same));
      group.part_lane_norms[lane][begin / 32] =
          NormRoundedUp(LaneSum(q, begin, begin + 32, lane, squared));
    }
  }
  group.lane_magnitude = static_cast<uint16_t>(magnitude);
  return group;
}

}  // namespace

ReferenceActivations ReferenceQuantize(const std::vector<float>& x, int group_size) {
  ReferenceActivations result;
  result.q.resize(x.size());
  for (size_t i = 0; i < x.size(); i += static_cast<size_t>(group_size)) {
    const float scale = QuantizeGroup(x.data() + i, group_size, 127.0f, result.q.data() + i);
    result.groups.push_back(Describe(scale, result.q.data() + i, group_size));
  }
  return result;
}

ReferenceActivations16 ReferenceQuantize16(const std::vector<float>& x, int group_size) {
  ReferenceActivations16 result;
  result.q.resize(x.size());
  for (size_t i = 0; i < x.size(); i += static_cast<size_t>(group_size)) {
    result.scales.push_back(QuantizeGroup(x.data() + i, group_size, 32767.0f, result.q.data() + i));
  }
  return result;
}

namespace {

// A column of a packed matrix [.., k].
struct PackedColumn {
  const GroupLayout& layout;
  const std::byte* matrix;
  int64_t k, column;
};

template <typename Number>
float Product(const std::vector<Number>& x, const std::vector<float>& scales, const PackedColumn& w,
              float sum) {
  const GroupLayout& layout = w.layout;
  const auto c = static_cast<int>(w.column % kPanelColumns);
  for (int64_t g = 0; g < w.k / layout.group_size; ++g) {
    const std::byte* block = w.matrix + GroupBlockOffset(layout, w.k, w.column / kPanelColumns, g);
    const Number* q = x.data() + g * layout.group_size;
    int64_t dot = 0;
    for (int i = 0; i < layout.group_size; ++i) {
      dot += (GroupQ(layout, block, c, i) - GroupZero(layout, block, c)) * q[i];
    }
    const float scale = GroupScale(layout, block, c) * scales[static_cast<size_t>(g)];
    sum = std::fma(static_cast<float>(dot), scale, sum);
  }
  return sum;
}

}  // namespace

float ReferencePackedProduct(const ReferenceActivations& x, const GroupLayout& layout,
                             const std::byte* matrix, int64_t k, int64_t column, float sum) {
  std::vector<float> scales;
  for (const ActivationGroup& group : x.groups) scales.push_back(group.scale);
  return Product(x.q, scales, {layout, matrix, k, column}, sum);
}

float ReferencePackedProduct(const ReferenceActivations16& x, const GroupLayout& layout,
                             const std::byte* matrix, int64_t k, int64_t column, float sum) {
  return Product(x.q, x.scales, {layout, matrix, k, column}, sum);
}

}  // namespace octavo
