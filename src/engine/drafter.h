// Drafter: guesses at the tokens that come next, for one step of the model to verify together.
#ifndef OCTAVO_ENGINE_DRAFTER_H_
#define OCTAVO_ENGINE_DRAFTER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace octavo {

inline constexpr int kMaxDraftNgram = 16;
// Guesses that one step of the engine verifies, at most.
inline constexpr int kMaxDrafted = 8;

// Drafting (octavo/engine.h) with its text as ids. As made by default it guesses nothing.
struct DraftingPlan {
  int ngram_size = 0;
  std::vector<int32_t> expected = {};
  std::function<std::string(std::string_view answer)> forced = {};
};

// In this order, the first that has a guess: the grammar; the expected answer, as long as the
// answer follows it, with places where it leaves it and comes back; what followed the last tokens
// when they stood in prompt or answer before. How many it guesses follows how many were right: a
// step of several rows costs more than one of one row. One thread at a time.
class Drafter {
 public:
  // tokenizer outlives the object.
  Drafter(DraftingPlan plan, const Tokenizer* tokenizer);

  // Tells of a generated id.
  void Append(int32_t id);
  // Appends at most `most` ids to `draft`. ids: prompt and answer. answer: its text. Throws what
  // the grammar throws, std::bad_alloc.
  void Draft(std::span<const int32_t> ids, std::string_view answer, size_t most,
             std::vector<int32_t>* draft);
  // How the last draft went.
  void Learn(int64_t num_drafted, int64_t num_accepted);

 private:
  // How far guesses of one kind can be trusted.
  struct Trust {
    size_t length = 2;   // to guess next time
    int64_t misses = 0;  // drafts in a row of which nothing was right
    int64_t pause = 0;   // steps to wait until the next
  };

  void DraftForced(std::string_view answer, size_t most, std::vector<int32_t>* draft) const;
  void DraftExpected(size_t most, std::vector<int32_t>* draft) const;
  void DraftRepeated(std::span<const int32_t> ids, size_t most, std::vector<int32_t>* draft) const;

  DraftingPlan plan_;
  const Tokenizer* tokenizer_;
  size_t next_expected_ = 0;  // index of what comes next if the answer follows
  bool is_lost_ = false;      // the last token was not the one that was expected
  int32_t previous_id_ = -1;  // generated last
  Trust forced_trust_;
  Trust trust_;
  Trust* used_ = nullptr;  // by the last draft
};

}  // namespace octavo

#endif  // OCTAVO_ENGINE_DRAFTER_H_
