#include "cli/bench_replay.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/aligned_buffer.h"
#include "base/check.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "document/layout_draft.h"
#include "document/prompts.h"
#include "engine/drafter.h"
#include "engine/sampler.h"
#include "octavo/error.h"
#include "text/detokenizer.h"

namespace octavo {
namespace {

constexpr size_t kMaxFileBytes = size_t{64} << 20;

std::string_view WithoutLineFeed(std::string_view prompt) {
  if (prompt.starts_with('\n')) prompt.remove_prefix(1);
  return prompt;
}

// A member's text, or null if it is absent. Throws kDataLoss if it is something else.
const std::string* FindText(const nlohmann::json& line, const char* name,
                            const std::string& where) {
  const auto found = line.find(name);
  if (found == line.end()) return nullptr;
  if (!found->is_string()) {
    throw Error(ErrorCode::kDataLoss,
                StrCat(where, ": \"", name, "\" is ", found->type_name(), ", expected a string"));
  }
  return &found->get_ref<const std::string&>();
}

ReplayAnswer ReadAnswer(std::string_view text, const std::string& where, const Tokenizer& tokenizer,
                        const std::vector<int32_t>& end_ids) {
  const nlohmann::json line = ParseJson(text, where);
  if (!line.is_object()) {
    throw Error(ErrorCode::kDataLoss,
                StrCat(where, ": found ", line.type_name(), ", expected an object"));
  }
  const std::string* const words = FindText(line, "answer", where);
  if (words == nullptr) {
    throw Error(ErrorCode::kDataLoss, StrCat(where, ": \"answer\" is absent"));
  }
  ReplayAnswer answer;
  answer.ids = tokenizer.Encode(*words);
  const bool has_end = !answer.ids.empty() && std::find(end_ids.begin(), end_ids.end(),
                                                        answer.ids.back()) != end_ids.end();
  if (!has_end && !end_ids.empty()) answer.ids.push_back(end_ids.front());
  if (answer.ids.size() < 2) {
    throw Error(ErrorCode::kDataLoss, StrCat(where, ": \"answer\" has ", answer.ids.size(),
                                             " tokens with its end, expected 2 or more"));
  }
  const std::string* const prompt = FindText(line, "prompt", where);
  answer.is_layout =
      prompt == nullptr || WithoutLineFeed(*prompt) == WithoutLineFeed(TaskPrompt(Task::kLayout));
  return answer;
}

// As octavo parse asks for it.
DraftingPlan DraftsOf(const ReplayAnswer& answer) {
  DraftingPlan plan;
  plan.ngram_size = Drafting().ngram_size;
  if (answer.is_layout) plan.forced = ForcedLayoutText;
  return plan;
}

class Replayer {
 public:
  Replayer(Model* model, const KvCache& cache, const ReplayPrompt& prompt,
           const Tokenizer& tokenizer)
      : model_(model),
        cache_(cache),
        prompt_(prompt),
        tokenizer_(tokenizer),
        vocab_size_(static_cast<size_t>(model->config().text.vocab_size)),
        logits_((1 + size_t{kMaxDrafted}) * vocab_size_) {}

  // Adds to `run`; `choices` becomes what the model would have written in each token's place.
  void Decode(const ReplayAnswer& answer, DraftingPlan drafting, ReplayRun* run,
              std::vector<int32_t>* choices);

 private:
  // Runs the last of `ids`, prompt and answer, and the guesses behind it; all before is cached.
  void Forward(const std::vector<int32_t>& ids, const std::vector<int32_t>& draft);
  int32_t Choose(size_t row) const;

