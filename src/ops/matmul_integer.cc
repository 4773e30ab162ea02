#include "ops/matmul_integer.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/thread_pool.h"
#include "kernels/kernel_table.h"
#include "ops/even_parts.h"
#include "ops/row_grain.h"
#include "ops/workspace.h"

namespace octavo::ops {
namespace {

constexpr int64_t kColumns = kPanelColumns;
// Rows of a task are a multiple of the tables' tile heights.
constexpr int64_t kTileRows = 12;
constexpr int64_t kTaskRows = 192;
constexpr int64_t kTaskPanels = 8;
// Few rows: tables read the packed weights as they come from memory, in longer runs.
constexpr int64_t kStreamRows = 18;
constexpr int64_t kStreamTaskPanels = 32;
// Rows that are quantised at once, for all threads; bounds the memory this takes.
constexpr int64_t kQuantizedRows = 768;
// Up to so many numbers one thread quantises alone rather than wake the others.
constexpr int64_t kFewNumbers = 16384;
// Rows of quantised activations must not lie a multiple of the page size apart.
constexpr int64_t kRowPad = 64;

// One panel more than there is, or rows would lie a multiple of the page size apart.
constexpr int64_t kSumsCount = kTaskRows * (kTaskPanels + 1) * kColumns;
static_assert(kStreamRows * (kStreamTaskPanels + 1) * kColumns <= kSumsCount);
static_assert(kQuantizedRows % kTaskRows == 0 && kTaskRows % kTileRows == 0);
constexpr int64_t kSmallestGroup = 32;

// The two forms of activations.
struct Int8 {
  using Number = int8_t;
  using Group = ActivationGroup;
  static auto QuantizeRow(const KernelTable& t) { return t.quantize_row; }
  static auto Gemm(const KernelTable& t, bool is_w4) { return is_w4 ? t.gemm_w4a8 : t.gemm_w8a8; }
};
struct Int16 {
  using Number = int16_t;
  using Group = float;
  static auto QuantizeRow(const KernelTable& t) { return t.packed_a16.quantize_row; }
  static auto Gemm(const KernelTable& t, bool is_w4) {
    return is_w4 ? t.packed_a16.gemm_w4 : t.packed_a16.gemm_w8;
  }
};

// The activations of one chunk of rows, in the workspace.
template <class Form>
struct QuantizedRows {
  typename Form::Number* q;
  int64_t q_stride;
  typename Form::Group* groups;
  int64_t groups_stride;
};

// One of the products, over the rows of a chunk.
struct Target {
  const PackedWeight* w;
  FloatMatrix y;
  const MatmulOptions* options;
  int64_t first_task;

