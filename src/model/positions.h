// Positions: the three position streams of mixed text and image tokens, and their rotary tables.
#ifndef OCTAVO_MODEL_POSITIONS_H_
#define OCTAVO_MODEL_POSITIONS_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "model/config.h"
#include "tensor/matrix_view.h"

namespace octavo {

struct GridThw {
  int t = 0;
  int h = 0;  // in patches
  int w = 0;
  bool operator==(const GridThw&) const = default;
};

// Base of the vision tower's rotary frequencies; no config file carries it.
// Source: VisionRotaryEmbedding of transformers 5.23, modeling_qwen2_vl.py.
inline constexpr double kVisionRopeTheta = 10000.0;

// Streams t, h, w of every token, and what a decoded token adds to its index.
struct MropePositions {
  std::array<std::vector<int32_t>, 3> streams;
  int32_t delta = 0;  // position of token n after the prompt = n + delta in all streams
};

// Source: get_rope_index of transformers 5.23, modeling_qwen2_vl.py. Images are runs of
// image_token_id; the k-th run belongs to grids[k]. cells: none, or of each image the merge cells
// that its tokens stand for, ascending (empty: all of a grid); positions, those of what follows
// too, are what they are when all are there.
// Throws kInvalidArgument when a run's length or the number of runs does not match the grids.
// REQUIRES: cells inside their grids, whose t is 1.
MropePositions ComputeMropePositions(std::span<const int32_t> token_ids,
                                     std::span<const GridThw> grids, const ModelConfig& config,
                                     std::span<const std::vector<int32_t>> cells = {});

// cos, sin: [rows, head_dim / 2]; t, h, w: [rows]. Frequency j takes the stream of its section
// (t, h, w contiguous).
void FillTextRotary(const TextConfig& config, std::span<const int32_t> t,
                    std::span<const int32_t> h, std::span<const int32_t> w, FloatMatrix cos,
                    FloatMatrix sin);

// cos, sin: [num_patches, head_dim / 2]: the first half of the columns turns with the patch row,
// the second with the patch column; rows in merge-block order as vision/preprocess writes them:
// of `cells`, or of the whole grid if it is empty.
void FillVisionRotary(const VisionConfig& config, const GridThw& grid,
                      std::span<const int32_t> cells, FloatMatrix cos, FloatMatrix sin);

}  // namespace octavo

#endif  // OCTAVO_MODEL_POSITIONS_H_
