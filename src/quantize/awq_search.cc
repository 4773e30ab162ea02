#include "quantize/awq_search.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/check.h"
#include "base/thread_pool.h"
#include "ops/matmul.h"
#include "ops/packed_weight.h"
#include "quantize/group_rounding.h"

namespace octavo {
namespace {

constexpr int kScaleSteps = 20;
constexpr int kClipSteps = 10;  // of 20: the least bound is 0.55 of the largest weight
constexpr float kLeastScale = 1e-4f;
constexpr int64_t kRowGrain = 16;

ops::PackedWeight Pack(const ops::Context& context, const float* values, int64_t n, int64_t k) {
  const TensorView view = {reinterpret_cast<const std::byte*>(values), DType::kF32, Shape{n, k}};
  return ops::PackedWeight::Pack(context, view, n, k);
}

// Adds |w| relative to the largest of the group.
void AddRelative(const float* w, int64_t group_size, double* sums) {
  float most = 0;
  for (int64_t i = 0; i < group_size; ++i) most = std::max(most, std::abs(w[i]));
  for (int64_t i = 0; i < group_size; ++i) {
    sums[i] += static_cast<double>(std::abs(w[i]) / (most + 1e-6f));
  }
}

// Mean over linears and rows of |w| relative to the largest of its group; [K].
std::vector<double> RelativeWeights(std::span<const SearchedLinear> linears) {
  const int64_t k = linears[0].layout.k;
  std::vector<double> sums(static_cast<size_t>(k));
  int64_t num_rows = 0;
  for (const SearchedLinear& linear : linears) {
    const int64_t group = linear.layout.group.group_size;
    for (int64_t r = 0; r < linear.layout.n; ++r) {
      const float* const row = linear.weights.data() + r * k;
      for (int64_t begin = 0; begin < k; begin += group) {
        AddRelative(row + begin, group, sums.data() + begin);
      }
    }
    num_rows += linear.layout.n;
  }
  for (double& sum : sums) sum /= static_cast<double>(num_rows);
  return sums;
}

// Mean of the values of each channel, given to all its columns.
void ShareChannels(std::span<const int32_t> channels, std::vector<double>* values) {
  if (channels.empty()) return;
  const int32_t most = *std::max_element(channels.begin(), channels.end());
  std::vector<double> sums(static_cast<size_t>(most) + 1);
  std::vector<double> counts(sums.size());
  for (size_t i = 0; i < channels.size(); ++i) {
    sums[static_cast<size_t>(channels[i])] += (*values)[i];
    counts[static_cast<size_t>(channels[i])] += 1;
  }
  for (size_t i = 0; i < channels.size(); ++i) {
    const auto channel = static_cast<size_t>(channels[i]);
    (*values)[i] = sums[channel] / counts[channel];
  }
}

// One try of the grid; centred so that the largest times the smallest is 1.
std::vector<float> ScalesOf(std::span<const double> inputs, std::span<const double> weights,
                            double ratio) {
  std::vector<double> scales(inputs.size());
  double most = 0;
  double least = 1e300;
  for (size_t i = 0; i < scales.size(); ++i) {
    scales[i] = std::max(std::pow(inputs[i], ratio) / (std::pow(weights[i], 1 - ratio) + 1e-4),
                         static_cast<double>(kLeastScale));
    most = std::max(most, scales[i]);
    least = std::min(least, scales[i]);
  }
  const double middle = std::sqrt(most * least);
  std::vector<float> result(scales.size(), 1.0f);
  for (size_t i = 0; i < scales.size(); ++i) {
    const auto scale = static_cast<float>(scales[i] / middle);
    if (std::isfinite(scale) && scale > 0) result[i] = scale;
  }
  return result;
}

// product: [size, size], to which x x^T is added.
void AddOuterProduct(const float* x, int64_t size, float* product) {
  for (int64_t i = 0; i < size; ++i) {
    float* const line = product + i * size;
    for (int64_t j = 0; j < size; ++j) line[j] += x[i] * x[j];
  }
}

// product: [size, size], of group g: its inputs divided by their factors, x x^T summed over rows.
void GroupProduct(const LinearInputs& inputs, std::span<const float> scales, int64_t g,
                  int64_t size, float* product) {
  std::vector<float> x(static_cast<size_t>(size));
  std::fill(product, product + size * size, 0.0f);
  for (int64_t t = 0; t < inputs.num_rows(); ++t) {
    const float* const row = inputs.matrix().row(t) + g * size;
    for (int64_t i = 0; i < size; ++i) {
      const auto column = static_cast<size_t>(g * size + i);
      x[static_cast<size_t>(i)] = scales.empty() ? row[i] : row[i] / scales[column];
    }
    AddOuterProduct(x.data(), size, product);
  }
}

// Of each group of inputs, divided by their factors, the products of each two, summed over rows:
// the error of a row of weights is then e G e^T.
std::vector<ops::PackedWeight> GroupProducts(const ops::Context& context,
                                             const LinearInputs& inputs,
                                             std::span<const float> scales, int64_t size) {
  const int64_t num_groups = inputs.k / size;
  AlignedBuffer<float> products(static_cast<size_t>(num_groups * size * size));
  context.pool->ParallelFor(num_groups, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t g = begin; g < end; ++g) {
      GroupProduct(inputs, scales, g, size, products.data() + g * size * size);
    }
  });
  std::vector<ops::PackedWeight> packed;
  for (int64_t g = 0; g < num_groups; ++g) {
    packed.push_back(Pack(context, products.data() + g * size * size, size, size));
  }
  return packed;
}