  int64_t panels() const { return w->layout().num_panels(); }
};

template <class Form>
struct Job {
  const KernelTable* kernels;
  QuantizedRows<Form> x;
  int64_t num_rows;
  int64_t rows_per_task = 0, panels_per_task = 0;
  std::array<Target, kMaxMatmulParts> targets{};
  size_t num_targets = 0;
};

template <class Form>
QuantizedRows<Form> Quantize(const Context& context, ConstFloatMatrix x, int group_size) {
  QuantizedRows<Form> rows{};
  rows.q_stride = x.cols + kRowPad;
  rows.groups_stride = x.cols / group_size;
  rows.q = context.workspace->Allocate<typename Form::Number>(x.rows * rows.q_stride);
  rows.groups = context.workspace->Allocate<typename Form::Group>(x.rows * rows.groups_stride);
  const auto some_rows = [&](int64_t begin, int64_t end, int) {
    for (int64_t r = begin; r < end; ++r) {
      Form::QuantizeRow (*context.kernels)(x.row(r), x.cols, group_size, rows.q + r * rows.q_stride,
                                           rows.groups + r * rows.groups_stride);
    }
  };
  if (x.rows * x.cols <= kFewNumbers) {
    some_rows(0, x.rows, 0);
  } else {
    context.pool->ParallelFor(x.rows, RowGrain(x.cols), some_rows);
  }
  return rows;
}

PackedGroups PanelsAt(const PackedWeight& w, int64_t panel) {
  const GroupLayout& group = w.layout().group;
  PackedGroups panels;
  panels.data = w.data() + GroupBlockOffset(group, w.k(), panel, 0);
  panels.panel_stride = GroupBlockOffset(group, w.k(), 1, 0);
  panels.group_size = group.group_size;
  panels.bf16_scales = group.scale_dtype == DType::kBF16;
  panels.is_7bit = group.is_7bit;
  return panels;
}

template <class Form>
const Target& TargetOf(const Job<Form>& job, int64_t task) {
  size_t i = job.num_targets - 1;
  while (job.targets[i].first_task > task) --i;
  return job.targets[i];
}

template <class Form>
void RunTask(const Job<Form>& job, int64_t task, int thread, std::byte* scratch) {
  const Target& target = TargetOf(job, task);
  task -= target.first_task;
  const PackedWeight& w = *target.w;
  const int64_t columns_of_tasks = NumParts(target.panels(), job.panels_per_task);
  const int64_t row = task / columns_of_tasks * job.rows_per_task;
  const int64_t panel = task % columns_of_tasks * job.panels_per_task;
  int64_t pieces = 0, safe_pieces = 0;
  PackedProduct<typename Form::Number, typename Form::Group> g;
  g.rows = std::min(job.rows_per_task, job.num_rows - row);
  g.panels = std::min(job.panels_per_task, target.panels() - panel);
  g.x = job.x.q + row * job.x.q_stride;
  g.x_row_stride = job.x.q_stride;
  g.x_groups = job.x.groups + row * job.x.groups_stride;
  g.x_groups_row_stride = job.x.groups_stride;
  g.num_groups = job.x.groups_stride;
  g.w = PanelsAt(w, panel);
  g.scratch = scratch;
  g.sums = reinterpret_cast<float*>(scratch + kGemmPackedScratchBytes);
  g.sums_row_stride = (g.panels + 1) * kColumns;
  g.pieces = &pieces;
  g.safe_pieces = &safe_pieces;
  Form::Gemm(*job.kernels, w.format() == WeightFormat::kW4)(g);
  const MatmulOptions& options = *target.options;
  const int64_t column = panel * kColumns;
  const int64_t count = std::min(g.panels * kColumns, w.n() - column);
  const float* bias = options.bias == nullptr ? nullptr : options.bias + column;
  for (int64_t r = 0; r < g.rows; ++r) {
    job.kernels->finish_sums(g.sums + r * g.sums_row_stride, bias, options.accumulate, count,
                             target.y.row(row + r) + column);
  }
  if (options.counts != nullptr) options.counts->Add(thread, pieces, safe_pieces);
}

template <class Form>
int64_t CountTasks(Job<Form>* job) {
  const int64_t row_tasks = NumParts(job->num_rows, job->rows_per_task);
  int64_t tasks = 0;
  for (size_t i = 0; i < job->num_targets; ++i) {
    job->targets[i].first_task = tasks;
    tasks += NumParts(job->targets[i].panels(), job->panels_per_task) * row_tasks;
  }
  return tasks;
}

template <class Form>
void RunChunk(const Context& context, ConstFloatMatrix x, std::span<const MatmulPart> parts,
              int64_t first_row) {
  const Workspace::Scope scope(context.workspace);
  const int group_size = parts[0].w->layout().group.group_size;
  Job<Form> job{context.kernels, Quantize<Form>(context, x, group_size), x.rows};
  for (const MatmulPart& part : parts) {
    job.targets[job.num_targets++] = {part.w, part.y.Rows(first_row, x.rows), &part.options, 0};
  }
  job.rows_per_task = EvenPart(x.rows, kTaskRows, kTileRows);
  job.panels_per_task = x.rows <= kStreamRows ? kStreamTaskPanels : kTaskPanels;
  int64_t tasks = CountTasks(&job);
  // Enough tasks that the threads end at about the same time.
  while (job.panels_per_task > 1 && tasks < int64_t{6} * context.pool->num_threads()) {
    job.panels_per_task /= 2;
    tasks = CountTasks(&job);
  }
  context.pool->ParallelFor(tasks, 1, [&](int64_t begin, int64_t end, int thread) {
    std::byte* scratch = context.workspace->ThreadScratch(thread);
    for (int64_t task = begin; task < end; ++task) RunTask(job, task, thread, scratch);
  });
}

}  // namespace

void MatmulInteger(const Context& context, ConstFloatMatrix x,
                   std::span<const MatmulPart> parts) noexcept {
  OCTAVO_DCHECK(!parts.empty() && parts.size() <= kMaxMatmulParts);
  const int64_t chunk = EvenPart(x.rows, kQuantizedRows, kTaskRows);
  for (int64_t row = 0; row < x.rows; row += chunk) {
    const int64_t rows = std::min(chunk, x.rows - row);
    if (parts[0].options.precision == MatmulPrecision::kInt8) {
      RunChunk<Int8>(context, x.Rows(row, rows), parts, row);
    } else {
      RunChunk<Int16>(context, x.Rows(row, rows), parts, row);
    }
  }
}

size_t MatmulIntegerScratchBytes() {
  return kGemmPackedScratchBytes + static_cast<size_t>(kSumsCount) * sizeof(float);
}

size_t MatmulArenaBytes(int64_t max_rows, int64_t max_k, MatmulPrecision precision) {
  if (!IsInteger(precision)) return 0;
  constexpr int64_t kRounding = int64_t{2} * 64;  // each allocation is rounded up
  const bool is_int8 = precision == MatmulPrecision::kInt8;
  const int64_t number_bytes = is_int8 ? 1 : 2;
  const auto group_bytes = static_cast<int64_t>(is_int8 ? sizeof(ActivationGroup) : sizeof(float));
  const int64_t row_bytes = (max_k + kRowPad) * number_bytes + max_k / kSmallestGroup * group_bytes;
  return static_cast<size_t>(std::min(max_rows, kQuantizedRows) * row_bytes + kRounding);
}

}  // namespace octavo::ops
