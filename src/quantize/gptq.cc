#include "quantize/gptq.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/thread_pool.h"
#include "ops/matmul.h"
#include "ops/packed_weight.h"
#include "ops/workspace.h"
#include "quantize/awq_search.h"
#include "quantize/group_rounding.h"

namespace octavo {
namespace {

constexpr int64_t kRowGrain = 4;
constexpr int64_t kMaxGroup = 128;
constexpr int kHeldOutOf = 4;  // every fourth row chooses
constexpr double kDampings[] = {0.01, 0.1, 1};

// Rounds one matrix, one group's number of columns at a time.
class Rounder {
 public:
  Rounder(const ops::Context& context, const GptqFactor& factor, const SearchedLinear& linear)
      : context_(context),
        factor_(factor),
        linear_(linear),
        layout_(linear.layout),
        size_(layout_.group.group_size),
        num_groups_(layout_.k / size_),
        errors_(linear.weights.size()),
        current_(static_cast<size_t>(layout_.n * size_)),
        q_(linear.weights.size()),
        ranges_(static_cast<size_t>(layout_.n * num_groups_)) {
    rounding_.values = AlignedBuffer<float>(linear.weights.size());
  }

  GptqRounding Round() {
    if (factor_.is_ordered) MeasureGroups();
    for (int64_t begin = 0; begin < layout_.k && rounding_.is_in_range; begin += size_) {
      RoundBlock(begin);
    }
    if (rounding_.is_in_range) Pack();
    return std::move(rounding_);
  }

 private:
  GroupRange& RangeOf(int64_t row, int64_t group) {
    return ranges_[static_cast<size_t>(row * num_groups_ + group)];
  }
  int64_t ColumnAt(int64_t place) const { return factor_.order[static_cast<size_t>(place)]; }

  void Measure(int64_t row, int64_t group, const float* w) {
    GroupRange& range = RangeOf(row, group);
    range = FindGroupRange(layout_.group, w, static_cast<int>(size_));
    if (!std::isfinite(range.scale)) is_in_range_ = false;
  }

  void MeasureGroups() {
    context_.pool->ParallelFor(layout_.n, kRowGrain, [&](int64_t begin, int64_t end, int) {
      for (int64_t r = begin; r < end; ++r) {
        for (int64_t g = 0; g < num_groups_; ++g) {
          Measure(r, g, linear_.weights.data() + r * layout_.k + g * size_);
        }
      }
    });
    rounding_.is_in_range = is_in_range_;
  }

  // Columns at places [begin, begin + size): what errors before them add, then one after another.
  void RoundBlock(int64_t begin) {
    const FloatMatrix current(current_.data(), layout_.n, size_);
    for (int64_t r = 0; r < layout_.n; ++r) {
      const float* const w = linear_.weights.data() + r * layout_.k;
      for (int64_t i = 0; i < size_; ++i) current.row(r)[i] = w[ColumnAt(begin + i)];
    }
    if (begin > 0) {
      AlignedBuffer<float> rows(static_cast<size_t>(size_ * begin));
      for (int64_t i = 0; i < size_; ++i) {
        std::copy_n(factor_.matrix().row(begin + i), begin, rows.data() + i * begin);
      }
      const TensorView view = {reinterpret_cast<const std::byte*>(rows.data()), DType::kF32,
                               Shape{size_, begin}};
      const ops::PackedWeight weight = ops::PackedWeight::Pack(context_, view, size_, begin);
      ops::Matmul(context_, ConstFloatMatrix(errors_.data(), layout_.n, begin, layout_.k), weight,
                  current, {.accumulate = true});
    }
    context_.pool->ParallelFor(layout_.n, kRowGrain, [&](int64_t first, int64_t last, int) {
      for (int64_t r = first; r < last; ++r) RoundRow(r, begin, current.row(r));
    });
    rounding_.is_in_range = is_in_range_;
  }

