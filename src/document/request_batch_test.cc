#include "document/request_batch.h"

#include <thread>

#include <gtest/gtest.h>

#include "testing/fake_engine.h"

namespace octavo {
namespace {

TEST(RequestBatch, SendsPromptPictureAndSampling) {
  FakeEngine engine([](const Request&) { return FakeEngine::Answer{"words"}; });
  RequestBatch batch(engine, nullptr);
  batch.Submit(Task::kTable, Image(30, 40, 9), 12);
  EXPECT_EQ(batch.WaitAll().front().text, "words");
  const Request& request = engine.requests().front();
  EXPECT_EQ(FakeEngine::PromptOf(request), "\nTable Recognition:");
  ASSERT_EQ(request.messages.size(), 2u);
  EXPECT_EQ(request.messages[0].contents[0].text, "You are a helpful assistant.");
  EXPECT_TRUE(request.messages[1].contents[0].is_image);
  ASSERT_EQ(request.pictures.size(), 1u);
  EXPECT_EQ(request.pictures[0].width, 30);
  EXPECT_EQ(request.pictures[0].rgb.size(), 30u * 40 * 3);
  EXPECT_EQ(request.sampling.frequency_penalty, 0.005);
  EXPECT_EQ(request.sampling.max_new_tokens, 12);
  EXPECT_TRUE(request.trust_markup);
  EXPECT_FALSE(request.drafting.forced) << "no grammar";
}

TEST(RequestBatch, DraftsByTheGrammarOfLayoutAnswers) {
  FakeEngine engine([](const Request&) { return FakeEngine::Answer{"words"}; });
  RequestBatch batch(engine, nullptr);
  batch.Submit(Task::kLayout, Image(30, 40, 9));
  batch.WaitAll();
  ASSERT_TRUE(engine.requests().front().drafting.forced);
  EXPECT_EQ(engine.requests().front().drafting.forced("<|box_start|>100"), " ");
}

TEST(RequestBatch, KeepsTheErrorOfOneRequestToItself) {
  int count = 0;
  FakeEngine engine([&](const Request&) -> FakeEngine::Answer {
    ++count;
    if (count == 1) throw Error(ErrorCode::kInvalidArgument, "refused");
    FakeEngine::Answer answer{"fine"};
    if (count == 2) answer.error = Error(ErrorCode::kDataLoss, "not finite");
    return answer;
  });
  RequestBatch batch(engine, nullptr);
  for (int i = 0; i < 3; ++i) batch.Submit(Task::kText, Image(28, 28));
  const auto answers = batch.WaitAll();
  EXPECT_EQ(answers[0].error, "refused");
  EXPECT_EQ(answers[1].error, "not finite");
  EXPECT_EQ(answers[2].error, "");
  EXPECT_EQ(answers[2].text, "fine");
}

TEST(RequestBatch, EndsWhenCancelled) {
  FakeEngine engine([](const Request&) {
    FakeEngine::Answer answer;
    answer.hangs = true;
    return answer;
  });
  Canceller canceller;
  RequestBatch batch(engine, &canceller);
  batch.Submit(Task::kText, Image(28, 28));
  batch.Submit(Task::kText, Image(28, 28));
  std::jthread other([&] { canceller.Cancel(); });
  try {
    batch.WaitAll();
    ADD_FAILURE() << "no Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCancelled);
  }
}

}  // namespace
}  // namespace octavo
