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
//
// Long work does not hold up short work. A picture or prompt of at most a quarter of the size of
// what is first in order is quick: the smallest quick picture has every second slice of encoding,
// the shortest quick prompt half of each step's prefill. So with a place among the running ones, a
// quick request has its first token after at most twice the turns that it would take alone, one
// more, and those of smaller quick ones, however long the others are; and these are at most twice
// as slow. Two encodings are under way at a time, the second of a quick picture: that bounds
// memory. Engine thread only.
class Scheduler {
 public:
  // Sequences move between queues node by node, which cannot fail for want of memory.
  using Queue = std::list<std::unique_ptr<Sequence>>;

  struct Item {
    Sequence* sequence;
    int64_t num_new;          // of its tokens
    int64_t num_drafted = 0;  // of its draft, behind these
  };

  // max_kept_blocks and on_free: BlockPool's.
  Scheduler(int num_blocks, int max_running, int max_kept_blocks,
            std::function<void(int32_t)> on_free);

  // Takes all of `arrived`, which is empty afterwards.
  void Add(Queue* arrived);
  void Admit();
  // The running sequence whose picture is to have the next slice of encoding; null: none.
  Sequence* NextToEncode();
  // Decodes of all sequences that decode, then prefill chunks, the quick one's, then in order of
  // admission, at most max_prefill_tokens and max_tokens in all. Sequences with images to encode
  // are left out. Sequences that decode draft max_drafted tokens in all, each about as many, as far
  // as free blocks go: nobody is preempted for a guess. Blocks for everything in the plan are
  // allocated. It stands until the next call. Throws std::bad_alloc.
  const std::vector<Item>& PlanStep(int64_t max_tokens, int64_t max_prefill_tokens,
                                    int64_t max_drafted = 0);
  // The item is computed: full blocks may be used by others. Throws std::bad_alloc.
  void MarkComputed(const Item& item);
  // Frees the blocks behind the sequence's tokens, which a draft that was wrong leaves.
  void FreeUnused(Sequence* sequence) noexcept;
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
  // Adds drafts to the decodes of plan_; returns how many tokens.
  int64_t PlanDrafts(int64_t max_drafted);
  void FreeBlocks(Sequence* sequence) noexcept;
  void PlanDecodes(int64_t* max_tokens);
  void PlanPrefill(int64_t max_tokens);
  bool CanPrefill(const Sequence* sequence) const;
  bool Runs(const Sequence* sequence) const;
  // Blocks that hold the begin of the sequence, all but its last token at most.
  std::vector<int32_t> FindCached(Sequence* sequence) const;

  BlockPool pool_;
  const int max_running_;
  const bool keeps_blocks_;
  Queue waiting_;
  Queue running_;  // in order of admission
  int64_t num_preemptions_ = 0;
  bool quick_picture_is_next_ = true;
  // Of the step that is planned; kept, so that a step allocates nothing.
  std::vector<Item> plan_;
  std::vector<Sequence*> order_;
};

}  // namespace octavo

#endif  // OCTAVO_ENGINE_SCHEDULER_H_
