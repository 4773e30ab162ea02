#include "ops/matmul.h"

#include <algorithm>

#include "base/check.h"
#include "base/thread_pool.h"
#include "kernels/kernel_table.h"
#include "ops/even_parts.h"
#include "ops/matmul_integer.h"
#include "ops/workspace.h"

namespace octavo::ops {
namespace {

constexpr int64_t kColumns = kPanelColumns;
// Depth of a block: sums over so many k are formed in registers, then added up block by block. It
// fixes the order of summation, so it is the same for every table and size.
constexpr int64_t kDepth = 256;
constexpr int64_t kDotDepth = 512;  // of bf16 by bf16: as many bytes
// Up to so many rows, weights are widened in registers each time; with more it pays to widen them
// once into scratch.
constexpr int64_t kStreamRows = 18;
// Rows of a task are a multiple of the tables' tile height.
constexpr int64_t kTileRows = 6;
// A task of many rows: sums, activations and widened weights of one block stay in the L2 cache.
constexpr int64_t kTaskRows = 192;
constexpr int64_t kTaskPanels = 4;
// Where activations are converted per task, a flat task makes up for the conversion.
constexpr int64_t kConvertedTaskRows = 96;
constexpr int64_t kConvertedTaskPanels = 64;

// One panel more than there is, or rows would lie a multiple of the page size apart.
constexpr int64_t kSumsCount = kConvertedTaskRows * (kConvertedTaskPanels + 1) * kColumns;
static_assert(kTaskRows * (kTaskPanels + 1) * kColumns <= kSumsCount);
constexpr int64_t kActivationsCount = kConvertedTaskRows * kDepth;
constexpr int64_t kWeightsCount = kTaskPanels * kDepth * kColumns;

enum class Path {
  kStream,  // few rows: weights are widened in registers on their way from memory
  kBlock,   // many rows, and quantised weights: f32 as they are, others widened into scratch once
  kDot,     // bf16 by bf16
};

struct Job {
  const KernelTable* kernels;
  ConstFloatMatrix x;
  const PackedWeight* w;
  FloatMatrix y;
  MatmulOptions options;
  Path path;
  bool round_activations;  // to bf16, kept as f32
  int64_t rows_per_task;
  int64_t panels_per_task;
};

// The private area of a thread, cut up.
struct Scratch {
  float* sums;
  float* activations;  // or bf16 numbers in the same place
  float* weights;
};

Scratch CutScratch(std::byte* area) {
  float* sums = reinterpret_cast<float*>(area);
  return {sums, sums + kSumsCount, sums + kSumsCount + kActivationsCount};
}

// A rectangle of the result and one block of k.
struct Block {
  int64_t row, rows, panel, panels, k_begin, k;
};

int64_t SumsStride(const Block& block) { return (block.panels + 1) * kColumns; }

template <typename X, typename W>
GemmBlock<X, W> SumsOf(const Block& block, const Scratch& scratch) {
  GemmBlock<X, W> b;
  b.sums = scratch.sums;
  b.sums_row_stride = SumsStride(block);
  b.rows = block.rows;
  b.k = block.k;
  b.panels = block.panels;
  b.accumulate = block.k_begin > 0;
  return b;
}

// The distance of panels and the place of a block in weights of a float format, in elements.
int64_t PanelStride(const PackedWeight& w) { return w.layout().stored_k() * kColumns; }

template <typename W>
const W* WeightsAt(const PackedWeight& w, const Block& block) {
  return reinterpret_cast<const W*>(w.data()) + block.panel * PanelStride(w) +
         block.k_begin * kColumns;
}

// Activations of the block as f32, and their row stride.
const float* Activations(const Job& job, const Block& block, const Scratch& scratch,
                         int64_t* row_stride) {
  const float* x = job.x.data + block.row * job.x.row_stride + block.k_begin;
  if (!job.round_activations) {
    *row_stride = job.x.row_stride;
    return x;
  }
  *row_stride = kDepth;
  for (int64_t r = 0; r < block.rows; ++r) {
    job.kernels->round_bf16(x + r * job.x.row_stride, block.k, scratch.activations + r * kDepth);
  }
  return scratch.activations;
}

void RunStream(const Job& job, const Block& block, const Scratch& scratch) {
  int64_t x_row_stride = 0;
  const float* x = Activations(job, block, scratch, &x_row_stride);
  if (job.w->format() == WeightFormat::kF32) {
    GemmF32 b = SumsOf<float, float>(block, scratch);
    b.x = x;
    b.x_row_stride = x_row_stride;
    b.w = WeightsAt<float>(*job.w, block);
    b.w_panel_stride = PanelStride(*job.w);
    job.kernels->stream_f32(b);
    return;
  }
  GemmHalf b = SumsOf<float, uint16_t>(block, scratch);
  b.x = x;
  b.x_row_stride = x_row_stride;
  b.w = WeightsAt<uint16_t>(*job.w, block);
  b.w_panel_stride = PanelStride(*job.w);
  const bool f16 = job.w->format() == WeightFormat::kF16;
  (f16 ? job.kernels->stream_f16 : job.kernels->stream_bf16)(b);
}

void RunDot(const Job& job, const Block& block, const Scratch& scratch) {
  uint16_t* x = reinterpret_cast<uint16_t*>(scratch.activations);
  for (int64_t r = 0; r < block.rows; ++r) {
    const float* source = job.x.data + (block.row + r) * job.x.row_stride + block.k_begin;
    job.kernels->narrow_bf16(source, block.k, x + r * kDotDepth);
    if (block.k % 2 != 0) x[r * kDotDepth + block.k] = 0;
  }
  GemmBF16Dot b = SumsOf<uint16_t, uint16_t>(block, scratch);
  b.x = x;
  b.x_row_stride = kDotDepth;
  b.w = WeightsAt<uint16_t>(*job.w, block);
  b.w_panel_stride = PanelStride(*job.w);
  job.kernels->gemm_bf16_dot(b);
}

// Quantised weights of one panel to f32.
void WidenGroups(const Job& job, int64_t panel, const Block& block, float* out) {
  const GroupLayout& layout = job.w->layout().group;
  const auto widen =
      job.w->format() == WeightFormat::kW4 ? job.kernels->widen_w4 : job.kernels->widen_w8;
  for (int64_t done = 0; done < block.k; done += layout.group_size) {
    const int64_t group = (block.k_begin + done) / layout.group_size;
    PackedGroups w;
    w.data = job.w->data() + GroupBlockOffset(layout, job.w->k(), panel, group);
    w.group_size = layout.group_size;
    w.bf16_scales = layout.scale_dtype == DType::kBF16;
    w.is_7bit = layout.is_7bit;
    widen(w, out + done * kColumns);
  }
}

// Widens up to kTaskPanels panels of the block into scratch.
void WidenPanels(const Job& job, const Block& block, const Scratch& scratch) {
  for (int64_t p = 0; p < block.panels; ++p) {
    float* out = scratch.weights + p * kDepth * kColumns;
    if (job.w->layout().is_quantized()) {
      WidenGroups(job, block.panel + p, block, out);
      continue;
    }
    const uint16_t* w = WeightsAt<uint16_t>(*job.w, block) + p * PanelStride(*job.w);
    if (job.w->format() == WeightFormat::kF16) {
      job.kernels->widen_f16(w, block.k * kColumns, out);
    } else {
      job.kernels->widen_bf16_pairs(w, block.k, out);
    }
  }
}

void RunBlock(const Job& job, const Block& block, const Scratch& scratch) {
  GemmF32 b = SumsOf<float, float>(block, scratch);
  b.x = Activations(job, block, scratch, &b.x_row_stride);
  const bool widen = job.w->format() != WeightFormat::kF32;
  for (int64_t done = 0; done < block.panels; done += kTaskPanels) {
    Block part = block;
    part.panel += done;
    part.panels = std::min(kTaskPanels, block.panels - done);
    if (widen) WidenPanels(job, part, scratch);
    b.w = widen ? scratch.weights : WeightsAt<float>(*job.w, part);
    b.w_panel_stride = widen ? kDepth * kColumns : PanelStride(*job.w);
    b.sums = scratch.sums + done * kColumns;
    b.panels = part.panels;
    job.kernels->gemm_f32(b);
  }
}

void FinishRows(const Job& job, const Block& block, const Scratch& scratch) {
  const int64_t column = block.panel * kColumns;
  const int64_t count = std::min(block.panels * kColumns, job.w->n() - column);
  const float* bias = job.options.bias == nullptr ? nullptr : job.options.bias + column;
  for (int64_t r = 0; r < block.rows; ++r) {
    job.kernels->finish_sums(scratch.sums + r * SumsStride(block), bias, job.options.accumulate,
                             count, job.y.row(block.row + r) + column);
  }
}

void RunTask(const Job& job, int64_t task, int64_t panels, const Scratch& scratch) {
  const int64_t columns_of_tasks = (panels + job.panels_per_task - 1) / job.panels_per_task;
  Block block{};
  block.row = task / columns_of_tasks * job.rows_per_task;
  block.rows = std::min(job.rows_per_task, job.x.rows - block.row);
  block.panel = task % columns_of_tasks * job.panels_per_task;
  block.panels = std::min(job.panels_per_task, panels - block.panel);
  const int64_t depth = job.path == Path::kDot ? kDotDepth : kDepth;
  for (; block.k_begin < job.w->k(); block.k_begin += depth) {
    block.k = std::min(depth, job.w->k() - block.k_begin);
    switch (job.path) {
      case Path::kStream:
        RunStream(job, block, scratch);
        break;
      case Path::kBlock:
        RunBlock(job, block, scratch);
        break;
      case Path::kDot:
        RunDot(job, block, scratch);
        break;
    }
  }
  FinishRows(job, block, scratch);
}

void PlanTasks(Job* job, int64_t panels, int num_threads) {
  const bool converts = job->path == Path::kDot || job->round_activations;
  job->rows_per_task = EvenPart(job->x.rows, converts ? kConvertedTaskRows : kTaskRows, kTileRows);
  const bool flat = converts && job->x.rows > kStreamRows;
  job->panels_per_task = EvenPart(panels, flat ? kConvertedTaskPanels : kTaskPanels, kTaskPanels);
  // Enough tasks that the threads end at about the same time.
  const int64_t row_tasks = NumParts(job->x.rows, job->rows_per_task);
  while (job->panels_per_task > 1 &&
         NumParts(panels, job->panels_per_task) * row_tasks < int64_t{6} * num_threads) {
    job->panels_per_task = NumParts(job->panels_per_task, 2);
  }
}

void CheckShapes(ConstFloatMatrix x, const PackedWeight& w, FloatMatrix y) {
  OCTAVO_CHECK(x.cols == w.k() && y.cols == w.n() && x.rows == y.rows, "x ", x.rows, " x ", x.cols,
               ", w ", w.n(), " x ", w.k(), ", y ", y.rows, " x ", y.cols);
}

// Whether all of them run in integers with the same quantised activations.
bool ShareActivations(std::span<const MatmulPart> parts) {
  return !parts.empty() && std::all_of(parts.begin(), parts.end(), [&](const MatmulPart& part) {
    return IsInteger(part.options.precision) &&
           part.options.precision == parts[0].options.precision &&
           part.w->layout().is_quantized() &&
           part.w->layout().group.group_size == parts[0].w->layout().group.group_size;
  });
}

}  // namespace

void Matmul(const Context& context, ConstFloatMatrix x, const PackedWeight& w, FloatMatrix y,
            const MatmulOptions& options) noexcept {
  CheckShapes(x, w, y);
  if (x.rows == 0) return;
  OCTAVO_CHECK(context.workspace->scratch_bytes_per_thread() >= MatmulScratchBytes(w.k()));
  if (IsInteger(options.precision) && w.layout().is_quantized()) {
    const MatmulPart part{&w, y, options};
    MatmulInteger(context, x, std::span(&part, 1));
    return;
  }
  const bool bf16 =
      options.precision == MatmulPrecision::kBF16 && w.format() == WeightFormat::kBF16;
  const bool dot = bf16 && context.kernels->gemm_bf16_dot != nullptr;
  Job job{context.kernels, x, &w, y, options, Path::kBlock, bf16 && !dot, 0, 0};
  if (dot) {
    job.path = Path::kDot;
  } else if (x.rows <= kStreamRows && !w.layout().is_quantized()) {
    job.path = Path::kStream;
  }
  const int64_t panels = (w.n() + kColumns - 1) / kColumns;
  PlanTasks(&job, panels, context.pool->num_threads());
  const int64_t tasks = (panels + job.panels_per_task - 1) / job.panels_per_task *
                        ((x.rows + job.rows_per_task - 1) / job.rows_per_task);
  context.pool->ParallelFor(tasks, 1, [&](int64_t begin, int64_t end, int thread) {
    const Scratch scratch = CutScratch(context.workspace->ThreadScratch(thread));
    for (int64_t task = begin; task < end; ++task) RunTask(job, task, panels, scratch);
  });
}

void MatmulEach(const Context& context, ConstFloatMatrix x,
                std::span<const MatmulPart> parts) noexcept {
  OCTAVO_CHECK(parts.size() <= kMaxMatmulParts, parts.size());
  if (x.rows > 0 && ShareActivations(parts)) {
    for (const MatmulPart& part : parts) CheckShapes(x, *part.w, part.y);
    OCTAVO_CHECK(context.workspace->scratch_bytes_per_thread() >= MatmulScratchBytes(x.cols));
    MatmulInteger(context, x, parts);
    return;
  }
  for (const MatmulPart& part : parts) Matmul(context, x, *part.w, part.y, part.options);
}

size_t MatmulScratchBytes(int64_t) {
  constexpr int64_t kCount = kSumsCount + kActivationsCount + kWeightsCount;
  return std::max(static_cast<size_t>(kCount) * sizeof(float), MatmulIntegerScratchBytes());
}

}  // namespace octavo::ops