  // The weight at place begin + i: with what errors at places of the block before it add.
  float WeightAt(int64_t begin, int64_t i, const float* current, const float* errors) const {
    const float* const factors = factor_.matrix().row(begin + i);
    float w = current[i];
    for (int64_t j = begin; j < begin + i; ++j) w += errors[j] * factors[j];
    return w;
  }
  size_t IndexAt(int64_t row, int64_t place) const {
    return static_cast<size_t>(row * layout_.k + ColumnAt(place));
  }

  // Without order the places of a block are one group's columns; their weights now are those that
  // they would get if none of them had to be rounded.
  void MeasureNow(int64_t row, int64_t begin, const float* current, float* errors) {
    float now[kMaxGroup];
    for (int64_t i = 0; i < size_; ++i) {
      now[i] = WeightAt(begin, i, current, errors);
      errors[begin + i] = linear_.weights[IndexAt(row, begin + i)] - now[i];
    }
    Measure(row, begin / size_, now);
  }

  void RoundRow(int64_t row, int64_t begin, const float* current) {
    float* const errors = errors_.data() + row * layout_.k;
    if (!factor_.is_ordered) {
      MeasureNow(row, begin, current, errors);
      if (!std::isfinite(RangeOf(row, begin / size_).scale)) return;
    }
    for (int64_t i = 0; i < size_; ++i) {
      const float w = WeightAt(begin, i, current, errors);
      const size_t at = IndexAt(row, begin + i);
      const GroupRange& range = RangeOf(row, ColumnAt(begin + i) / size_);
      RoundGroup(range, &w, 1, &q_[at]);
      RoundGroupToFloats(range, &w, 1, &rounding_.values[at]);
      errors[begin + i] = linear_.weights[at] - rounding_.values[at];
    }
  }

  void Pack() {
    rounding_.packed.resize(PackedBytes(layout_));
    context_.pool->ParallelFor(layout_.num_panels(), 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t p = begin; p < end; ++p) PackPanel(p);
    });
  }

  void PackPanel(int64_t panel) {
    const int64_t first = panel * kPanelColumns;
    const auto columns = static_cast<int>(std::min<int64_t>(kPanelColumns, layout_.n - first));
    uint16_t scales[kPanelColumns] = {};
    uint8_t zeros[kPanelColumns] = {};
    for (int64_t g = 0; g < num_groups_; ++g) {
      for (int c = 0; c < columns; ++c) {
        const GroupRange& range = RangeOf(first + c, g);
        scales[c] = range.scale_bits;
        zeros[c] = static_cast<uint8_t>(range.zero);
      }
      WriteGroupBlock(
          layout_.group,
          {q_.data() + first * layout_.k + g * size_, layout_.k, scales, zeros, columns},
          rounding_.packed.data() + GroupBlockOffset(layout_.group, layout_.k, panel, g));
    }
  }

  const ops::Context& context_;
  const GptqFactor& factor_;
  const SearchedLinear& linear_;
  const PackedLayout& layout_;
  const int64_t size_;
  const int64_t num_groups_;
  AlignedBuffer<float> errors_;   // [N, K] by places: w - w'
  AlignedBuffer<float> current_;  // [N, size]
  std::vector<uint8_t> q_;        // [N, K] by columns
  std::vector<GroupRange> ranges_;
  std::atomic<bool> is_in_range_{true};
  GptqRounding rounding_;
};

// Some of the rows, with nothing of what the others say.
LinearInputs SomeRows(const LinearInputs& inputs, bool held_out) {
  LinearInputs some;
  some.k = inputs.k;
  for (int64_t r = 0; r < inputs.num_rows(); ++r) {
    // Too few to spare any: the same rows do both.
    const bool is_held_out = r % kHeldOutOf == kHeldOutOf - 1;
    if (inputs.num_rows() >= int64_t{2} * kHeldOutOf && is_held_out != held_out) continue;
    const float* const row = inputs.matrix().row(r);
    some.rows.insert(some.rows.end(), row, row + inputs.k);
  }
  some.num_seen = some.num_rows();
  return some;
}

// How the columns are gone through.
struct Choice {
  double damping = 0;
  bool is_ordered = false;
};

