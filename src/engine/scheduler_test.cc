#include "engine/scheduler.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "engine/model_files.h"
#include "tests/testing/tiny_model.h"

namespace octavo {
namespace {

// Sequences of text tokens without a model: logits are made up.
class SchedulerTest : public ::testing::Test {
 protected:
  Sequence* Add(Scheduler* scheduler, int64_t num_prompt_tokens, int32_t first_id = 65,
                int64_t num_image_tokens = 0, DraftingPlan drafting = {}) {
    SequenceRequest request;
    request.drafting = std::move(drafting);
    if (num_image_tokens > 0) {
      request.images.emplace_back();
      request.images[0].num_tokens = num_image_tokens;
    }
    request.prompt_ids.assign(static_cast<size_t>(num_prompt_tokens), 65);
    request.prompt_ids[0] = first_id;
    for (auto& stream : request.positions.streams) {
      stream.assign(static_cast<size_t>(num_prompt_tokens), 0);
    }
    request.sampling.ignore_eos = true;
    request.max_new_tokens = 1000;
    request.outcome = std::make_shared<Outcome>();
    auto sequence = std::make_unique<Sequence>(std::move(request), context_);
    Sequence* const raw = sequence.get();
    Scheduler::Queue arrived;
    arrived.push_back(std::move(sequence));
    scheduler->Add(&arrived);
    return raw;
  }

  // Does what the loop does with a plan.
  static void Run(Scheduler* scheduler, const std::vector<Scheduler::Item>& plan) {
    for (const auto& [sequence, num_new, num_drafted] : plan) {
      EXPECT_EQ(num_drafted, 0);
      const bool wants_logits = num_new == sequence->num_remaining();
      scheduler->MarkComputed({sequence, num_new});
      std::vector<float> logits(300, 0.0f);
      logits[66] = 1;
      if (wants_logits) {
        EXPECT_FALSE(sequence->AcceptLogits(logits));
      }
    }
  }

  int num_freed_ = 0;
  Scheduler MakeScheduler(int num_blocks, int max_running) {
    return Scheduler(num_blocks, max_running, 0, [this](int32_t) { ++num_freed_; });
  }
  Scheduler MakeKeepingScheduler(int num_blocks, int max_running) {
    return Scheduler(num_blocks, max_running, num_blocks, [this](int32_t) { ++num_freed_; });
  }

