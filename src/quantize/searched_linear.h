// A linear layer that a search for 4-bit weights works on: its weights as floats, and what it read.
#ifndef OCTAVO_QUANTIZE_SEARCHED_LINEAR_H_
#define OCTAVO_QUANTIZE_SEARCHED_LINEAR_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/thread_pool.h"
#include "formats/checkpoint.h"
#include "quantize/awq_groups.h"
#include "quantize/export_plan.h"
#include "quantize/linear_inputs.h"
#include "tensor/packed_layout.h"

namespace octavo {

// A linear layer's weights [layout.n, layout.k], and how they will be rounded.
struct SearchedLinear {
  PackedLayout layout;  // quantised
  AlignedBuffer<float> weights;
};

// REQUIRES: the plan has the tensor.
const PlannedTensor& PlanOf(const std::vector<PlannedTensor>& plan, const std::string& name);

// Throws kDataLoss (a NaN or an infinity among the weights, naming the tensor).
SearchedLinear LoadSearchedLinear(const Checkpoint& checkpoint, const PackedLayout& layout,
                                  const std::string& name, ThreadPool* pool);

// Those of a group. REQUIRES: the plan has them, and each has k inputs. Throws as above.
std::vector<SearchedLinear> LoadSearchedLinears(const Checkpoint& checkpoint,
                                                const std::vector<PlannedTensor>& plan,
                                                const AwqGroup& group, int64_t k, ThreadPool* pool);

// Throws kDataLoss (no row of the stage went by).
const LinearInputs& InputsOf(const InputCollector& collector, std::string_view stage);

AlignedBuffer<float> Copy(const AlignedBuffer<float>& values);

}  // namespace octavo

#endif  // OCTAVO_QUANTIZE_SEARCHED_LINEAR_H_
