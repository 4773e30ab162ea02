// GPTQ: the weights of linear layers are rounded column by column, and what rounding does to the
// outputs on calibration rows is made up for in the columns that are still to come.
//
// Method: arXiv 2210.17323, with the act-order and the groups measured beforehand ("static groups")
// of AutoGPTQ. How strongly H is damped, and whether columns are ordered, is chosen by rows that
// the factors have not seen; so is rounding to nearest where nothing beats it.
#ifndef OCTAVO_QUANTIZE_GPTQ_H_
#define OCTAVO_QUANTIZE_GPTQ_H_

#include <cstddef>
#include <vector>

#include "quantize/awq.h"
#include "quantize/gptq_factor.h"
#include "quantize/searched_linear.h"

namespace octavo {

struct GptqRounding {
  bool is_in_range = true;        // false: a scale does not fit its dtype; the rest says nothing
  AlignedBuffer<float> values;    // [N, K], what the numbers stand for
  std::vector<std::byte> packed;  // PackedBytes(linear.layout)
};

// Without order a group's range is that of its weights when their turn comes; with it, that of the
// weights as they were. Uses context.pool, .kernels and .workspace, whose scratch is at least
// ops::MatmulScratchBytes(K). The same bits for any number of threads.
GptqRounding RoundByGptq(const ops::Context& context, const GptqFactor& factor,
                         const SearchedLinear& linear);

// One group of AwqGroupsToSearch, whose sources stay as they are: the packed matrices of its linear
// layers; nothing where rounding to nearest is best. Errors are those at rows kept for choosing.
// Throws kDataLoss (as SearchAwqGroup). The same for any threads.
AwqFinding SearchGptqGroup(const Checkpoint& checkpoint, const std::vector<PlannedTensor>& plan,
                           const AwqGroup& group, const InputCollector& collector,
                           const ops::Context& context);

}  // namespace octavo

#endif  // OCTAVO_QUANTIZE_GPTQ_H_
