// AWQ over a whole model: for each group of linear layers that will have 4 bits the factors and
// bounds that keep its outputs closest, one group in memory at a time.
#ifndef OCTAVO_QUANTIZE_AWQ_H_
#define OCTAVO_QUANTIZE_AWQ_H_

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "formats/checkpoint.h"
#include "ops/context.h"
#include "quantize/adjusted_checkpoint.h"
#include "quantize/awq_groups.h"
#include "quantize/export_plan.h"
#include "quantize/linear_inputs.h"

namespace octavo {

// Relative errors at a linear layer's output on calibration rows: root of |x (w' - w)^T|^2 /
// |x w^T|^2.
struct OutputErrors {
  double nearest = 0;   // rounded as it is
  double adjusted = 0;  // as it is written
};

// What was found for one group.
struct AwqFinding {
  Adjustments adjustments;                     // of its linears and of what comes before
  std::map<std::string, OutputErrors> errors;  // by name of the weight
};

// The groups that take part: all of their linear layers are float matrices in the checkpoint that
// `plan` rounds to 4 bits. Sources that are matrices take part too, or the group is only clipped.
std::vector<AwqGroup> AwqGroupsToSearch(const ModelConfig& config,
                                        const std::vector<TensorInfo>& tensors,
                                        const std::vector<PlannedTensor>& plan);

// The stages that a collector must have for them.
std::set<std::string, std::less<>> StagesOf(const std::vector<AwqGroup>& groups);

// Searches one group. Throws kDataLoss (a NaN or an infinity among the weights, naming the tensor;
// no row of the stage went by). Uses context.pool and context.kernels; the same for any threads.
AwqFinding SearchAwqGroup(const Checkpoint& checkpoint, const std::vector<PlannedTensor>& plan,
                          const AwqGroup& group, const InputCollector& collector,
                          const ops::Context& context);

// Adds one finding's adjustments to those of the groups before it. A tensor may be scaled by
// columns as a linear layer and by rows as a source.
void Merge(const Adjustments& more, Adjustments* all);

}  // namespace octavo

#endif  // OCTAVO_QUANTIZE_AWQ_H_
