#include "model/positions.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/str_cat.h"
#include "octavo/error.h"

namespace octavo {
namespace {

// Frequency j of `count`: theta^(-j / count). In float, as the reference computes it.
float InverseFrequency(double theta, int j, int count) {
  const float exponent = static_cast<float>(2 * j) / static_cast<float>(2 * count);
  return 1.0f / std::pow(static_cast<float>(theta), exponent);
}

void SetAngle(float angle, float* cos, float* sin) {
  *cos = std::cos(angle);
  *sin = std::sin(angle);
}

void Append(int32_t t, int32_t h, int32_t w, MropePositions* positions) {
  positions->streams[0].push_back(t);
  positions->streams[1].push_back(h);
  positions->streams[2].push_back(w);
}

// The image tokens of a grid of t x rows x cols merge cells, or of `kept` cells of it if there are
// any; the first is at `start`.
void AppendImage(int32_t start, const GridThw& cells, std::span<const int32_t> kept,
                 MropePositions* positions) {
  for (const int32_t cell : kept) {
    Append(start, start + cell / cells.w, start + cell % cells.w, positions);
  }
  for (int32_t t = 0; kept.empty() && t < cells.t; ++t) {
    for (int32_t r = 0; r < cells.h; ++r) {
      for (int32_t c = 0; c < cells.w; ++c) Append(start + t, start + r, start + c, positions);
    }
  }
}

}  // namespace

MropePositions ComputeMropePositions(std::span<const int32_t> token_ids,
                                     std::span<const GridThw> grids, const ModelConfig& config,
                                     std::span<const std::vector<int32_t>> cells) {
  OCTAVO_CHECK(cells.empty() || cells.size() == grids.size(), cells.size());
  MropePositions positions;
  for (auto& stream : positions.streams) stream.reserve(token_ids.size());

  const int merge = config.vision.spatial_merge_size;
  const auto is_image = [&](int32_t id) { return id == config.image_token_id; };
  int32_t next = 0;
  size_t num_images = 0;
  for (size_t i = 0; i < token_ids.size();) {
    if (!is_image(token_ids[i])) {
      Append(next, next, next, &positions);
      ++next;
      ++i;
      continue;
    }
    const auto begin = token_ids.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end = std::find_if_not(begin, token_ids.end(), is_image);
    const int64_t run = end - begin;
    if (num_images == grids.size()) {
      throw Error(
          ErrorCode::kInvalidArgument,
          StrCat("the prompt has more runs of image tokens than its ", grids.size(), " images"));
    }
    const std::span<const int32_t> kept =
        cells.empty() ? std::span<const int32_t>() : std::span(cells[num_images]);
    const GridThw& grid = grids[num_images++];
    const int32_t rows = grid.h / merge;
    const int32_t cols = grid.w / merge;
    const int64_t wanted = kept.empty() ? int64_t{grid.t} * rows * cols : std::ssize(kept);
    if (run != wanted) {
      throw Error(ErrorCode::kInvalidArgument,
                  StrCat("image ", num_images, " needs ", wanted,
                         " image tokens, the prompt has a run of ", run));
    }
    AppendImage(next, {grid.t, rows, cols}, kept, &positions);
    // Only rows and columns count; t does not, which videos alone could show.
    next += std::max(rows, cols);
    i += static_cast<size_t>(run);
  }
  if (num_images != grids.size()) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat("the prompt has ", num_images, " runs of image tokens for ", grids.size(),
                       " images"));
  }
  int32_t largest = next - 1;  // behind an image that lacks its last cells, too
  for (const auto& stream : positions.streams) {
    for (const int32_t p : stream) largest = std::max(largest, p);
  }
  positions.delta = largest + 1 - static_cast<int32_t>(token_ids.size());
  return positions;
}

void FillTextRotary(const TextConfig& config, std::span<const int32_t> t,
                    std::span<const int32_t> h, std::span<const int32_t> w, FloatMatrix cos,
                    FloatMatrix sin) {
  const int half = config.head_dim() / 2;
  OCTAVO_DCHECK(cos.cols == half && sin.cols == half);
  const std::array<std::span<const int32_t>, 3> streams = {t, h, w};
  int j = 0;
  for (size_t axis = 0; axis < 3; ++axis) {
    for (int n = 0; n < config.mrope_section[axis]; ++n, ++j) {
      const float frequency = InverseFrequency(config.rope_theta, j, half);
      for (int64_t row = 0; row < cos.rows; ++row) {
        const auto position = static_cast<float>(streams[axis][static_cast<size_t>(row)]);
        SetAngle(position * frequency, cos.row(row) + j, sin.row(row) + j);
      }
    }
  }
}

void FillVisionRotary(const VisionConfig& config, const GridThw& grid,
                      std::span<const int32_t> cells, FloatMatrix cos, FloatMatrix sin) {
  const int quarter = config.head_dim() / 4;
  const int64_t merge = config.spatial_merge_size;
  OCTAVO_DCHECK(cos.rows == (cells.empty() ? int64_t{grid.t} * grid.h * grid.w
                                           : std::ssize(cells) * merge * merge) &&
                cos.cols == int64_t{2} * quarter);
  std::vector<float> frequencies;
  frequencies.reserve(static_cast<size_t>(quarter));
  for (int j = 0; j < quarter; ++j) {
    frequencies.push_back(InverseFrequency(kVisionRopeTheta, j, quarter));
  }
  for (int64_t row = 0; row < cos.rows; ++row) {
    // Rows run over frames, then merge cells in raster order, then the patches of a cell.
    const int64_t in_frame = row % (int64_t{grid.h} * grid.w);
    const int64_t cell = cells.empty() ? in_frame / (merge * merge)
                                       : cells[static_cast<size_t>(row / (merge * merge))];
    const int64_t inside = in_frame % (merge * merge);
    const int64_t patch_row = cell / (grid.w / merge) * merge + inside / merge;
    const int64_t patch_col = cell % (grid.w / merge) * merge + inside % merge;
    for (int j = 0; j < quarter; ++j) {
      const float frequency = frequencies[static_cast<size_t>(j)];
      SetAngle(static_cast<float>(patch_row) * frequency, cos.row(row) + j, sin.row(row) + j);
      SetAngle(static_cast<float>(patch_col) * frequency, cos.row(row) + quarter + j,
               sin.row(row) + quarter + j);
    }
  }
}

}  // namespace octavo
