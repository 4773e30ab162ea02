#include "engine/scheduler.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"

namespace octavo {
namespace {

// Of pictures and prompts, by tokens; see the header.
bool IsQuick(int64_t size, int64_t first_size) { return 4 * size <= first_size; }

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

Sequence* Scheduler::NextToEncode() {
  Sequence* first = nullptr;
  Sequence* quick = nullptr;
  for (const auto& held : running_) {
    Sequence* const sequence = held.get();
    if (!sequence->has_images_to_encode()) continue;
    if (first == nullptr) {
      first = sequence;
      continue;
    }
    // What was begun is finished first, whatever is first in order by now.
    if (quick != nullptr && quick->is_encoding()) continue;
    const int64_t size = sequence->next_image_tokens();
    if (!sequence->is_encoding() && !IsQuick(size, first->next_image_tokens())) continue;
    if (quick == nullptr || sequence->is_encoding() || size < quick->next_image_tokens()) {
      quick = sequence;
    }
  }
  if (quick == nullptr) return first;
  const bool takes_quick = std::exchange(quick_picture_is_next_, !quick_picture_is_next_);
  return takes_quick ? quick : first;
}

bool Scheduler::Runs(const Sequence* sequence) const {
  return std::any_of(running_.begin(), running_.end(),
                     [&](const auto& held) { return held.get() == sequence; });
}

bool Scheduler::CanPrefill(const Sequence* sequence) const {
  return Runs(sequence) && !sequence->is_decoding() && !sequence->has_images_to_encode();
}

void Scheduler::FreeUnused(Sequence* sequence) noexcept {
  std::vector<int32_t>& table = sequence->block_table();
  for (; std::ssize(table) > BlocksFor(sequence->num_tokens()); table.pop_back()) {
    pool_.Free(table.back());
  }
}

int64_t Scheduler::PlanDrafts(int64_t max_drafted) {
  if (plan_.empty()) return 0;
  const int64_t share = std::max<int64_t>(1, max_drafted / std::ssize(plan_));
  int64_t num_drafted = 0;
  for (Item& item : plan_) {
    const int64_t end = item.sequence->num_tokens();
    const int64_t room =
        (std::ssize(item.sequence->block_table()) + pool_.num_free()) * kKvBlockSize - end;
    const int64_t most = std::min({share, max_drafted - num_drafted, room});
    if (most <= 0) continue;
    item.num_drafted = item.sequence->Draft(most);
    OCTAVO_CHECK(Reserve(item.sequence, end + item.num_drafted));
    num_drafted += item.num_drafted;
  }
  return num_drafted;
}

const std::vector<Scheduler::Item>& Scheduler::PlanStep(int64_t max_tokens,
                                                        int64_t max_prefill_tokens,
                                                        int64_t max_drafted) {
  // Preemption takes from the end of running_, so a copy of the order is walked.
  order_.clear();
  for (const auto& sequence : running_) order_.push_back(sequence.get());
  plan_.clear();
  PlanDecodes(&max_tokens);
  max_tokens -= PlanDrafts(std::min(max_drafted, max_tokens));
  PlanPrefill(std::min(max_prefill_tokens, max_tokens));
  return plan_;
}

void Scheduler::PlanDecodes(int64_t* max_tokens) {
  for (Sequence* sequence : order_) {
    if (*max_tokens == 0) return;
    if (!Runs(sequence) || !sequence->is_decoding()) continue;
    if (!Reserve(sequence, sequence->num_tokens())) continue;
    plan_.push_back({sequence, 1});
    --*max_tokens;
  }
}

void Scheduler::PlanPrefill(int64_t max_tokens) {
  const Sequence* first = nullptr;
  Sequence* quick = nullptr;
  for (Sequence* sequence : order_) {
    if (!CanPrefill(sequence)) continue;
    if (first == nullptr) {
      first = sequence;
    } else if (IsQuick(sequence->num_remaining(), first->num_tokens()) &&
               (quick == nullptr || sequence->num_remaining() < quick->num_remaining())) {
      quick = sequence;
    }
  }
  const auto plan = [&](Sequence* sequence, int64_t most) {
    const int64_t count = std::min(sequence->num_remaining(), most);
    if (count == 0) return;
    plan_.push_back({sequence, count});
    max_tokens -= count;
  };
  if (quick != nullptr) plan(quick, (max_tokens + 1) / 2);
  for (Sequence* sequence : order_) {
    if (sequence != quick && CanPrefill(sequence)) plan(sequence, max_tokens);
  }
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
