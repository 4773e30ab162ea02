#include "model/vision_encoder.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/str_cat.h"
#include "base/thread_pool.h"
#include "ops/activation.h"
#include "ops/attention.h"
#include "ops/full_attention_int16.h"
#include "ops/norm.h"
#include "ops/rope.h"
#include "ops/workspace.h"

namespace octavo {
namespace {

// Rows of a linear layer that run at once. The most bounds the scratch; the least keeps the matrix
// products worth their reading of the weights. Multiples of the 4 rows of a merge cell.
constexpr int64_t kMaxRows = 256;
constexpr int64_t kMinRows = 16;

// No config file carries it. Source: Qwen2VLVisionBlock of transformers 5.23.
constexpr float kLayerNormEps = 1e-6f;

int64_t MergeCell(const VisionConfig& config) {
  return int64_t{config.spatial_merge_size} * config.spatial_merge_size;
}

class Encoding final : public VisionEncoding {
 public:
  struct Parts {
    const VisionConfig& config;
    const VisionWeights& weights;
    Arithmetic arithmetic;
    VisionAttention attention;
    const ops::Context& context;
    const StageObserver* observer;
  };
  Encoding(const Parts& parts, Patches patches);

  bool Advance(double budget_flops) override;
  double progress() const override { return done_flops_ / total_flops_; }
  double total_flops() const override { return total_flops_; }
  ImageEmbeddings TakeEmbeddings() override;

 private:
  // In order; the three in the middle repeat for every block.
  enum class Stage { kPatchEmbed, kQkv, kAttention, kMlp, kMerger, kDone };

  void RunRows(int64_t begin, int64_t count);
  void PatchEmbed(int64_t begin, int64_t count);
  void Qkv(int64_t begin, int64_t count);
  bool is_int16() const { return parts_.attention == VisionAttention::kInt16; }
  int64_t AttentionTasks();
  void Attention(int64_t first_task, int64_t num_tasks);
  void ProjectAndMlp(int64_t begin, int64_t count);
  void Merge(int64_t begin, int64_t count);
  void NextStage();

  // Patches that attend to each other.
  int64_t FrameRows() const { return num_patches_ / grid_.t; }
  double FlopsPerRow() const;
  double AttentionFlops() const;
  ops::FullAttentionArgs AttentionArgs();
  ops::MatmulOptions Options(const LinearWeights& linear, bool accumulate = false) const {
    return parts_.arithmetic.Options(linear.bias_data(), accumulate);
  }
  const VisionBlockWeights& block() const {
    return parts_.weights.blocks[static_cast<size_t>(block_)];
  }
  FloatMatrix NewMatrix(int64_t rows, int64_t cols) {
    return {parts_.context.workspace->Allocate<float>(rows * cols), rows, cols};
  }
  bool observed() const { return parts_.observer != nullptr; }
  void Observe(std::string_view stage, ConstFloatMatrix rows) const {
    if (observed()) (*parts_.observer)(stage, rows);
  }
  std::string BlockStage(const char* part) const {
    return observed() ? StrCat("vit.block.", block_, part) : std::string();
  }

  const Parts parts_;
  const int64_t width_;  // embed_dim
  Patches patches_;      // let go after the patch embedding
  const GridThw grid_;
  const int64_t num_patches_;
  std::vector<int64_t> cu_seqlens_;  // frames: patches attend inside one image and time only

  AlignedBuffer<float> x_values_;    // residual stream [num_patches, embed_dim]
  AlignedBuffer<float> qkv_values_;  // [num_patches, 3 * embed_dim]
  AlignedBuffer<float> cos_values_;  // [num_patches, head_dim / 2]
  AlignedBuffer<float> sin_values_;
  FloatMatrix x_, qkv_, cos_, sin_;
  // Packed keys and values of some heads; one of the two is used.
  ops::F32Heads f32_heads_;
  ops::Int16Heads int16_heads_;
  ImageEmbeddings embeddings_;

