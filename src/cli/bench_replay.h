// BenchReplay: stored answers decoded on a loaded model as if it had written them, without drafts
// and with them: the seconds that drafts save, on models that do not write such answers.
#ifndef OCTAVO_CLI_BENCH_REPLAY_H_
#define OCTAVO_CLI_BENCH_REPLAY_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "model/model.h"
#include "text/tokenizer.h"

namespace octavo {

struct ReplayAnswer {
  std::vector<int32_t> ids;  // with the token that ends it; at least 2
  bool is_layout = true;     // drafted by the layout grammar, too
};

struct ReplayPlan {
  std::vector<ReplayAnswer> answers;
  const Tokenizer* tokenizer = nullptr;  // outlives the replay
};

// Reads JSON lines {"answer": "…", "prompt": "…"}: the prompt says what was asked, by default
// "Layout Detection:"; other members and empty lines are left alone. An answer gets the first of
// end_ids unless it ends in one of them. Throws kDataLoss (with the line), what ReadFile throws.
std::vector<ReplayAnswer> ReadReplayAnswers(const std::string& path, const Tokenizer& tokenizer,
                                            const std::vector<int32_t>& end_ids);

// Places of the cache that a replay takes behind its prompt, guesses included; 0 without answers.
int64_t ReplayCacheTokens(const ReplayPlan& plan);

// All answers, decoded in one way.
struct ReplayRun {
  int64_t steps = 0;
  int64_t drafted_tokens = 0;
  int64_t accepted_tokens = 0;
  double seconds = 0;
};

struct ReplayTimes {
  int answers = 0;     // 0: not run
  int64_t tokens = 0;  // that steps gave: all but each answer's first, which comes with its prompt
  ReplayRun without_drafts, with_drafts;
  // At so many tokens the model would have chosen otherwise with drafts than without. Its logits do
  // not depend on them, so anything but 0 is a bug.
  int64_t differing_choices = 0;

  double saved_share() const {
    return without_drafts.seconds > 0 ? 1 - with_drafts.seconds / without_drafts.seconds : 0;
  }
};

// A prompt that is in the cache already, and the blocks for it and ReplayCacheTokens behind it.
struct ReplayPrompt {
  std::span<const int32_t> ids;
  std::span<const int32_t> block_table;
  int32_t position_delta = 0;  // of tokens behind it
};

// Decodes each answer behind the prompt, first without drafts, then with those of `octavo parse`,
// as the engine's loop does for a lone request: a step runs the newest token and the guesses behind
// it, greedy choice included; then the answer's own tokens are taken for as long as the guesses
// agree with them. `progress(share)` is called with share in [0, 1]. Throws kDataLoss (logits that
// are not finite), std::bad_alloc. REQUIRES: the model takes kMaxDrafted drafted tokens.
ReplayTimes ReplayAnswers(Model* model, const KvCache& cache, const ReplayPrompt& prompt,
                          const ReplayPlan& plan, const std::function<void(double)>& progress);

}  // namespace octavo

#endif  // OCTAVO_CLI_BENCH_REPLAY_H_