// Rounding errors [N, K] of weights clipped at `share` of their group's largest; limits: [N, K /
// group size].
void ClippedError(const ops::Context& context, const SearchedLinear& linear, float share,
                  AlignedBuffer<float>* error, std::vector<float>* limits) {
  const int size = linear.layout.group.group_size;
  const int64_t num_groups = linear.layout.k / size;
  context.pool->ParallelFor(linear.layout.n, kRowGrain, [&](int64_t begin, int64_t end, int) {
    for (int64_t place = begin * num_groups; place < end * num_groups; ++place) {
      const float* const w = linear.weights.data() + place * size;
      float* const e = error->data() + place * size;
      float most = 0;
      for (int i = 0; i < size; ++i) most = std::max(most, std::abs(w[i]));
      const float limit = most * share;
      for (int i = 0; i < size; ++i) e[i] = std::clamp(w[i], -limit, limit);
      const GroupRange range = FindGroupRange(linear.layout.group, e, size);
      if (std::isfinite(range.scale)) RoundGroupToFloats(range, e, size, e);
      for (int i = 0; i < size; ++i) e[i] -= w[i];
      (*limits)[static_cast<size_t>(place)] = limit;
    }
  });
}

}  // namespace

void AwqSearch::Round(const PackedLayout& layout, AlignedBuffer<float>* weights) const {
  const int size = layout.group.group_size;
  context_.pool->ParallelFor(layout.n, kRowGrain, [&](int64_t begin, int64_t end, int) {
    for (float* w = weights->data() + begin * layout.k; w < weights->data() + end * layout.k;
         w += size) {
      const GroupRange range = FindGroupRange(layout.group, w, size);
      if (std::isfinite(range.scale)) RoundGroupToFloats(range, w, size, w);
    }
  });
}

double AwqSearch::Energy(const LinearInputs& inputs, int64_t n,
                         const AlignedBuffer<float>& w) const {
  const ops::PackedWeight packed = Pack(context_, w.data(), n, inputs.k);
  const int64_t rows = inputs.num_rows();
  AlignedBuffer<float> y(static_cast<size_t>(rows * n));
  ops::Matmul(context_, inputs.matrix(), packed, {y.data(), rows, n}, {});
  std::vector<double> sums(static_cast<size_t>(rows));
  context_.pool->ParallelFor(rows, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t r = begin; r < end; ++r) {
      double sum = 0;
      for (int64_t i = 0; i < n; ++i) {
        const auto value = static_cast<double>(y[static_cast<size_t>(r * n + i)]);
        sum += value * value;
      }
      sums[static_cast<size_t>(r)] = sum;
    }
  });
  double all = 0;
  for (const double sum : sums) all += sum;
  return all;
}

namespace {

// e: [K], the error of a row of weights that is multiplied by scales, rounded and divided again.
void RowScaledError(const PackedLayout& layout, const float* w, std::span<const float> scales,
                    float* e) {
  const int size = layout.group.group_size;
  for (int64_t g = 0; g < layout.k; g += size) {
    for (int64_t i = g; i < g + size; ++i) e[i] = w[i] * scales[static_cast<size_t>(i)];
    const GroupRange range = FindGroupRange(layout.group, e + g, size);
    // What the scale's type cannot hold would be refused later: never the best.
    if (!std::isfinite(range.scale)) {
      std::fill(e + g, e + g + size, 1e18f);
      continue;
    }
    RoundGroupToFloats(range, e + g, size, e + g);
    for (int64_t i = g; i < g + size; ++i) e[i] = e[i] / scales[static_cast<size_t>(i)] - w[i];
  }
}

double Dot(const float* a, const float* b, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
  return sum;
}

}  // namespace

