// Sequence: one request's timeline of tokens, from waiting to finished.
#ifndef OCTAVO_ENGINE_SEQUENCE_H_
#define OCTAVO_ENGINE_SEQUENCE_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/xxh.h"
#include "engine/block_pool.h"
#include "engine/drafter.h"
#include "engine/encoder_cache.h"
#include "engine/logits_processors.h"
#include "engine/stop_checker.h"
#include "model/model.h"
#include "octavo/engine.h"
#include "text/detokenizer.h"
#include "vision/image.h"

namespace octavo {

// What a ticket and the engine share.
struct Outcome {
  std::promise<Completion> promise;
  std::atomic<bool> is_cancelled{false};
};

// A picture of a prompt at the size at which the model sees it, until it is encoded.
struct PromptImage {
  Image pixels;
  GridThw grid;
  std::vector<int32_t> cells;  // that are encoded, as Patches has them; empty: all
  Xxh128Digest digest;         // of pixels, grid and whether blank cells are left out
  int64_t first_token = 0;     // index of its first image token in the prompt
  int64_t num_tokens = 0;

  int64_t end_token() const { return first_token + num_tokens; }
};

// Everything that a request needs on the engine's thread; made on the caller's.
struct SequenceRequest {
  std::vector<int32_t> prompt_ids;
  MropePositions positions;  // of the prompt
  std::vector<PromptImage> images;
  SamplingParams sampling;
  DraftingPlan drafting;
  int64_t max_new_tokens = 0;  // what fits, at least 1
  std::function<void(const TokenEvent&)> on_token;
  std::shared_ptr<Outcome> outcome;
};

// Facts of the loaded model that every sequence needs.
struct SequenceContext {
  const Tokenizer* tokenizer = nullptr;
  const std::vector<int32_t>* end_ids = nullptr;
  int32_t num_tokens = 0;  // ids that have a token
  int hidden_size = 0;
  uint64_t hash_seed = 0;  // of keys and digests: a secret of this process
};

// After construction on the engine's thread only.
class Sequence {
 public:
  Sequence(SequenceRequest request, const SequenceContext& context);

  // Tokens of prompt and output, and how many of them are in the cache.
  int64_t num_tokens() const { return static_cast<int64_t>(token_ids_.size()); }
  int64_t num_computed() const { return num_computed_; }
  int64_t num_remaining() const { return num_tokens() - num_computed_; }
  // Only the newest token is missing from the cache.
  bool is_decoding() const { return num_tokens() > num_prompt_tokens_ && num_remaining() == 1; }
  bool is_cancelled() const { return request_.outcome->is_cancelled; }
  void Cancel() { request_.outcome->is_cancelled = true; }

  // An image whose tokens are in the cache is not needed.
  bool has_images_to_encode() const { return NextImage() < request_.images.size(); }
  // Tokens of the next image, a measure of its work. REQUIRES: has_images_to_encode().
  int64_t next_image_tokens() const { return request_.images[NextImage()].num_tokens; }
  // An encoding was begun, and holds its activations.
  bool is_encoding() const { return encoding_ != nullptr; }
  // Advances the encoding of the next image by about so many operations, or takes it from `cache`,
  // which gets what is made; returns how many operations it took. Throws what
  // Model::StartVisionEncoding throws, std::bad_alloc. REQUIRES: has_images_to_encode().
  double AdvanceEncoding(Model* model, const PreprocessorConfig& preprocessor, EncoderCache* cache,
                         double budget_flops);

  // Blocks of the cache that hold this sequence, in order.
  std::vector<int32_t>& block_table() { return block_table_; }
  // Of the tokens in block `index` of the table and all before them, with their images.
  // REQUIRES: the sequence has these tokens.
  const BlockKey& KeyOfBlock(size_t index);

  // Guesses at most `most` of the tokens after the newest; returns how many. What the request's
  // grammar throws, the next AcceptLogits throws. Throws std::bad_alloc. REQUIRES: is_decoding().
  int64_t Draft(int64_t most);
  // Appends the next `count` tokens to the batch, then the first `num_drafted` of the draft.
  void AppendTo(ForwardBatch* batch, int64_t count, int64_t num_drafted = 0) const;
  void MarkComputed(int64_t count) { num_computed_ += count; }
  // The first `count` tokens were found in the cache. REQUIRES: none is computed; count <
  // num_tokens().
  void MarkCached(int64_t count);
  // The cache's content is lost; everything is to be computed again.
  void ForgetComputed() { num_computed_ = 0; }

  // Chooses the next token from logits [vocab_size], which are changed, and calls on_token.
  // True when the sequence is finished. Throws kDataLoss (logits not finite); what on_token throws.
  bool AcceptLogits(std::span<float> logits);
  // Is the newest token the draft's token `index`?
  bool FollowsDraft(int64_t index) const {
    return token_ids_.back() == draft_[static_cast<size_t>(index)];
  }
  // A step chose tokens, after which so many of those drafted were found right.
  void EndStep(int64_t num_drafted, int64_t num_accepted);

  // Fulfils the promise; the sequence is of no more use.
  void Finish(FinishReason reason);
  void Fail(std::exception_ptr error);
  FinishReason finish_reason() const { return finish_reason_; }

  void MarkAdmitted();

 private:
  using Clock = std::chrono::steady_clock;

  // Of the first image that is needed and not encoded; their number if there is none.
  size_t NextImage() const;
  const float* ImageRow(int64_t token) const;

  SequenceRequest request_;
  const SequenceContext context_;
  const int64_t num_prompt_tokens_;
  std::vector<int32_t> token_ids_;  // prompt, then output
  int64_t num_computed_ = 0;
  std::vector<int32_t> block_table_;

  std::vector<BlockKey> block_keys_;  // of the first blocks, as far as they were asked for

  std::unique_ptr<VisionEncoding> encoding_;  // of image encoding_image_
  size_t encoding_image_ = 0;
  std::vector<SharedEmbeddings> embeddings_;  // of each image; null: not encoded

  LogitsProcessors processors_;
  Random random_;
  Detokenizer detokenizer_;
  StopChecker stop_checker_;
  Drafter drafter_;
  std::vector<int32_t> draft_;  // of the step that is planned
  std::exception_ptr draft_failure_;
  std::string text_;
  FinishReason finish_reason_ = FinishReason::kStop;

  Usage usage_;
  Clock::time_point submitted_, admitted_, ready_, first_token_;
};

}  // namespace octavo

#endif  // OCTAVO_ENGINE_SEQUENCE_H_