  Model* const model_;
  const KvCache& cache_;
  const ReplayPrompt& prompt_;
  const Tokenizer& tokenizer_;
  const size_t vocab_size_;
  AlignedBuffer<float> logits_;  // [1 + kMaxDrafted, vocab_size]
  ForwardBatch batch_;
};

void Replayer::Forward(const std::vector<int32_t>& ids, const std::vector<int32_t>& draft) {
  const int64_t num_cached = std::ssize(ids) - 1;
  batch_.token_ids.assign(1, ids.back());
  batch_.token_ids.insert(batch_.token_ids.end(), draft.begin(), draft.end());
  const size_t num_rows = batch_.token_ids.size();
  batch_.image_rows.assign(num_rows, nullptr);
  for (auto& stream : batch_.positions) {
    stream.clear();
    for (size_t row = 0; row < num_rows; ++row) {
      stream.push_back(static_cast<int32_t>(num_cached) + static_cast<int32_t>(row) +
                       prompt_.position_delta);
    }
  }
  batch_.sequences.assign(1, {.block_table = prompt_.block_table,
                              .num_cached = num_cached,
                              .num_new = static_cast<int64_t>(num_rows),
                              .wants_logits = true,
                              .num_drafted = std::ssize(draft)});
  model_->Forward(batch_, cache_,
                  FloatMatrix(logits_.data(), static_cast<int64_t>(num_rows),
                              static_cast<int64_t>(vocab_size_)));
}

int32_t Replayer::Choose(size_t row) const {
  const std::span<const float> logits = logits_.span().subspan(row * vocab_size_, vocab_size_);
  if (!AllFinite(logits)) {
    throw Error(ErrorCode::kDataLoss, "the model's logits in a replayed answer are not finite");
  }
  return ArgMax(logits);
}

void Replayer::Decode(const ReplayAnswer& answer, DraftingPlan drafting, ReplayRun* run,
                      std::vector<int32_t>* choices) {
  const auto begin = std::chrono::steady_clock::now();
  Drafter drafter(std::move(drafting), &tokenizer_);
  Detokenizer detokenizer(tokenizer_, /*skip_special_tokens=*/false);
  std::vector<int32_t> ids(prompt_.ids.begin(), prompt_.ids.end());
  std::string text;
  const auto append = [&](int32_t id) {
    ids.push_back(id);
    drafter.Append(id);
    text += detokenizer.Append(id);
  };
  choices->clear();
  append(answer.ids[0]);
  std::vector<int32_t> draft;
  for (size_t next = 1; next < answer.ids.size();) {
    draft.clear();
    drafter.Draft(ids, text, kMaxDrafted, &draft);
    Forward(ids, draft);
    size_t num_accepted = 0;
    choices->push_back(Choose(0));
    append(answer.ids[next++]);
    while (next < answer.ids.size() && num_accepted < draft.size() &&
           draft[num_accepted] == ids.back()) {
      choices->push_back(Choose(++num_accepted));
      append(answer.ids[next++]);
    }
    drafter.Learn(std::ssize(draft), static_cast<int64_t>(num_accepted));
    ++run->steps;
    run->drafted_tokens += std::ssize(draft);
    run->accepted_tokens += static_cast<int64_t>(num_accepted);
  }
  run->seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

std::vector<ReplayAnswer> ReadReplayAnswers(const std::string& path, const Tokenizer& tokenizer,
                                            const std::vector<int32_t>& end_ids) {
  const std::string file = ReadFile(path, kMaxFileBytes);
  const std::string name = PrintableName(path);
  std::vector<ReplayAnswer> answers;
  int64_t line_number = 0;
  for (std::string_view rest = file; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    ++line_number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    answers.push_back(ReadAnswer(line, StrCat(name, ", line ", line_number), tokenizer, end_ids));
  }
  if (answers.empty()) {
    throw Error(ErrorCode::kDataLoss,
                StrCat(name, ": has no answer, expected a line {\"answer\": …} for each"));
  }
  return answers;
}

int64_t ReplayCacheTokens(const ReplayPlan& plan) {
  int64_t most = 0;
  for (const ReplayAnswer& answer : plan.answers) {
    most = std::max(most, std::ssize(answer.ids) + kMaxDrafted);
  }
  return most;
}

ReplayTimes ReplayAnswers(Model* model, const KvCache& cache, const ReplayPrompt& prompt,
                          const ReplayPlan& plan, const std::function<void(double)>& progress) {
  OCTAVO_CHECK(model->options().max_drafted >= kMaxDrafted && plan.tokenizer != nullptr);
  Replayer replayer(model, cache, prompt, *plan.tokenizer);
  ReplayTimes times;
  std::vector<int32_t> plain, drafted;
  for (const ReplayAnswer& answer : plan.answers) {
    progress(static_cast<double>(times.answers) / static_cast<double>(plan.answers.size()));
    replayer.Decode(answer, {}, &times.without_drafts, &plain);
    replayer.Decode(answer, DraftsOf(answer), &times.with_drafts, &drafted);
    ++times.answers;
    times.tokens += std::ssize(plain);
    for (size_t i = 0; i < plain.size(); ++i) {
      if (plain[i] != drafted[i]) ++times.differing_choices;
    }
  }
  return times;
}

}  // namespace octavo