  Stage stage_ = Stage::kPatchEmbed;
  int block_ = 0;
  int64_t next_ = 0;  // row, or attention task, that comes next in this stage
  double total_flops_ = 0;
  double done_flops_ = 0;
};

Encoding::Encoding(const Parts& parts, Patches patches)
    : parts_(parts),
      width_(parts.config.embed_dim),
      patches_(std::move(patches)),
      grid_{patches_.grid_t, patches_.grid_h, patches_.grid_w},
      num_patches_(patches_.num_patches()) {
  const VisionConfig& config = parts_.config;
  OCTAVO_CHECK(num_patches_ > 0 && patches_.patch_dim == config.patch_dim() &&
                   grid_.h % config.spatial_merge_size == 0 &&
                   grid_.w % config.spatial_merge_size == 0,
               "grid ", grid_.t, " ", grid_.h, " ", grid_.w);
  OCTAVO_CHECK(
      patches_.cells.empty() || (grid_.t == 1 && patches_.patches_per_cell == MergeCell(config)),
      "some cells of ", grid_.t, " frames");
  for (int t = 0; t <= grid_.t; ++t) cu_seqlens_.push_back(t * FrameRows());

  const auto new_matrix = [&](AlignedBuffer<float>* buffer, int64_t cols) {
    *buffer = AlignedBuffer<float>(static_cast<size_t>(num_patches_ * cols));
    return FloatMatrix(buffer->data(), num_patches_, cols);
  };
  x_ = new_matrix(&x_values_, width_);
  qkv_ = new_matrix(&qkv_values_, 3 * width_);
  cos_ = new_matrix(&cos_values_, config.head_dim() / 2);
  sin_ = new_matrix(&sin_values_, config.head_dim() / 2);
  const int64_t frame = FrameRows();
  if (is_int16()) {
    int16_heads_ = ops::Int16Heads(config.num_heads, config.head_dim(), frame);
  } else {
    f32_heads_ = ops::F32Heads(config.num_heads, config.head_dim(), frame);
  }
  FillVisionRotary(config, grid_, patches_.cells, cos_, sin_);
  embeddings_.grid = grid_;
  embeddings_.num_tokens = num_patches_ / MergeCell(config);
  embeddings_.values =
      AlignedBuffer<float>(static_cast<size_t>(embeddings_.num_tokens * config.hidden_size));

  const auto rows = static_cast<double>(num_patches_);
  for (const Stage stage : {Stage::kPatchEmbed, Stage::kMerger}) {
    stage_ = stage;
    total_flops_ += rows * FlopsPerRow();
  }
  for (const Stage stage : {Stage::kQkv, Stage::kMlp}) {
    stage_ = stage;
    total_flops_ += config.depth * rows * FlopsPerRow();
  }
  total_flops_ += config.depth * AttentionFlops();
  stage_ = Stage::kPatchEmbed;
}

double Encoding::FlopsPerRow() const {
  const VisionConfig& config = parts_.config;
  const auto width = static_cast<double>(width_);
  const auto cell = static_cast<double>(MergeCell(config));
  switch (stage_) {
    case Stage::kPatchEmbed:
      return 2 * width * config.patch_dim();
    case Stage::kQkv:
      return 2 * width * 3 * width;
    case Stage::kMlp:
      return 2 * width * (width + 2.0 * config.mlp_dim);
    case Stage::kMerger:
      return 2 * width * (cell * width + config.hidden_size);
    default:
      return 0;
  }
}

double Encoding::AttentionFlops() const {
  const auto frame = static_cast<double>(FrameRows());
  return 4 * grid_.t * frame * frame * static_cast<double>(width_);
}

ops::FullAttentionArgs Encoding::AttentionArgs() {
  const int head_dim = parts_.config.head_dim();
  return {.q = qkv_.Cols(0, width_),
          .k = qkv_.Cols(width_, width_),
          .v = qkv_.Cols(2 * width_, width_),
          .out = qkv_.Cols(0, width_),  // a task is the only reader of the queries it replaces
          .num_heads = parts_.config.num_heads,
          .head_dim = head_dim,
          .scale = 1.0f / std::sqrt(static_cast<float>(head_dim)),
          .cu_seqlens = cu_seqlens_};
}

bool Encoding::Advance(double budget_flops) {
  do {
    double flops = 0;
    if (stage_ == Stage::kAttention) {
      const int64_t num_tasks = AttentionTasks();
      const double per_task = AttentionFlops() / static_cast<double>(num_tasks);
      const auto wanted = static_cast<int64_t>(std::min(budget_flops / per_task, 1e15));
      const int64_t least = parts_.context.pool->num_threads();
      const int64_t tasks = std::min(std::max(wanted, least), num_tasks - next_);
      Attention(next_, tasks);
      next_ += tasks;
      flops = static_cast<double>(tasks) * per_task;
      if (next_ == num_tasks) NextStage();
    } else {
      const double per_row = FlopsPerRow();
      const auto wanted = static_cast<int64_t>(std::clamp(
          budget_flops / per_row, static_cast<double>(kMinRows), static_cast<double>(kMaxRows)));
      const int64_t rows = std::min(wanted / kMinRows * kMinRows, num_patches_ - next_);
      RunRows(next_, rows);
      next_ += rows;
      flops = static_cast<double>(rows) * per_row;
      if (next_ == num_patches_) NextStage();
    }
    done_flops_ += flops;
    budget_flops -= flops;
  } while (budget_flops > 0 && stage_ != Stage::kDone);
  return stage_ == Stage::kDone;
}

void Encoding::NextStage() {
  next_ = 0;
  switch (stage_) {
    case Stage::kPatchEmbed:
      patches_.values = {};
      stage_ = Stage::kQkv;
      return;
    case Stage::kQkv:
      stage_ = Stage::kAttention;
      f32_heads_.Clear();
      int16_heads_.Clear();
      return;
    case Stage::kAttention:
      stage_ = Stage::kMlp;
      return;
    case Stage::kMlp:
      stage_ = ++block_ < parts_.config.depth ? Stage::kQkv : Stage::kMerger;
      if (stage_ == Stage::kMerger) {
        qkv_values_ = {};
        f32_heads_ = {};
        int16_heads_ = {};
      }
      return;
    case Stage::kMerger:
      x_values_ = {};
      stage_ = Stage::kDone;
      return;
    case Stage::kDone:
      return;
  }
}

void Encoding::RunRows(int64_t begin, int64_t count) {
  const Workspace::Scope scope(parts_.context.workspace);
  switch (stage_) {
    case Stage::kPatchEmbed:
      return PatchEmbed(begin, count);
    case Stage::kQkv:
      return Qkv(begin, count);
    case Stage::kMlp:
      return ProjectAndMlp(begin, count);
    case Stage::kMerger:
      return Merge(begin, count);
    default:
      OCTAVO_CHECK(false, "stage without rows");
  }
}

// x = patches w^T: the convolution, whose kernel and stride are one patch.
void Encoding::PatchEmbed(int64_t begin, int64_t count) {
  const ConstFloatMatrix patches(patches_.values.data() + begin * patches_.patch_dim, count,
                                 patches_.patch_dim);
  const FloatMatrix x = x_.Rows(begin, count);
  ops::Matmul(parts_.context, patches, parts_.weights.patch_embed.weight, x,
              Options(parts_.weights.patch_embed));
  Observe("vit.patch_embed", x);
}

// [q | k | v] = qkv(layer_norm(x)), q and k turned by row and column of their patch.
void Encoding::Qkv(int64_t begin, int64_t count) {
  const ops::Context& context = parts_.context;
  const LayerNormWeights& norm1 = block().norm1;
  const FloatMatrix h = NewMatrix(count, width_);
  ops::LayerNorm(context, x_.Rows(begin, count), norm1.weight.data(), norm1.bias.data(),
                 kLayerNormEps, h);
  Observe(BlockStage(".norm1"), h);
  const FloatMatrix qkv = qkv_.Rows(begin, count);
  ops::Matmul(context, h, block().qkv.weight, qkv, Options(block().qkv));
  Observe(BlockStage(".qkv"), qkv);
  for (const int64_t part : {int64_t{0}, width_}) {
    ops::ApplyRotary(context, qkv.Cols(part, width_), parts_.config.num_heads,
                     parts_.config.head_dim(), cos_.Rows(begin, count), sin_.Rows(begin, count));
  }
}

int64_t Encoding::AttentionTasks() {
  return is_int16() ? ops::FullAttentionInt16Tasks(AttentionArgs())
                    : ops::FullAttentionTasks(AttentionArgs());
}

void Encoding::Attention(int64_t first_task, int64_t num_tasks) {
  if (is_int16()) {
    ops::FullAttentionInt16(parts_.context, AttentionArgs(), &int16_heads_, first_task, num_tasks);
  } else {
    ops::FullAttention(parts_.context, AttentionArgs(), &f32_heads_, first_task, num_tasks);
  }
}

// x += proj(attended); x += fc2(quick_gelu(fc1(layer_norm(x))))
void Encoding::ProjectAndMlp(int64_t begin, int64_t count) {
  const ops::Context& context = parts_.context;
  const FloatMatrix x = x_.Rows(begin, count);
  const ConstFloatMatrix attended = AttentionArgs().out.Rows(begin, count);
  const FloatMatrix h = NewMatrix(count, width_);
  Observe(BlockStage(".attended"), attended);
  if (observed()) {
    // The stage is the projection alone, without the residual it is added to.
    ops::Matmul(context, attended, block().proj.weight, h, Options(block().proj));
    Observe(BlockStage(".attn_out"), h);
  }
  ops::Matmul(context, attended, block().proj.weight, x, Options(block().proj, true));

  const LayerNormWeights& norm2 = block().norm2;
  const FloatMatrix hidden = NewMatrix(count, parts_.config.mlp_dim);
  ops::LayerNorm(context, x, norm2.weight.data(), norm2.bias.data(), kLayerNormEps, h);
  Observe(BlockStage(".norm2"), h);
  ops::Matmul(context, h, block().fc1.weight, hidden, Options(block().fc1));
  ops::QuickGelu(context, hidden);
  Observe(BlockStage(".activated"), hidden);
  ops::Matmul(context, hidden, block().fc2.weight, x, Options(block().fc2, true));
  Observe(BlockStage(""), x);
}

// embeddings = mlp_2(gelu(mlp_0(layer_norm(x) as [count / 4, 4 * embed_dim]))): four rows that
// follow each other are the cells (0,0), (0,1), (1,0), (1,1) of one merged token.
void Encoding::Merge(int64_t begin, int64_t count) {
  const ops::Context& context = parts_.context;
  const VisionWeights& weights = parts_.weights;
  const int64_t cell = MergeCell(parts_.config);
  const FloatMatrix h = NewMatrix(count, width_);
  ops::LayerNorm(context, x_.Rows(begin, count), weights.ln_q.weight.data(),
                 weights.ln_q.bias.data(), kLayerNormEps, h);
  Observe("vit.merger.ln_q", h);
  const ConstFloatMatrix merged(h.data, count / cell, cell * width_);
  Observe("vit.merger.merged", merged);
  const FloatMatrix hidden = NewMatrix(merged.rows, merged.cols);
  ops::Matmul(context, merged, weights.mlp_0.weight, hidden, Options(weights.mlp_0));
  ops::Gelu(context, hidden);
  Observe("vit.merger.activated", hidden);
  const int64_t hidden_size = parts_.config.hidden_size;
  const FloatMatrix out(embeddings_.values.data() + begin / cell * hidden_size, merged.rows,
                        hidden_size);
  ops::Matmul(context, hidden, weights.mlp_2.weight, out, Options(weights.mlp_2));
  Observe("vit.merger", out);
}

ImageEmbeddings Encoding::TakeEmbeddings() {
  OCTAVO_CHECK(stage_ == Stage::kDone && embeddings_.values.size() != 0);
  return std::move(embeddings_);
}

}  // namespace

std::unique_ptr<VisionEncoding> VisionEncoder::Start(Patches patches,
                                                     const StageObserver* observer) const {
  return std::make_unique<Encoding>(
      Encoding::Parts{config_, weights_, arithmetic_, attention_, context_, observer},
      std::move(patches));
}

size_t VisionEncoder::ArenaBytes(const VisionConfig& config) {
  const auto widest = static_cast<size_t>(std::max(config.mlp_dim, config.embed_dim));
  const auto floats = (static_cast<size_t>(config.embed_dim) + widest) * kMaxRows;
  return floats * sizeof(float) + 2 * kBufferAlignment;
}

size_t VisionEncoder::ActivationBytes(const VisionConfig& config, VisionAttention attention,
                                      int64_t num_patches) {
  const auto bytes = [num_patches](int64_t per_patch) {
    return static_cast<size_t>(num_patches * per_patch) * sizeof(float);
  };
  // Residual stream and rotary tables, and one after the other: patches; queries, keys and values;
  // embeddings. Memory that is not written yet costs nothing.
  const int num_heads = config.num_heads;
  const size_t heads = attention == VisionAttention::kInt16
                           ? ops::Int16Heads::Bytes(num_heads, config.head_dim(), num_patches)
                           : ops::F32Heads::Bytes(num_heads, config.head_dim(), num_patches);
  const size_t most =
      std::max({bytes(config.patch_dim()), bytes(int64_t{3} * config.embed_dim) + heads,
                bytes(config.hidden_size / MergeCell(config))});
  return bytes(config.embed_dim + config.head_dim()) + most;
}

}  // namespace octavo
