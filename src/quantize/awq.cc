#include "quantize/awq.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/str_cat.h"
#include "base/thread_pool.h"
#include "base/utf8.h"
#include "octavo/error.h"
#include "ops/matmul.h"
#include "ops/workspace.h"
#include "quantize/awq_search.h"

namespace octavo {
namespace {

const PlannedTensor& PlanOf(const std::vector<PlannedTensor>& plan, const std::string& name) {
  const auto found = std::find_if(plan.begin(), plan.end(), [&](const PlannedTensor& planned) {
    return planned.tensor.name == name;
  });
  OCTAVO_CHECK(found != plan.end(), name);
  return *found;
}

SearchedLinear LoadLinear(const Checkpoint& checkpoint, const PackedLayout& layout,
                          const std::string& name, ThreadPool* pool) {
  const LoadedTensor tensor = checkpoint.Get(name);
  SearchedLinear linear;
  linear.layout = layout;
  linear.weights = AlignedBuffer<float>(static_cast<size_t>(layout.n * layout.k));
  std::vector<char> is_finite(static_cast<size_t>(layout.n), 1);
  pool->ParallelFor(layout.n, 16, [&](int64_t begin, int64_t end, int) {
    for (int64_t r = begin; r < end; ++r) {
      float* const row = linear.weights.data() + r * layout.k;
      ToFloats(tensor.view, r * layout.k, layout.k, row);
      const bool finite =
          std::all_of(row, row + layout.k, [](float value) { return std::isfinite(value); });
      is_finite[static_cast<size_t>(r)] = finite ? 1 : 0;
    }
  });
  if (std::count(is_finite.begin(), is_finite.end(), 0) != 0) {
    throw Error(ErrorCode::kDataLoss,
                StrCat(PrintableName(checkpoint.Source(), 400), ": ", PrintableName(name),
                       " contains a NaN or an infinite number"));
  }
  return linear;
}

AlignedBuffer<float> Copy(const AlignedBuffer<float>& values) {
  AlignedBuffer<float> copy(values.size());
  std::copy(values.data(), values.data() + values.size(), copy.data());
  return copy;
}

// Factors for the rows of a group's sources: what its columns are multiplied by is taken out.
void TakeOut(const Checkpoint& checkpoint, const AwqGroup& group, const std::vector<float>& scales,
             Adjustments* adjustments) {
  for (const std::string& name : group.sources) {
    const int64_t num_rows = checkpoint.Get(name).view.shape[0];
    std::vector<float> rows(static_cast<size_t>(num_rows), 1.0f);
    for (size_t i = 0; i < scales.size(); ++i) {
      const int64_t channel = group.channels.empty() ? static_cast<int64_t>(i) : group.channels[i];
      rows[static_cast<size_t>(group.first_row + channel)] = 1.0f / scales[i];
    }
    (*adjustments)[name].rows = std::move(rows);
  }
}

bool IsSearched(const std::vector<TensorInfo>& tensors, const std::vector<PlannedTensor>& plan,
                const std::string& name) {
  const PackedLayout& layout = PlanOf(plan, name).tensor.layout;
  if (!layout.is_quantized() || layout.group.bits != 4) return false;
  const auto source = std::find_if(tensors.begin(), tensors.end(),
                                   [&](const TensorInfo& tensor) { return tensor.name == name; });
  return source != tensors.end() && !(source->packed && source->packed->is_quantized());
}

}  // namespace

std::vector<AwqGroup> AwqGroupsToSearch(const ModelConfig& config,
                                        const std::vector<TensorInfo>& tensors,
                                        const std::vector<PlannedTensor>& plan) {
  std::vector<AwqGroup> groups;
  for (AwqGroup& group : AwqGroupsOf(config)) {
    const bool all = std::all_of(
        group.linears.begin(), group.linears.end(),
        [&](const AwqLinear& linear) { return IsSearched(tensors, plan, linear.name); });
    if (!all) continue;
    const bool can_take_out =
        std::all_of(group.sources.begin(), group.sources.end(), [&](const std::string& name) {
          const OctavoTensor& source = PlanOf(plan, name).tensor;
          return !source.is_matrix() || IsSearched(tensors, plan, name);
        });
    if (!can_take_out) group.sources.clear();
    groups.push_back(std::move(group));
  }
  return groups;
}

std::set<std::string, std::less<>> StagesOf(const std::vector<AwqGroup>& groups) {
  std::set<std::string, std::less<>> stages;
  for (const AwqGroup& group : groups) stages.insert(group.stage);
  return stages;
}

AwqFinding SearchAwqGroup(const Checkpoint& checkpoint, const std::vector<PlannedTensor>& plan,
                          const AwqGroup& group, const InputCollector& collector,
                          const ops::Context& outer) {
  const LinearInputs* const inputs = collector.Find(group.stage);
  if (inputs == nullptr || inputs->num_rows() == 0) {
    throw Error(ErrorCode::kDataLoss, StrCat("calibration saw nothing of ", group.stage));
  }
  std::vector<SearchedLinear> linears;
  for (const AwqLinear& linear : group.linears) {
    linears.push_back(
        LoadLinear(checkpoint, PlanOf(plan, linear.name).tensor.layout, linear.name, outer.pool));
    OCTAVO_CHECK(linears.back().layout.k == inputs->k, linear.name);
  }
  Workspace workspace(1, outer.pool->num_threads(), ops::MatmulScratchBytes(inputs->k));
  const ops::Context context = {outer.kernels, outer.pool, &workspace};
  const AwqSearch search(context);

  AwqFinding finding;
  std::vector<float> scales;
  if (!group.sources.empty()) {
    scales = search.FindScales(*inputs, linears, group.channels);
    if (!scales.empty()) TakeOut(checkpoint, group, scales, &finding.adjustments);
  }
  for (size_t i = 0; i < linears.size(); ++i) {
    const SearchedLinear& linear = linears[i];
    const PackedLayout& layout = linear.layout;
    AlignedBuffer<float> changed = Copy(linear.weights);
    search.Round(layout, &changed);
    OutputErrors& errors = finding.errors[group.linears[i].name];
    errors.nearest = std::sqrt(search.OutputError(*inputs, linear, changed));

    TensorAdjustment adjustment;
    adjustment.columns = scales;
    SearchedLinear scaled = {layout, Copy(linear.weights)};
    Adjust(adjustment, layout.n, layout.k, scaled.weights.data());
    adjustment.clip = search.FindClip(*inputs, scales, scaled, group.linears[i].first_clipped_row);
    adjustment.clip_group = layout.group.group_size;

    changed = Copy(linear.weights);
    Adjust(adjustment, layout.n, layout.k, changed.data());
    search.Round(layout, &changed);
    if (!scales.empty()) {
      TensorAdjustment back;
      for (const float scale : scales) back.columns.push_back(1.0f / scale);
      Adjust(back, layout.n, layout.k, changed.data());
    }
    errors.adjusted = std::sqrt(search.OutputError(*inputs, linear, changed));
    Merge({{group.linears[i].name, std::move(adjustment)}}, &finding.adjustments);
  }
  return finding;
}

void Merge(const Adjustments& more, Adjustments* all) {
  for (const auto& [name, adjustment] : more) {
    TensorAdjustment& known = (*all)[name];
    if (!adjustment.columns.empty()) {
      OCTAVO_CHECK(known.columns.empty(), name);
      known.columns = adjustment.columns;
    }
    if (!adjustment.clip.empty()) {
      OCTAVO_CHECK(known.clip.empty(), name);
      known.clip = adjustment.clip;
      known.clip_group = adjustment.clip_group;
    }
    if (!adjustment.rows.empty()) {
      OCTAVO_CHECK(known.rows.empty(), name);
      known.rows = adjustment.rows;
    }
  }
}

}  // namespace octavo
