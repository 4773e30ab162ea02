// Image to patches and grid, as the Qwen2-VL image processors do it, bit for bit.
#ifndef OCTAVO_VISION_PREPROCESS_H_
#define OCTAVO_VISION_PREPROCESS_H_

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/aligned_buffer.h"
#include "vision/image.h"
#include "vision/resize.h"

namespace octavo {

// Fields named as in preprocessor_config.json.
struct PreprocessorConfig {
  int64_t min_pixels = 3136;
  int64_t max_pixels = 1003520;
  int patch_size = 14;
  int temporal_patch_size = 2;
  int merge_size = 2;
  std::array<double, 3> image_mean = {0.48145466, 0.4578275, 0.40821073};
  std::array<double, 3> image_std = {0.26862954, 0.26130258, 0.27577711};
};

// `where` names the file in messages. min_pixels/max_pixels win over
// size.shortest_edge/longest_edge. Throws kDataLoss or kUnsupported.
PreprocessorConfig ParsePreprocessorConfig(std::string_view json_text, std::string_view where);

struct ImageSize {
  int width = 0;
  int height = 0;
  bool operator==(const ImageSize&) const = default;
};

// The size, both sides multiples of patch_size * merge_size, at which the model sees an image.
// Throws kInvalidArgument where the reference raises (aspect ratio over 200, a side that rounds to
// 0). Source: smart_resize of transformers 5.23, image_processing_qwen2_vl.py.
ImageSize SmartResize(int width, int height, const PreprocessorConfig& config);

enum class NormalizeRule {
  kFast,  // (x - 255 m) / (255 s), float32: the torchvision-backed processor
  kSlow,  // (x / 255 - m) / s, float32: the Pillow-backed processor
};

// Which reference is reproduced. The default is the processor that MinerU's server side uses.
struct PreprocessRules {
  ResampleRule resample = ResampleRule::kTorchvision;
  NormalizeRule normalize = NormalizeRule::kFast;
};

// grid_thw in patches; values: [num_patches, 3 * temporal * patch * patch] f32. Rows are in
// merge-block order: merge_size x merge_size neighbouring patches, a cell, stand together.
struct Patches {
  int grid_t = 0;
  int grid_h = 0;
  int grid_w = 0;
  int64_t patch_dim = 0;
  // Numbers of the cells that are there, ascending; empty: all of the grid.
  std::vector<int32_t> cells;
  int64_t patches_per_cell = 4;
  AlignedBuffer<float> values;

  int64_t num_patches() const {
    return cells.empty() ? int64_t{grid_t} * grid_h * grid_w
                         : static_cast<int64_t>(cells.size()) * patches_per_cell;
  }
};

// Normalises an image of the size at which the model sees it and cuts it into patches: those of
// `cells`, ascending numbers of merge cells row by row, or all if it is empty.
// REQUIRES: a non-empty image, both sides multiples of patch_size * merge_size; cells inside.
Patches CutPatches(const Image& image, const PreprocessorConfig& config, NormalizeRule rule,
                   std::span<const int32_t> cells = {});

// Resizes by SmartResize, then CutPatches. REQUIRES: a non-empty image.
Patches Preprocess(const Image& image, const PreprocessorConfig& config,
                   const PreprocessRules& rules = {});

}  // namespace octavo

#endif  // OCTAVO_VISION_PREPROCESS_H_
