// Byte-pair merges: the loop that joins neighbouring tokens, lowest rank first.
#ifndef OCTAVO_TEXT_BPE_H_
#define OCTAVO_TEXT_BPE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace octavo {

// Which neighbours merge, in which order, into what. A rank is the merge's place in the list.
// Const and safe from any thread once filled.
class MergeTable {
 public:
  static constexpr uint32_t kNoRank = UINT32_MAX;

  // `num_merges`: how many will be added.
  explicit MergeTable(size_t num_merges);

  // Gives the pair the next rank. False, and nothing changes, if the pair has one already.
  // REQUIRES: ids not negative; at most num_merges calls.
  bool Add(int32_t left, int32_t right, int32_t merged);

  // kNoRank if the two do not merge.
  uint32_t FindRank(int32_t left, int32_t right) const noexcept;
  int32_t merged_id(uint32_t rank) const noexcept { return merged_ids_[rank]; }
  size_t num_merges() const noexcept { return merged_ids_.size(); }
  size_t memory_bytes() const noexcept;

 private:
  size_t FindSlot(uint64_t key) const noexcept;

  // Open addressing; both have the same power of two as size.
  std::vector<uint64_t> keys_;
  std::vector<uint32_t> ranks_;
  std::vector<int32_t> merged_ids_;  // by rank
  int hash_shift_;
};

// Joins the tokens of one pre-token and appends the result to `out`. Holds scratch memory, so one
// thread at a time; reuse it from pre-token to pre-token.
// Time: n log n in the number of tokens.
// Source: `tokenizers` 0.23, models/bpe/word.rs, merge_all (lowest rank first, then leftmost).
class BpeMerger {
 public:
  explicit BpeMerger(const MergeTable& merges) : merges_(merges) {}

  // `ids` is scratch too: its content is used up. REQUIRES: fewer than 2^31 ids.
  void Merge(std::vector<int32_t>* ids, std::vector<int32_t>* out);

 private:
  struct Symbol {
    int32_t id;
    int32_t previous;    // -1: none
    int32_t next;        // -1: none
    uint32_t pair_rank;  // of this and the next; kNoRank also for a symbol merged away
  };

  void MergeShort(std::vector<int32_t>* ids, std::vector<int32_t>* out);
  void MergeLong(const std::vector<int32_t>& ids, std::vector<int32_t>* out);
  void UpdatePair(int32_t left);

  const MergeTable& merges_;
  std::vector<uint32_t> ranks_;
  std::vector<Symbol> symbols_;
  std::vector<uint64_t> queue_;  // a heap of rank << 32 | position; stale entries are skipped
};

}  // namespace octavo

#endif  // OCTAVO_TEXT_BPE_H_
