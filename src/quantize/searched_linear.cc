#include "quantize/searched_linear.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "octavo/error.h"

namespace octavo {

const PlannedTensor& PlanOf(const std::vector<PlannedTensor>& plan, const std::string& name) {
  const auto found = std::find_if(plan.begin(), plan.end(), [&](const PlannedTensor& planned) {
    return planned.tensor.name == name;
  });
  OCTAVO_CHECK(found != plan.end(), name);
  return *found;
}

SearchedLinear LoadSearchedLinear(const Checkpoint& checkpoint, const PackedLayout& layout,
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

std::vector<SearchedLinear> LoadSearchedLinears(const Checkpoint& checkpoint,
                                                const std::vector<PlannedTensor>& plan,
                                                const AwqGroup& group, int64_t k,
                                                ThreadPool* pool) {
  std::vector<SearchedLinear> linears;
  for (const AwqLinear& linear : group.linears) {
    const PackedLayout& layout = PlanOf(plan, linear.name).tensor.layout;
    OCTAVO_CHECK(layout.k == k, linear.name);
    linears.push_back(LoadSearchedLinear(checkpoint, layout, linear.name, pool));
  }
  return linears;
}

const LinearInputs& InputsOf(const InputCollector& collector, std::string_view stage) {
  const LinearInputs* const inputs = collector.Find(stage);
  if (inputs == nullptr || inputs->num_rows() == 0) {
    throw Error(ErrorCode::kDataLoss, StrCat("calibration saw nothing of ", stage));
  }
  return *inputs;
}

AlignedBuffer<float> Copy(const AlignedBuffer<float>& values) {
  AlignedBuffer<float> copy(values.size());
  std::copy(values.data(), values.data() + values.size(), copy.data());
  return copy;
}

}  // namespace octavo
