#include "engine/scheduler.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"

namespace octavo {
namespace {

int64_t BlocksFor(int64_t num_tokens) { return (num_tokens + kKvBlockSize - 1) / kKvBlockSize; }

std::unique_ptr<Sequence> Extract(Scheduler::Queue* queue, const Sequence* sequence) {
  const auto found = std::find_if(queue->begin(), queue->end(),
                                  [&](const auto& held) { return held.get() == sequence; });
  if (found == queue->end()) return nullptr;
  std::unique_ptr<Sequence> taken = std::move(*found);
  queue->erase(found);
  return taken;
}

}  // namespace

Scheduler::Scheduler(int num_blocks, int max_running, int max_kept_blocks,
                     std::function<void(int32_t)> on_free)
    : pool_(num_blocks, max_kept_blocks, std::move(on_free)),
      max_running_(max_running),
      keeps_blocks_(max_kept_blocks > 0) {}

void Scheduler::Add(Queue* arrived) {
  for (const auto& sequence : *arrived) {
    OCTAVO_CHECK(BlocksFor(sequence->num_tokens() + 1) <= pool_.num_blocks(), "tokens ",
                 sequence->num_tokens());
  }
  waiting_.splice(waiting_.end(), *arrived);
}

void Scheduler::Admit() {
  while (!waiting_.empty() && running_.size() < static_cast<size_t>(max_running_)) {
    Sequence* sequence = waiting_.front().get();
    const std::vector<int32_t> cached = FindCached(sequence);
    // Those that others use cost nothing; those without a user count as free.
    const int64_t num_shared = std::count_if(cached.begin(), cached.end(),
                                             [&](int32_t block) { return pool_.has_users(block); });
    const int64_t need = BlocksFor(sequence->num_tokens() + 1) - num_shared;
    if (need + static_cast<int64_t>(running_.size()) > pool_.num_free()) return;
    sequence->block_table().reserve(cached.size());
    running_.splice(running_.end(), waiting_, waiting_.begin());
    for (const int32_t block : cached) {
      pool_.Share(block);
      sequence->block_table().push_back(block);
    }
    sequence->MarkCached(std::ssize(cached) * kKvBlockSize);
    OCTAVO_CHECK(Reserve(sequence, sequence->num_tokens()));
    sequence->MarkAdmitted();
  }
}

std::vector<int32_t> Scheduler::FindCached(Sequence* sequence) const {
  std::vector<int32_t> blocks;
  if (!keeps_blocks_) return blocks;
  const int64_t num_full = (sequence->num_tokens() - 1) / kKvBlockSize;
  while (std::ssize(blocks) < num_full) {
    const std::optional<int32_t> block = pool_.Find(sequence->KeyOfBlock(blocks.size()));
    if (!block) break;
    blocks.push_back(*block);
  }
  return blocks;
}

void Scheduler::MarkComputed(const Item& item) {
  Sequence* const sequence = item.sequence;
  const int64_t first = sequence->num_computed() / kKvBlockSize;
  sequence->MarkComputed(item.num_new);
  if (!keeps_blocks_) return;
  for (auto i = static_cast<size_t>(first);
       static_cast<int64_t>(i) < sequence->num_computed() / kKvBlockSize; ++i) {
    pool_.SetKey(sequence->block_table()[i], sequence->KeyOfBlock(i));
  }
}

const std::vector<Scheduler::Item>& Scheduler::PlanStep(int64_t max_tokens,
                                                        int64_t max_prefill_tokens) {
  // Preemption takes from the end of running_, so a copy of the order is walked.
  order_.clear();
  for (const auto& sequence : running_) order_.push_back(sequence.get());
  const auto still_runs = [&](const Sequence* sequence) {
    return std::any_of(running_.begin(), running_.end(),
                       [&](const auto& held) { return held.get() == sequence; });
  };

  plan_.clear();
  for (Sequence* sequence : order_) {
    if (max_tokens == 0) break;
    if (!still_runs(sequence) || !sequence->is_decoding()) continue;
    if (!Reserve(sequence, sequence->num_tokens())) continue;
    plan_.push_back({sequence, 1});
    --max_tokens;
  }
  max_prefill_tokens = std::min(max_prefill_tokens, max_tokens);
  for (Sequence* sequence : order_) {
    if (max_prefill_tokens == 0) break;
    if (!still_runs(sequence) || sequence->is_decoding() || sequence->has_images_to_encode()) {
      continue;
    }
    const int64_t count = std::min(sequence->num_remaining(), max_prefill_tokens);
    plan_.push_back({sequence, count});
    max_prefill_tokens -= count;
  }
  return plan_;
}

bool Scheduler::Reserve(Sequence* sequence, int64_t num_tokens) {
  std::vector<int32_t>& table = sequence->block_table();
  while (static_cast<int64_t>(table.size()) < BlocksFor(num_tokens)) {
    // May throw, and must not while a block is in hand.
    if (table.size() == table.capacity()) table.reserve(std::max<size_t>(8, 2 * table.size()));
    if (const std::optional<int32_t> block = pool_.Allocate()) {
      table.push_back(*block);
      continue;
    }
    const bool is_last = running_.back().get() == sequence;
    PreemptLast();
    if (is_last) return false;
  }
  return true;
}

void Scheduler::PreemptLast() {
  OCTAVO_CHECK(running_.size() > 1, "a lone sequence outgrew the cache");
  Sequence* const victim = running_.back().get();
  std::erase_if(plan_, [&](const Item& item) { return item.sequence == victim; });
  FreeBlocks(victim);
  victim->ForgetComputed();
  waiting_.splice(waiting_.begin(), running_, std::prev(running_.end()));
  ++num_preemptions_;
}

// From the end: a block is of use only as long as all before it are kept.
void Scheduler::FreeBlocks(Sequence* sequence) noexcept {
  std::vector<int32_t>& table = sequence->block_table();
  for (; !table.empty(); table.pop_back()) pool_.Free(table.back());
}

std::unique_ptr<Sequence> Scheduler::Remove(Sequence* sequence) {
  std::unique_ptr<Sequence> taken = Extract(&running_, sequence);
  if (taken == nullptr) taken = Extract(&waiting_, sequence);
  OCTAVO_CHECK(taken != nullptr);
  FreeBlocks(taken.get());
  return taken;
}

}  // namespace octavo
