#include "engine/sequence.h"

#include <gtest/gtest.h>

#include <limits>

#include "engine/model_files.h"
#include "tests/testing/tiny_model.h"

namespace octavo {
namespace {

class SequenceTest : public ::testing::Test {
 protected:
  SequenceRequest Request(std::vector<int32_t> prompt_ids, int64_t max_new_tokens = 100) {
    SequenceRequest request;
    request.positions = ComputeMropePositions(prompt_ids, {}, files_.config);
    request.prompt_ids = std::move(prompt_ids);
    request.max_new_tokens = max_new_tokens;
    request.outcome = std::make_shared<Outcome>();
    request.on_token = [this](const TokenEvent& event) { streamed_ += event.text + "|"; };
    completion_ = request.outcome->promise.get_future();
    return request;
  }
  // Makes `id` the next token.
  static bool Accept(Sequence* sequence, int32_t id) {
    std::vector<float> logits(300, 0.0f);
    logits[static_cast<size_t>(id)] = 1;
    sequence->MarkComputed(sequence->num_remaining());
    return sequence->AcceptLogits(logits);
  }

  const ModelFiles files_ = LoadModelFiles(*testing::MakeTinyModel());
  const SequenceContext context_ = {.tokenizer = &files_.tokenizer,
                                    .end_ids = &files_.config.eos_token_ids,
                                    .num_tokens = files_.tokenizer.vocab_size(),
                                    .hidden_size = files_.config.text.hidden_size};
  std::string streamed_;
  std::future<Completion> completion_;
};

TEST_F(SequenceTest, EndsAtTheEndTokenWhichIsNoText) {
  Sequence sequence(Request({'h', 'i'}), context_);
  EXPECT_FALSE(Accept(&sequence, 'o'));
  EXPECT_FALSE(Accept(&sequence, 'k'));
  EXPECT_TRUE(Accept(&sequence, testing::kTinyEosId));
  sequence.Finish(sequence.finish_reason());
  const Completion completion = completion_.get();
  EXPECT_EQ(completion.text, "ok");
  EXPECT_EQ(completion.token_ids, (std::vector<int32_t>{'o', 'k', testing::kTinyEosId}));
  EXPECT_EQ(completion.finish_reason, FinishReason::kStop);
  EXPECT_EQ(completion.usage.prompt_tokens, 2);
  EXPECT_EQ(completion.usage.completion_tokens, 3);
  EXPECT_EQ(streamed_, "o|k||");
}

TEST_F(SequenceTest, EndsByLengthAndFlushesAnUnfinishedCharacter) {
  Sequence sequence(Request({'h'}, 2), context_);
  EXPECT_FALSE(Accept(&sequence, 0xC3));
  EXPECT_TRUE(Accept(&sequence, 0xC3));
  sequence.Finish(sequence.finish_reason());
  const Completion completion = completion_.get();
  EXPECT_EQ(completion.finish_reason, FinishReason::kLength);
  EXPECT_EQ(completion.text, "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_F(SequenceTest, StopsBeforeAStopStringAcrossTokens) {
  SequenceRequest request = Request({'h'});
  request.sampling.stop = {"\xC3\xA9y"};
  Sequence sequence(std::move(request), context_);
  EXPECT_FALSE(Accept(&sequence, 'a'));
  EXPECT_FALSE(Accept(&sequence, 0xC3));
  EXPECT_FALSE(Accept(&sequence, 0xA9));
  EXPECT_TRUE(Accept(&sequence, 'y'));
  sequence.Finish(sequence.finish_reason());
  const Completion completion = completion_.get();
  EXPECT_EQ(completion.text, "a");
  EXPECT_EQ(completion.finish_reason, FinishReason::kStop);
  EXPECT_EQ(streamed_, "a||||");
}

TEST_F(SequenceTest, ShowsSpecialTokensWhenAsked) {
  SequenceRequest request = Request({'h'}, 1);
  request.sampling.skip_special_tokens = false;
  Sequence sequence(std::move(request), context_);
  EXPECT_TRUE(Accept(&sequence, 261));
  EXPECT_EQ(streamed_, "<|box_start|>|");
  sequence.Finish(sequence.finish_reason());
}

TEST_F(SequenceTest, RefusesLogitsThatAreNotFinite) {
  Sequence sequence(Request({'h'}), context_);
  std::vector<float> logits(300, 0.0f);
  logits[5] = std::numeric_limits<float>::quiet_NaN();
  try {
    sequence.AcceptLogits(logits);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kDataLoss);
  }
  sequence.Fail(std::make_exception_ptr(Error(ErrorCode::kDataLoss, "x")));
  EXPECT_THROW(completion_.get(), Error);
}

TEST_F(SequenceTest, ACancelledCompletionHoldsWhatThereIs) {
  Sequence sequence(Request({'h'}), context_);
  Accept(&sequence, 'a');
  Accept(&sequence, 0xC3);
  sequence.Finish(FinishReason::kCancelled);
  const Completion completion = completion_.get();
  EXPECT_EQ(completion.text, "a\xEF\xBF\xBD");
  EXPECT_EQ(completion.finish_reason, FinishReason::kCancelled);
}

TEST_F(SequenceTest, BatchesTokensWithPositionsThatGoOnAfterThePrompt) {
  SequenceRequest request = Request({'a', 'b', 'c'});
  request.positions.delta = -1;  // as after an image
  Sequence sequence(std::move(request), context_);
  ForwardBatch batch;
  sequence.AppendTo(&batch, 2);
  EXPECT_FALSE(batch.sequences.back().wants_logits);
  sequence.MarkComputed(2);
  Accept(&sequence, 'd');
  ForwardBatch decode;
  sequence.AppendTo(&decode, 1);
  EXPECT_TRUE(decode.sequences.back().wants_logits);
  EXPECT_EQ(decode.sequences.back().num_cached, 3);
  EXPECT_EQ(decode.token_ids, (std::vector<int32_t>{'d'}));
  EXPECT_EQ(decode.positions[0], (std::vector<int32_t>{2}));
}

}  // namespace
}  // namespace octavo
