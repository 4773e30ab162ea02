// EngineLoop: the thread that runs the model for all sequences, step by step.
#ifndef OCTAVO_ENGINE_ENGINE_LOOP_H_
#define OCTAVO_ENGINE_ENGINE_LOOP_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/aligned_buffer.h"
#include "engine/scheduler.h"
#include "engine/sequence.h"
#include "model/model.h"
#include "vision/preprocess.h"

namespace octavo {

// Wakes a sleeping loop; shared with tickets, which may outlive it. Safe from any thread.
class Doorbell {
 public:
  void Ring();
  // Blocks until it was rung since the last call.
  void Wait();

 private:
  std::mutex mutex_;
  std::condition_variable rung_changed_;
  bool is_rung_ = false;
};

// What a turn aims at while nobody waits for a next token; half of it while somebody does.
inline constexpr double kTurnSeconds = 0.2;

// One turn of the loop: take new requests; drop cancelled ones; admit; encode a slice of one image;
// compute one batch (a token for every decoding sequence, prefill chunks of others) and choose
// tokens. Slices and chunks are sized by the speed measured so far, so that a turn takes about
// 0.2 s while others decode. Sizes change speed only: the ops' results do not depend on them.
// A sequence whose own work throws fails alone. Where a turn throws elsewhere (memory has run out),
// all sequences fail, which frees what they held, and the loop goes on.
class EngineLoop {
 public:
  struct Options {
    double turn_seconds = kTurnSeconds;  // results do not depend on it
    int max_running = 8;
    int max_batch_tokens = 512;
    int max_drafted = 0;  // tokens of one step
    int64_t prefix_cache_tokens = 0;
    int64_t encoder_cache_tokens = 0;
  };

  // Pointers outlive the loop, which is their only user from now on. Starts the thread.
  EngineLoop(Model* model, KvCache* cache, const PreprocessorConfig& preprocessor,
             const SequenceContext& context, const Options& options);
  // Ends the thread; what has not finished ends as kCancelled.
  ~EngineLoop();
  EngineLoop(const EngineLoop&) = delete;
  EngineLoop& operator=(const EngineLoop&) = delete;

  // Safe from any thread. Throws std::bad_alloc.
  void Submit(SequenceRequest request);
  const std::shared_ptr<Doorbell>& doorbell() const { return doorbell_; }

 private:
  void Run();
  // Returns false when the loop has ended.
  bool Turn();
  void TakeSubmitted();
  void DropCancelled();
  void EncodeSlice();
  void RunStep();
  void AcceptStep(const std::vector<Scheduler::Item>& plan);
  // Chooses tokens from the item's rows of logits as long as its draft was right. True when the
  // sequence is finished. Throws what Sequence::AcceptLogits throws.
  bool AcceptRows(const Scheduler::Item& item, float* logits);
  void Fail(Sequence* sequence, std::exception_ptr error);
  void FailAll(const std::exception_ptr& error);
  void DiscardFreedBlocks();
  double TurnSeconds() const;

  Model* const model_;
  KvCache* const cache_;
  const PreprocessorConfig preprocessor_;
  const SequenceContext context_;
  const Options options_;
  const std::shared_ptr<Doorbell> doorbell_ = std::make_shared<Doorbell>();

  std::mutex mutex_;  // guards the next two
  Scheduler::Queue submitted_;
  bool is_stopping_ = false;

  // Engine thread only.
  Scheduler scheduler_;
  EncoderCache encoder_cache_;
  std::vector<bool> is_block_freed_;  // since the cache was last idle
  ForwardBatch batch_;
  AlignedBuffer<float> logits_;  // [max_running + max_drafted, vocab_size]
  double encode_flops_per_second_;
  double prefill_tokens_per_second_;

  std::thread thread_;
};

}  // namespace octavo

#endif  // OCTAVO_ENGINE_ENGINE_LOOP_H_