// Tries choices on the layers of one group.
class Chooser {
 public:
  Chooser(const ops::Context& context, const LinearInputs& inputs,
          const std::vector<SearchedLinear>& linears)
      : context_(context),
        search_(context),
        judged_(SomeRows(inputs, true)),
        products_(InputProducts(context, SomeRows(inputs, false).matrix())),
        linears_(linears) {
    for (const SearchedLinear& linear : linears_) {
      AlignedBuffer<float> rounded = Copy(linear.weights);
      search_.Round(linear.layout, &rounded);
      nearest_.push_back(search_.OutputError(judged_, linear, rounded));
    }
    least_ = Sum(nearest_);
    errors_ = nearest_;
  }

  void Try(const Choice& choice) {
    const GptqFactor factor =
        FactorInputProducts(context_, products_, judged_.k, choice.damping, choice.is_ordered);
    std::vector<double> errors;
    for (const SearchedLinear& linear : linears_) {
      const GptqRounding rounding = RoundByGptq(context_, factor, linear);
      if (!rounding.is_in_range) return;
      errors.push_back(search_.OutputError(judged_, linear, rounding.values));
    }
    if (!(Sum(errors) < least_)) return;
    least_ = Sum(errors);
    errors_ = std::move(errors);
    best_ = choice;
  }

  const std::optional<Choice>& best() const { return best_; }
  // |x (w' - w)^T|^2 / |x w^T|^2 of each layer.
  const std::vector<double>& nearest() const { return nearest_; }
  const std::vector<double>& errors() const { return errors_; }

 private:
  static double Sum(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum;
  }

  const ops::Context& context_;
  const AwqSearch search_;
  const LinearInputs judged_;
  const AlignedBuffer<float> products_;
  const std::vector<SearchedLinear>& linears_;
  std::vector<double> nearest_;
  std::vector<double> errors_;
  double least_ = 0;
  std::optional<Choice> best_;
};

}  // namespace

GptqRounding RoundByGptq(const ops::Context& context, const GptqFactor& factor,
                         const SearchedLinear& linear) {
  OCTAVO_CHECK(factor.k == linear.layout.k && linear.layout.is_quantized());
  return Rounder(context, factor, linear).Round();
}

AwqFinding SearchGptqGroup(const Checkpoint& checkpoint, const std::vector<PlannedTensor>& plan,
                           const AwqGroup& group, const InputCollector& collector,
                           const ops::Context& outer) {
  const LinearInputs& inputs = InputsOf(collector, group.stage);
  std::vector<SearchedLinear> linears =
      LoadSearchedLinears(checkpoint, plan, group, inputs.k, outer.pool);
  const int64_t longest = std::max(inputs.k, inputs.num_rows());
  Workspace workspace(1, outer.pool->num_threads(), ops::MatmulScratchBytes(longest));
  const ops::Context context = {outer.kernels, outer.pool, &workspace};

  AwqFinding finding;
  std::optional<Choice> best;
  {
    Chooser chooser(context, inputs, linears);
    for (const double damping : kDampings) chooser.Try({damping, false});
    if (chooser.best()) chooser.Try({chooser.best()->damping, true});
    best = chooser.best();
    for (size_t i = 0; i < linears.size(); ++i) {
      finding.errors[group.linears[i].name] = {std::sqrt(chooser.nearest()[i]),
                                               std::sqrt(chooser.errors()[i])};
    }
  }
  if (!best) return finding;
  const GptqFactor factor = FactorInputProducts(context, InputProducts(context, inputs.matrix()),
                                                inputs.k, best->damping, best->is_ordered);
  for (size_t i = 0; i < linears.size(); ++i) {
    GptqRounding rounding = RoundByGptq(context, factor, linears[i]);
    if (!rounding.is_in_range) continue;
    TensorAdjustment& adjustment = finding.adjustments[group.linears[i].name];
    adjustment.packed_layout = linears[i].layout;
    adjustment.packed = std::move(rounding.packed);
  }
  return finding;
}

}  // namespace octavo
