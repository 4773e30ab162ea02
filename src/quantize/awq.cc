#include "quantize/awq.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "ops/matmul.h"
#include "ops/workspace.h"
#include "quantize/awq_search.h"
#include "quantize/searched_linear.h"

namespace octavo {
namespace {

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
  const LinearInputs& inputs = InputsOf(collector, group.stage);
  std::vector<SearchedLinear> linears =
      LoadSearchedLinears(checkpoint, plan, group, inputs.k, outer.pool);
  Workspace workspace(1, outer.pool->num_threads(), ops::MatmulScratchBytes(inputs.k));
  const ops::Context context = {outer.kernels, outer.pool, &workspace};
  const AwqSearch search(context);

  AwqFinding finding;
  std::vector<float> scales;
  if (!group.sources.empty()) {
    scales = search.FindScales(inputs, linears, group.channels);
    if (!scales.empty()) TakeOut(checkpoint, group, scales, &finding.adjustments);
  }
  for (size_t i = 0; i < linears.size(); ++i) {
    const SearchedLinear& linear = linears[i];
    const PackedLayout& layout = linear.layout;
    AlignedBuffer<float> changed = Copy(linear.weights);
    search.Round(layout, &changed);
    OutputErrors& errors = finding.errors[group.linears[i].name];
    errors.nearest = std::sqrt(search.OutputError(inputs, linear, changed));

    TensorAdjustment adjustment;
    adjustment.columns = scales;
    SearchedLinear scaled = {layout, Copy(linear.weights)};
    Adjust(adjustment, layout.n, layout.k, scaled.weights.data());
    adjustment.clip = search.FindClip(inputs, scales, scaled, group.linears[i].first_clipped_row);
    adjustment.clip_group = layout.group.group_size;

    changed = Copy(linear.weights);
    Adjust(adjustment, layout.n, layout.k, changed.data());
    search.Round(layout, &changed);
    if (!scales.empty()) {
      TensorAdjustment back;
      for (const float scale : scales) back.columns.push_back(1.0f / scale);
      Adjust(back, layout.n, layout.k, changed.data());
    }
    errors.adjusted = std::sqrt(search.OutputError(inputs, linear, changed));
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
    if (!adjustment.packed.empty()) {
      OCTAVO_CHECK(known.packed.empty(), name);
      known.packed = adjustment.packed;
      known.packed_layout = adjustment.packed_layout;
    }
  }
}

}  // namespace octavo
