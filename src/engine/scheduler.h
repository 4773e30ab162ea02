// Scheduler: which sequences run, and which of their tokens the next step computes.
#ifndef OCTAVO_ENGINE_SCHEDULER_H_
#define OCTAVO_ENGINE_SCHEDULER_H_

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <vector>

#include "engine/block_pool.h"
#include "engine/sequence.h"

namespace octavo {

// First come, first served. A waiting sequence is admitted while fewer than max_running run and
// free blocks cover its tokens and one more block for every running sequence. What the cache has of
// the begin of it, from others or from before, is used. Afterwards its blocks
// grow with it; when none is left, the sequence admitted last loses its blocks, waits at the head
// of the queue and is computed again later, which gives the same numbers. The sequence admitted
// first is never preempted by others, so that some sequence always ends.
// Engine thread only.
class Scheduler {
 public:
  // Sequences move between queues node by node, which cannot fail for want of memory.
  using Queue = std::list<std::unique_ptr<Sequence>>;

  struct Item {
    Sequence* sequence;
    int64_t num_new;
  };

  // max_kept_blocks and on_free: BlockPool's.
  Scheduler(int num_blocks, int max_running, int max_kept_blocks,
            std::function<void(int32_t)> on_free);

  // Takes all of `arrived`, which is empty afterwards.
  void Add(Queue* arrived);
  void Admit();
  // Decodes of all sequences that decode, then prefill chunks in order of admission, at most
  // max_prefill_tokens and max_tokens in all. Sequences with images to encode are left out.
  // Blocks for everything in the plan are allocated. It stands until the next call.
  const std::vector<Item>& PlanStep(int64_t max_tokens, int64_t max_prefill_tokens);
  // The item is computed: full blocks may be used by others. Throws std::bad_alloc.
  void MarkComputed(const Item& item);
  // Takes a sequence out, waiting or running, and frees its blocks.
  std::unique_ptr<Sequence> Remove(Sequence* sequence);

  const Queue& running() const { return running_; }
  const Queue& waiting() const { return waiting_; }
  bool is_idle() const { return running_.empty() && waiting_.empty(); }
  bool is_free(int32_t block) const { return pool_.is_free(block); }
  int64_t num_preemptions() const { return num_preemptions_; }

 private:
  // Blocks for `num_tokens` of the sequence, preempting later ones; false: it was itself the last.
  bool Reserve(Sequence* sequence, int64_t num_tokens);
  void PreemptLast();
  void FreeBlocks(Sequence* sequence) noexcept;
  // Blocks that hold the begin of the sequence, all but its last token at most.
  std::vector<int32_t> FindCached(Sequence* sequence) const;

  BlockPool pool_;
  const int max_running_;
  const bool keeps_blocks_;
  Queue waiting_;
  Queue running_;  // in order of admission
  int64_t num_preemptions_ = 0;
  // Of the step that is planned; kept, so that a step allocates nothing.
  std::vector<Item> plan_;
  std::vector<Sequence*> order_;
};

}  // namespace octavo

#endif  // OCTAVO_ENGINE_SCHEDULER_H_
