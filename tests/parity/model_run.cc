#include "tests/parity/model_run.h"

#include <algorithm>

#include "base/check.h"

namespace octavo::parity {
namespace {

constexpr int kMaxTokens = 512;

}  // namespace

ModelRun::ModelRun(const Checkpoint& checkpoint, const Subject& subject)
    : subject_(subject), pool_(subject.num_threads) {
  model_ = std::make_unique<Model>(checkpoint,
                                   ModelOptions{.compute = subject.compute,
                                                .attention = subject.attention,
                                                .max_batch_tokens = kMaxTokens,
                                                .max_sequences = 1},
                                   ops::Context{&subject.kernels, &pool_, nullptr});
  const int num_blocks = (2 * kMaxTokens + kKvBlockSize - 1) / kKvBlockSize;
  const DType dtype = subject.compute == Compute::kBF16 ? DType::kBF16 : DType::kF32;
  cache_ = std::make_unique<KvCache>(config().text, dtype, num_blocks);
  // Not in order: a block's number says nothing of its place in the sequence.
  for (int32_t block = num_blocks - 1; block >= 0; --block) block_table_.push_back(block);
  observer_ = [this](std::string_view stage, ConstFloatMatrix rows) {
    ObservedStage& observed = stages_[std::string(stage)];
    observed.cols = rows.cols;
    for (int64_t r = 0; r < rows.rows; ++r) {
      observed.values.insert(observed.values.end(), rows.row(r), rows.row(r) + rows.cols);
    }
  };
}

void ModelRun::Encode(std::vector<Patches> images) {
  if (subject_.edit_patches) subject_.edit_patches(&images);
  double budget = 1e5;
  for (Patches& patches : images) {
    const auto encoding = model_->StartVisionEncoding(std::move(patches), &observer_);
    while (!encoding->Advance(budget)) budget *= 2;
    embeddings_.push_back(encoding->TakeEmbeddings());
  }
}

void ModelRun::Step(std::span<const int32_t> ids, const MropePositions& positions,
                    bool wants_logits, float* logits) {
  ForwardBatch batch;
  batch.token_ids.assign(ids.begin(), ids.end());
  batch.image_rows.assign(ids.size(), nullptr);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] != config().image_token_id || embeddings_.empty()) continue;
    int64_t row = next_image_token_++;
    for (const ImageEmbeddings& image : embeddings_) {
      if (row < image.num_tokens) {
        batch.image_rows[i] = image.values.data() + row * config().text.hidden_size;
        break;
      }
      row -= image.num_tokens;
    }
  }
  for (size_t axis = 0; axis < 3; ++axis) batch.positions[axis] = positions.streams[axis];
  batch.sequences = {{.block_table = block_table_,
                      .num_cached = num_cached_,
                      .num_new = static_cast<int64_t>(ids.size()),
                      .wants_logits = wants_logits}};
  model_->Forward(batch, *cache_,
                  FloatMatrix(logits, wants_logits ? 1 : 0, config().text.vocab_size), &observer_);
  num_cached_ += static_cast<int64_t>(ids.size());
}

std::vector<float> ModelRun::Prefill(std::span<const int32_t> ids, const MropePositions& positions,
                                     std::span<const int32_t> logits_rows) {
  num_cached_ = 0;
  next_image_token_ = 0;
  delta_ = positions.delta;
  const auto vocab_size = static_cast<size_t>(config().text.vocab_size);
  std::vector<float> logits(logits_rows.size() * vocab_size);
  size_t begin = 0;
  for (size_t i = 0; i < logits_rows.size(); ++i) {
    const auto end = static_cast<size_t>(logits_rows[i]) + 1;
    MropePositions chunk;
    for (size_t axis = 0; axis < 3; ++axis) {
      const auto& stream = positions.streams[axis];
      chunk.streams[axis].assign(stream.begin() + static_cast<std::ptrdiff_t>(begin),
                                 stream.begin() + static_cast<std::ptrdiff_t>(end));
    }
    Step(ids.subspan(begin, end - begin), chunk, true, logits.data() + i * vocab_size);
    begin = end;
  }
  OCTAVO_CHECK(begin == ids.size(), "the last row of logits is the last token's");
  return logits;
}

std::vector<float> ModelRun::Decode(int32_t id) {
  const int32_t position =
      static_cast<int32_t>(num_cached_) + delta_ + subject_.decode_position_offset;
  const std::vector<int32_t> stream = {position};
  std::vector<float> logits(static_cast<size_t>(config().text.vocab_size));
  const std::vector<int32_t> ids = {id};
  Step(ids, MropePositions{{stream, stream, stream}, delta_}, true, logits.data());
  return logits;
}

}  // namespace octavo::parity