  const ModelFiles files_ = LoadModelFiles(*testing::MakeTinyModel());
  const SequenceContext context_ = {.tokenizer = &files_.tokenizer,
                                    .end_ids = &files_.config.eos_token_ids,
                                    .num_tokens = files_.tokenizer.vocab_size(),
                                    .hidden_size = files_.config.text.hidden_size};
};

TEST_F(SchedulerTest, AdmitsInOrderWhileRoomIsLeft) {
  Scheduler scheduler = MakeScheduler(6, 8);
  Sequence* const first = Add(&scheduler, 64);   // 3 blocks with the next token
  Sequence* const second = Add(&scheduler, 96);  // 4 blocks: not now
  Add(&scheduler, 1);                            // would fit, but is not the second's turn
  scheduler.Admit();
  ASSERT_EQ(scheduler.running().size(), 1u);
  EXPECT_EQ(scheduler.running().front().get(), first);
  scheduler.Remove(first);
  scheduler.Admit();
  EXPECT_EQ(scheduler.running().front().get(), second);
}

TEST_F(SchedulerTest, RunsAtMostMaxRunning) {
  Scheduler scheduler = MakeScheduler(100, 2);
  for (int i = 0; i < 3; ++i) Add(&scheduler, 10);
  scheduler.Admit();
  EXPECT_EQ(scheduler.running().size(), 2u);
  EXPECT_EQ(scheduler.waiting().size(), 1u);
}

TEST_F(SchedulerTest, PlansDecodesBeforeNewPrefill) {
  Scheduler scheduler = MakeScheduler(100, 8);
  Sequence* const early = Add(&scheduler, 50);
  scheduler.Admit();
  Run(&scheduler, scheduler.PlanStep(64, 64));
  ASSERT_TRUE(early->is_decoding());
  Sequence* const late = Add(&scheduler, 50);
  scheduler.Admit();
  const auto plan = scheduler.PlanStep(64, 20);
  ASSERT_EQ(plan.size(), 2u);
  EXPECT_EQ(plan[0].sequence, early);
  EXPECT_EQ(plan[0].num_new, 1);
  EXPECT_EQ(plan[1].sequence, late);
  EXPECT_EQ(plan[1].num_new, 20);
}

TEST_F(SchedulerTest, FillsAStepWithChunksInOrder) {
  Scheduler scheduler = MakeScheduler(100, 8);
  Add(&scheduler, 50);
  Add(&scheduler, 50);
  scheduler.Admit();
  const auto plan = scheduler.PlanStep(64, 64);
  ASSERT_EQ(plan.size(), 2u);
  EXPECT_EQ(plan[0].num_new, 50);
  EXPECT_EQ(plan[1].num_new, 14);
}

// Which of `sequences` have the next eight slices.
std::string Slices(Scheduler* scheduler, const std::vector<const Sequence*>& sequences) {
  std::string order;
  for (int i = 0; i < 8; ++i) {
    const Sequence* next = scheduler->NextToEncode();
    order += '-';
    for (size_t j = 0; j < sequences.size(); ++j) {
      if (next == sequences[j]) order.back() = static_cast<char>('A' + j);
    }
  }
  return order;
}

TEST_F(SchedulerTest, ASmallPictureHasEverySecondSliceBesideALargeOne) {
  Scheduler scheduler = MakeScheduler(200, 8);
  const Sequence* const large = Add(&scheduler, 101, 65, 100);
  scheduler.Admit();
  EXPECT_EQ(Slices(&scheduler, {large}), "AAAAAAAA");
  const Sequence* const middling = Add(&scheduler, 27, 65, 26);
  scheduler.Admit();
  EXPECT_EQ(Slices(&scheduler, {large, middling}), "AAAAAAAA") << "more than a quarter";
  Sequence* const small = Add(&scheduler, 26, 65, 25);
  scheduler.Admit();
  EXPECT_EQ(Slices(&scheduler, {large, middling, small}), "CACACACA");
  Sequence* const smaller = Add(&scheduler, 25, 65, 24);
  scheduler.Admit();
  EXPECT_EQ(Slices(&scheduler, {large, middling, small, smaller}), "DADADADA");
  scheduler.Remove(smaller);
  scheduler.Remove(small);
  EXPECT_EQ(Slices(&scheduler, {large, middling}), "AAAAAAAA");
}

// However long the others are: at most twice the steps that the prompt takes alone, and one.
TEST_F(SchedulerTest, AShortPromptIsNotHeldUpByLongOnes) {
  Random random(1);
  for (int round = 0; round < 50; ++round) {
    Scheduler scheduler = MakeScheduler(1000, 8);
    const auto chunk = static_cast<int64_t>(32 + random.Below(200));
    const auto size = static_cast<int64_t>(1 + random.Below(300));
    const auto num_long = 1 + random.Below(6);
    for (uint64_t i = 0; i < num_long; ++i) {
      Add(&scheduler, 4 * size + static_cast<int64_t>(random.Below(2000)));
    }
    scheduler.Admit();
    for (uint64_t i = random.Below(3); i > 0; --i) Run(&scheduler, scheduler.PlanStep(512, chunk));
    Sequence* const quick = Add(&scheduler, size);
    scheduler.Admit();
    int64_t steps = 0;
    for (; quick->num_computed() < size; ++steps) Run(&scheduler, scheduler.PlanStep(512, chunk));
    EXPECT_LE(steps, 2 * ((size + chunk - 1) / chunk) + 1)
        << size << " tokens beside " << num_long << " longer prompts, chunks of " << chunk;
  }
}

// It gives up at most half.
TEST_F(SchedulerTest, ALongPromptGoesOnBesideShortOnes) {
  Scheduler scheduler = MakeScheduler(1000, 8);
  Sequence* const long_one = Add(&scheduler, 1000);
  scheduler.Admit();
  int64_t steps = 0;
  for (; long_one->num_computed() < 1000; ++steps) {
    if (scheduler.running().size() < 8) Add(&scheduler, 100);
    scheduler.Admit();
    Run(&scheduler, scheduler.PlanStep(512, 100));
  }
  EXPECT_LE(steps, 20);
}

TEST_F(SchedulerTest, PreemptsTheLastAdmittedWhenBlocksEnd) {
  Scheduler scheduler = MakeScheduler(5, 8);
  Sequence* const first = Add(&scheduler, 31);
  Sequence* const second = Add(&scheduler, 31);
  scheduler.Admit();
  ASSERT_EQ(scheduler.running().size(), 2u);
  Run(&scheduler, scheduler.PlanStep(64, 64));
  // Both grow into the five blocks until the second has to give way.
  while (scheduler.num_preemptions() == 0) Run(&scheduler, scheduler.PlanStep(64, 64));
  ASSERT_EQ(scheduler.running().size(), 1u);
  EXPECT_EQ(scheduler.running().front().get(), first);
  ASSERT_EQ(scheduler.waiting().size(), 1u);
  EXPECT_EQ(scheduler.waiting().front().get(), second);
  EXPECT_EQ(second->num_computed(), 0);
  EXPECT_GT(second->num_tokens(), 31) << "what was generated is kept";
  EXPECT_TRUE(second->block_table().empty());
  const int64_t num_tokens = second->num_tokens();

  scheduler.Remove(first);
  scheduler.Admit();
  Run(&scheduler, scheduler.PlanStep(200, 200));
  EXPECT_EQ(second->num_tokens(), num_tokens + 1) << "computed again, then goes on";
}

TEST_F(SchedulerTest, GivesEveryBlockBack) {
  Scheduler scheduler = MakeScheduler(10, 8);
  Sequence* const sequence = Add(&scheduler, 100);
  scheduler.Admit();
  EXPECT_EQ(sequence->block_table().size(), 4u);
  scheduler.Remove(sequence);
  EXPECT_EQ(num_freed_, 4);
  EXPECT_TRUE(scheduler.is_idle());
}

TEST_F(SchedulerTest, FreesTheBlocksOfAWrongDraft) {
  Scheduler scheduler = MakeScheduler(10, 8);
  Sequence* const sequence = Add(&scheduler, 30, 65, 0, {.expected = {66, 70, 71, 72}});
  scheduler.Admit();
  Run(&scheduler, scheduler.PlanStep(64, 64, 8));
  ASSERT_EQ(sequence->num_tokens(), 31);
  const auto& plan = scheduler.PlanStep(64, 64, 8);
  ASSERT_EQ(plan.size(), 1u);
  EXPECT_EQ(plan[0].num_new, 1);
  EXPECT_EQ(plan[0].num_drafted, 2);
  EXPECT_EQ(sequence->block_table().size(), 2u);
  scheduler.MarkComputed(plan[0]);
  std::vector<float> logits(300, 0.0f);
  logits[66] = 1;
  EXPECT_FALSE(sequence->AcceptLogits(logits));
  EXPECT_FALSE(sequence->FollowsDraft(0));
  sequence->EndStep(2, 0);
  scheduler.FreeUnused(sequence);
  EXPECT_EQ(sequence->block_table().size(), 1u);
  EXPECT_EQ(num_freed_, 1);
}

TEST_F(SchedulerTest, ADraftIsCutToTheBlocksThatAreLeft) {
  Scheduler scheduler = MakeScheduler(1, 8);
  Sequence* const sequence = Add(&scheduler, 30, 65, 0, {.expected = {66, 70, 71, 72}});
  scheduler.Admit();
  Run(&scheduler, scheduler.PlanStep(64, 64, 8));
  const auto& plan = scheduler.PlanStep(64, 64, 8);
  ASSERT_EQ(plan.size(), 1u);
  EXPECT_EQ(plan[0].num_drafted, 1);
  EXPECT_EQ(sequence->block_table().size(), 1u);
  EXPECT_EQ(scheduler.num_preemptions(), 0);
}

TEST_F(SchedulerTest, UsesTheBlocksOfASequenceThatBeganAlike) {
  Scheduler scheduler = MakeKeepingScheduler(10, 8);
  Sequence* const first = Add(&scheduler, 100);
  scheduler.Admit();
  Run(&scheduler, scheduler.PlanStep(200, 200));
  Sequence* const beside = Add(&scheduler, 96);  // as long as three blocks: the last is computed
  Sequence* const other = Add(&scheduler, 96, 66);
  scheduler.Admit();
  EXPECT_EQ(beside->num_computed(), 64);
  EXPECT_EQ(beside->block_table()[1], first->block_table()[1]);
  EXPECT_NE(beside->block_table()[2], first->block_table()[2]);
  EXPECT_EQ(other->num_computed(), 0);
  const std::vector<int32_t> table = first->block_table();
  for (Sequence* sequence : {first, beside, other}) scheduler.Remove(sequence);
  Sequence* const after = Add(&scheduler, 200);
  scheduler.Admit();
  EXPECT_EQ(after->num_computed(), 96);
  EXPECT_EQ(after->block_table()[2], table[2]);
}

TEST_F(SchedulerTest, UsesWhatWasGeneratedToo) {
  Scheduler scheduler = MakeKeepingScheduler(10, 8);
  Sequence* const first = Add(&scheduler, 20);
  scheduler.Admit();
  while (first->num_tokens() < 80) Run(&scheduler, scheduler.PlanStep(64, 64));
  SequenceRequest next_turn;
  next_turn.prompt_ids = std::vector<int32_t>(20, 65);
  next_turn.prompt_ids.resize(80, 66);  // what Run generates
  next_turn.max_new_tokens = 1;
  for (auto& stream : next_turn.positions.streams) stream.assign(80, 0);
  next_turn.outcome = std::make_shared<Outcome>();
  Scheduler::Queue arrived;
  arrived.push_back(std::make_unique<Sequence>(std::move(next_turn), context_));
  const Sequence* const second = arrived.front().get();
  scheduler.Add(&arrived);
  scheduler.Admit();
  EXPECT_EQ(second->num_computed(), 64);
}

// Blocks of others cost nothing: three sequences of four blocks fit into six and one each to grow.
TEST_F(SchedulerTest, CountsSharedBlocksOnceWhenItAdmits) {
  Scheduler scheduler = MakeKeepingScheduler(9, 8);
  Add(&scheduler, 127);
  scheduler.Admit();
  Run(&scheduler, scheduler.PlanStep(200, 200));
  Add(&scheduler, 127);
  Add(&scheduler, 127);
  scheduler.Admit();
  EXPECT_EQ(scheduler.running().size(), 3u);
}

TEST_F(SchedulerTest, APreemptedSequenceFindsItsOwnBlocks) {
  Scheduler scheduler = MakeKeepingScheduler(7, 8);
  Sequence* const first = Add(&scheduler, 64);
  Sequence* const second = Add(&scheduler, 64, 66);
  scheduler.Admit();
  Run(&scheduler, scheduler.PlanStep(200, 200));
  while (scheduler.num_preemptions() == 0) Run(&scheduler, scheduler.PlanStep(64, 64));
  scheduler.Remove(first);
  scheduler.Admit();
  EXPECT_GE(second->num_computed(), 64);
}

}  // namespace
}  // namespace octavo
