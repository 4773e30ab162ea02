#include "model/language_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

#include "base/check.h"
#include "base/str_cat.h"
#include "model/positions.h"
#include "ops/activation.h"
#include "ops/attention.h"
#include "ops/embedding.h"
#include "ops/norm.h"
#include "ops/rope.h"
#include "ops/workspace.h"

namespace octavo {
namespace {

// Rows that go through the MLP at once: enough to use each weight many times, few enough that the
// gate and up products of a wide model stay small.
constexpr int64_t kMlpRows = 256;

FloatMatrix NewMatrix(Workspace* workspace, int64_t rows, int64_t cols) {
  return {workspace->Allocate<float>(rows * cols), rows, cols};
}

void Observe(const StageObserver* observer, std::string_view stage, ConstFloatMatrix rows) {
  if (observer != nullptr) (*observer)(stage, rows);
}
// lm.layer.N.PART. The name is made only if somebody listens: a step allocates nothing.
void ObservePart(const StageObserver* observer, int layer, std::string_view part,
                 ConstFloatMatrix rows) {
  if (observer != nullptr) (*observer)(StrCat("lm.layer.", layer, ".", part), rows);
}

}  // namespace

LanguageModel::LanguageModel(const TextConfig& config, const TextWeights& weights,
                             Arithmetic arithmetic, const ops::Context& context, int max_sequences)
    : config_(config), weights_(weights), arithmetic_(arithmetic), context_(context) {
  kv_sequences_.reserve(static_cast<size_t>(max_sequences));
}

size_t LanguageModel::ArenaBytes(const TextConfig& config, int max_batch_tokens,
                                 int max_logits_rows) {
  const auto floats = [](int64_t rows, int64_t cols) {
    return (static_cast<size_t>(rows * cols) * sizeof(float) + kBufferAlignment - 1) /
           kBufferAlignment * kBufferAlignment;
  };
  const int64_t tokens = max_batch_tokens;
  const int64_t kv = int64_t{config.num_key_value_heads} * config.head_dim();
  return 3 * floats(tokens, config.hidden_size)                                // x, h, q
         + 2 * floats(tokens, config.head_dim() / 2)                           // cos, sin
         + 2 * floats(tokens, kv)                                              // k, v
         + 2 * floats(std::min(tokens, kMlpRows), config.intermediate_size)    // gate, up
         + floats(std::max<int64_t>(max_logits_rows, 1), config.hidden_size);  // last rows
}

void LanguageModel::Embed(const ForwardBatch& batch, FloatMatrix x) const noexcept {
  ops::Embedding(context_, weights_.embed_tokens, batch.token_ids, x);
  for (int64_t i = 0; i < x.rows; ++i) {
    const float* image_row = batch.image_rows[static_cast<size_t>(i)];
    if (image_row != nullptr) {
      std::memcpy(x.row(i), image_row, static_cast<size_t>(x.cols) * sizeof(float));
    }
  }
}

// x += o_proj(attention(rms(x)))
void LanguageModel::Attention(int layer, const KvCache& cache, FloatMatrix x, ConstFloatMatrix cos,
                              ConstFloatMatrix sin, const StageObserver* observer) const noexcept {
  const TextLayerWeights& weights = weights_.layers[static_cast<size_t>(layer)];
  const Workspace::Scope scope(context_.workspace);
  const int64_t num_tokens = x.rows;
  const int head_dim = config_.head_dim();
  const int64_t kv_width = int64_t{config_.num_key_value_heads} * head_dim;
  const auto with_bias = [&](const LinearWeights& linear) {
    return arithmetic_.Options(linear.bias_data());
  };

  const FloatMatrix h = NewMatrix(context_.workspace, num_tokens, config_.hidden_size);
  ops::RmsNorm(context_, x, weights.input_layernorm.data(), config_.rms_norm_eps, h);
  ObservePart(observer, layer, "input_layernorm", h);

  // q: [num_tokens, num_attention_heads * head_dim]; k, v: [num_tokens, num_key_value_heads *
  // head_dim]
  const FloatMatrix q = NewMatrix(context_.workspace, num_tokens, config_.hidden_size);
  const FloatMatrix k = NewMatrix(context_.workspace, num_tokens, kv_width);
  const FloatMatrix v = NewMatrix(context_.workspace, num_tokens, kv_width);
  const ops::MatmulPart projections[] = {{&weights.q_proj.weight, q, with_bias(weights.q_proj)},
                                         {&weights.k_proj.weight, k, with_bias(weights.k_proj)},
                                         {&weights.v_proj.weight, v, with_bias(weights.v_proj)}};
  ops::MatmulEach(context_, h, projections);
  ObservePart(observer, layer, "q_proj", q);
  ops::ApplyRotary(context_, q, config_.num_attention_heads, head_dim, cos, sin);
  ops::ApplyRotary(context_, k, config_.num_key_value_heads, head_dim, cos, sin);

  // Keys are cached after rotation. The attended values take h's place, which is no longer needed.
  const ops::KvLayer kv = cache.Layer(layer);
  const FloatMatrix attended = h;
  ops::AppendKv(context_, kv, kv_sequences_, k, v);
  ops::PagedAttention(context_, kv, kv_sequences_, 1.0f / std::sqrt(static_cast<float>(head_dim)),
                      q, attended);
  ObservePart(observer, layer, "attended", attended);
  if (observer != nullptr) {
    // The stage is the projection alone, without the residual it is added to; q is free by now.
    ops::Matmul(context_, attended, weights.o_proj.weight, q, with_bias(weights.o_proj));
    ObservePart(observer, layer, "attn_out", q);
  }
  ops::Matmul(context_, attended, weights.o_proj.weight, x,
              arithmetic_.Options(nullptr, /*accumulate=*/true));
}

// x += down(silu(gate(h)) * up(h)), h = rms(x)
void LanguageModel::Mlp(int layer_index, FloatMatrix x,
                        const StageObserver* observer) const noexcept {
  const TextLayerWeights& layer = weights_.layers[static_cast<size_t>(layer_index)];
  const Workspace::Scope scope(context_.workspace);
  const int64_t max_rows = std::min(x.rows, kMlpRows);
  const FloatMatrix all_h = NewMatrix(context_.workspace, max_rows, config_.hidden_size);
  const FloatMatrix all_gate = NewMatrix(context_.workspace, max_rows, config_.intermediate_size);
  const FloatMatrix all_up = NewMatrix(context_.workspace, max_rows, config_.intermediate_size);
  const ops::MatmulOptions plain = arithmetic_.Options(nullptr);
  for (int64_t begin = 0; begin < x.rows; begin += max_rows) {
    const FloatMatrix rows = x.Rows(begin, std::min(max_rows, x.rows - begin));
    const FloatMatrix h = all_h.Rows(0, rows.rows);
    const FloatMatrix gate = all_gate.Rows(0, rows.rows);
    const FloatMatrix up = all_up.Rows(0, rows.rows);
    ops::RmsNorm(context_, rows, layer.post_attention_layernorm.data(), config_.rms_norm_eps, h);
    ObservePart(observer, layer_index, "post_attention_layernorm", h);
    const ops::MatmulPart projections[] = {{&layer.gate_proj.weight, gate, plain},
                                           {&layer.up_proj.weight, up, plain}};
    ops::MatmulEach(context_, h, projections);
    ops::SiluMultiply(context_, gate, up);
    ObservePart(observer, layer_index, "activated", gate);
    ops::Matmul(context_, gate, layer.down_proj.weight, rows,
                arithmetic_.Options(nullptr, /*accumulate=*/true));
  }
}

void LanguageModel::Forward(const ForwardBatch& batch, const KvCache& cache, FloatMatrix logits,
                            const StageObserver* observer) noexcept {
  const auto num_tokens = static_cast<int64_t>(batch.token_ids.size());
  OCTAVO_CHECK(batch.sequences.size() <= kv_sequences_.capacity(), "sequences ",
               batch.sequences.size());
  kv_sequences_.clear();
  int64_t first_row = 0;
  for (const ForwardSequence& sequence : batch.sequences) {
    kv_sequences_.push_back({.block_table = sequence.block_table,
                             .num_cached = sequence.num_cached,
                             .num_new = sequence.num_new,
                             .first_row = first_row});
    first_row += sequence.num_new;
  }
  OCTAVO_CHECK(first_row == num_tokens, "rows ", first_row, ", tokens ", num_tokens);

  const Workspace::Scope scope(context_.workspace);
  const FloatMatrix x = NewMatrix(context_.workspace, num_tokens, config_.hidden_size);
  const FloatMatrix cos = NewMatrix(context_.workspace, num_tokens, config_.head_dim() / 2);
  const FloatMatrix sin = NewMatrix(context_.workspace, num_tokens, config_.head_dim() / 2);
  Embed(batch, x);
  Observe(observer, "lm.input_embeds", x);
  FillTextRotary(config_, batch.positions[0], batch.positions[1], batch.positions[2], cos, sin);

  for (int l = 0; l < config_.num_hidden_layers; ++l) {
    Attention(l, cache, x, cos, sin, observer);
    Mlp(l, x, observer);
    if (observer != nullptr) (*observer)(StrCat("lm.layer.", l), x);
  }

  // Only last tokens, and drafted ones, need the head; norms go row by row, so they can be taken
  // after the choice.
  if (observer != nullptr) {
    const Workspace::Scope observed(context_.workspace);
    const FloatMatrix all = NewMatrix(context_.workspace, num_tokens, config_.hidden_size);
    ops::RmsNorm(context_, x, weights_.norm.data(), config_.rms_norm_eps, all);
    Observe(observer, "lm.norm", all);
  }
  const FloatMatrix last = NewMatrix(context_.workspace, logits.rows, config_.hidden_size);
  int64_t num_wanted = 0;
  for (size_t i = 0; i < batch.sequences.size(); ++i) {
    if (!batch.sequences[i].wants_logits) continue;
    const int64_t num_rows = batch.sequences[i].num_drafted + 1;
    const int64_t row = kv_sequences_[i].first_row + kv_sequences_[i].num_new - num_rows;
    OCTAVO_CHECK(num_rows <= kv_sequences_[i].num_new && num_wanted + num_rows <= logits.rows);
    std::memcpy(last.row(num_wanted), x.row(row),
                static_cast<size_t>(num_rows * config_.hidden_size) * sizeof(float));
    num_wanted += num_rows;
  }
  OCTAVO_CHECK(num_wanted == logits.rows, "logits for ", logits.rows, " rows, wanted ", num_wanted);
  if (num_wanted == 0) return;
  ops::RmsNorm(context_, last, weights_.norm.data(), config_.rms_norm_eps, last);
  ops::Matmul(context_, last, weights_.head(), logits, arithmetic_.Options(nullptr));
  Observe(observer, "logits", logits);
}

}  // namespace octavo
