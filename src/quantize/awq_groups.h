// Which linear layers of the model read the same inputs, and where a scaling of these inputs can be
// taken out again without changing what the model computes.
#ifndef OCTAVO_QUANTIZE_AWQ_GROUPS_H_
#define OCTAVO_QUANTIZE_AWQ_GROUPS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "model/config.h"

namespace octavo {

struct AwqLinear {
  std::string name;               // of the weight
  int64_t first_clipped_row = 0;  // rows before make queries and keys, whose bounds stay
};

struct AwqGroup {
  std::string stage;  // model/stage_observer.h: whose rows are the inputs
  std::vector<AwqLinear> linears;
  // Tensors whose rows [first_row, first_row + channels) make the inputs, channel by channel: a
  // norm's weight and bias, or the linear layer before. Empty: an activation lies between.
  std::vector<std::string> sources = {};
  int64_t first_row = 0;
  // Channel of each input; empty: input i is channel i. Where several inputs share a channel they
  // share a factor.
  std::vector<int32_t> channels = {};
};

// Language model: norm to q, k, v; v to o, keys and values being shared by several heads; norm to
// gate, up; up to down. Vision tower: norm to qkv; v to proj; norm to fc1; ln_q to mlp.0; fc2 and
// mlp.2 behind an activation. In the order of the tensors.
std::vector<AwqGroup> AwqGroupsOf(const ModelConfig& config);

}  // namespace octavo

#endif  // OCTAVO_QUANTIZE_AWQ_GROUPS_H_