AlignedBuffer<float> AwqSearch::ScaledError(const SearchedLinear& linear,
                                            std::span<const float> scales) const {
  const int64_t k = linear.layout.k;
  AlignedBuffer<float> error(linear.weights.size());
  context_.pool->ParallelFor(linear.layout.n, kRowGrain, [&](int64_t begin, int64_t end, int) {
    for (int64_t r = begin; r < end; ++r) {
      RowScaledError(linear.layout, linear.weights.data() + r * k, scales, error.data() + r * k);
    }
  });
  return error;
}

std::vector<float> AwqSearch::FindScales(const LinearInputs& inputs,
                                         std::span<const SearchedLinear> linears,
                                         std::span<const int32_t> channels) const {
  const int64_t k = inputs.k;
  OCTAVO_CHECK(!linears.empty() && inputs.num_rows() > 0);
  OCTAVO_CHECK(channels.empty() || channels.size() == static_cast<size_t>(k));
  std::vector<double> sizes(inputs.sum_abs);
  for (double& size : sizes) size /= static_cast<double>(inputs.num_seen);
  std::vector<double> weights = RelativeWeights(linears);
  ShareChannels(channels, &sizes);
  ShareChannels(channels, &weights);

  std::vector<double> energies;
  for (const SearchedLinear& linear : linears) {
    OCTAVO_CHECK(linear.layout.k == k && linear.layout.is_quantized());
    energies.push_back(Energy(inputs, linear.layout.n, linear.weights));
  }
  const auto loss = [&](std::span<const float> scales) {
    double sum = 0;
    for (size_t i = 0; i < linears.size(); ++i) {
      if (energies[i] <= 0) continue;
      sum += Energy(inputs, linears[i].layout.n, ScaledError(linears[i], scales)) / energies[i];
    }
    return sum;
  };
  std::vector<float> best;
  double least = loss(std::vector<float>(static_cast<size_t>(k), 1.0f));
  for (int step = 0; step < kScaleSteps; ++step) {
    std::vector<float> scales = ScalesOf(sizes, weights, static_cast<double>(step) / kScaleSteps);
    const double error = loss(scales);
    if (!(error < least)) continue;
    least = error;
    best = std::move(scales);
  }
  return best;
}

std::vector<float> AwqSearch::FindClip(const LinearInputs& inputs, std::span<const float> scales,
                                       const SearchedLinear& linear, int64_t first_row) const {
  const int64_t n = linear.layout.n;
  const int64_t k = linear.layout.k;
  const int64_t size = linear.layout.group.group_size;
  const int64_t num_groups = k / size;
  const std::vector<ops::PackedWeight> products = GroupProducts(context_, inputs, scales, size);
  std::vector<float> best(static_cast<size_t>(n * num_groups));
  std::vector<float> limits(best.size());
  std::vector<double> least(best.size());
  AlignedBuffer<float> error(linear.weights.size());
  AlignedBuffer<float> y(static_cast<size_t>(n * size));
  const ConstFloatMatrix errors(error.data(), n, k);
  for (int step = 0; step < kClipSteps; ++step) {
    ClippedError(context_, linear, 1.0f - static_cast<float>(step) / (2 * kClipSteps), &error,
                 &limits);
    const auto keep_better = [&](int64_t r, int64_t g, const float* e, const float* product) {
      const double sum = Dot(e, product, size);
      const auto place = static_cast<size_t>(r * num_groups + g);
      if (step > 0 && (r < first_row || !(sum < least[place]))) return;
      least[place] = sum;
      best[place] = limits[place];
    };
    for (int64_t g = 0; g < num_groups; ++g) {
      const ConstFloatMatrix e = errors.Cols(g * size, size);
      ops::Matmul(context_, e, products[static_cast<size_t>(g)], {y.data(), n, size}, {});
      context_.pool->ParallelFor(n, kRowGrain, [&](int64_t begin, int64_t end, int) {
        for (int64_t r = begin; r < end; ++r) keep_better(r, g, e.row(r), y.data() + r * size);
      });
    }
  }
  return best;
}

double AwqSearch::OutputError(const LinearInputs& inputs, const SearchedLinear& linear,
                              const AlignedBuffer<float>& changed) const {
  AlignedBuffer<float> difference(changed.size());
  for (size_t i = 0; i < changed.size(); ++i) difference[i] = changed[i] - linear.weights[i];
  const double all = Energy(inputs, linear.layout.n, linear.weights);
  return all > 0 ? Energy(inputs, linear.layout.n, difference) / all : 0;
}

}  // namespace octavo
