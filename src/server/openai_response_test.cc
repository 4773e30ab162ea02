#include "server/openai_response.h"

#include <new>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "octavo/error.h"

namespace octavo {
namespace {

using Json = nlohmann::json;

const ChatIdentity kIdentity = {"chatcmpl-1", 1700000000, "octavo-nano"};

Json DataOf(const std::string& event) {
  EXPECT_EQ(event.rfind("data: ", 0), 0u) << event;
  EXPECT_EQ(event.substr(event.size() - 2), "\n\n");
  EXPECT_EQ(event.find('\n'), event.size() - 2) << "a data line must be one line";
  return Json::parse(event.substr(6));
}

TEST(OpenaiResponse, WritesAWholeAnswer) {
  Completion completion;
  completion.text = "line\n\"quoted\" \xE4\xBD\xA0 <|box_start|>";
  completion.finish_reason = FinishReason::kLength;
  completion.usage.prompt_tokens = 11;
  completion.usage.cached_tokens = 7;
  completion.usage.completion_tokens = 5;
  const std::string body = ChatCompletionBody(kIdentity, completion);
  EXPECT_EQ(Json::parse(body), Json::parse(R"({"id":"chatcmpl-1","object":"chat.completion",
    "created":1700000000,"model":"octavo-nano","choices":[{"index":0,"message":{"role":"assistant",
    "content":"line\n\"quoted\" 你 <|box_start|>"},"finish_reason":"length"}],
    "usage":{"prompt_tokens":11,"prompt_tokens_details":{"cached_tokens":7},"completion_tokens":5,"total_tokens":16}})"));
  EXPECT_EQ(body.rfind(R"({"id":"chatcmpl-1","object":"chat.completion","created":)", 0), 0u);
}

TEST(OpenaiResponse, KnowsNoFinishReasonsButStopAndLength) {
  Completion completion;
  const auto reason = [&](FinishReason finish) {
    completion.finish_reason = finish;
    return Json::parse(ChatCompletionBody(kIdentity, completion))["choices"][0]["finish_reason"];
  };
  EXPECT_EQ(reason(FinishReason::kStop), "stop");
  EXPECT_EQ(reason(FinishReason::kLength), "length");
  EXPECT_EQ(reason(FinishReason::kCancelled), "length");
}

TEST(OpenaiResponse, WritesEvents) {
  Json event = DataOf(FirstChunk(kIdentity, false));
  EXPECT_EQ(event["object"], "chat.completion.chunk");
  EXPECT_EQ(event["choices"][0]["delta"]["role"], "assistant");
  EXPECT_TRUE(event["choices"][0]["finish_reason"].is_null());
  EXPECT_FALSE(event.contains("usage"));
  event = DataOf(TextChunk(kIdentity, "a\nb", true));
  EXPECT_EQ(event["choices"][0]["delta"], Json::parse(R"({"content":"a\nb"})"));
  EXPECT_TRUE(event["usage"].is_null());
  event = DataOf(FinishChunk(kIdentity, FinishReason::kStop, false));
  EXPECT_EQ(event["choices"][0]["delta"], Json::object());
  EXPECT_EQ(event["choices"][0]["finish_reason"], "stop");
  Usage usage;
  usage.prompt_tokens = 1;
  usage.completion_tokens = 2;
  event = DataOf(UsageChunk(kIdentity, usage));
  EXPECT_EQ(event["choices"], Json::array());
  EXPECT_EQ(event["usage"]["total_tokens"], 3);
}

TEST(OpenaiResponse, ListsOneModel) {
  const Json models = Json::parse(ModelsBody("m", 5, 4096));
  EXPECT_EQ(models, Json::parse(R"({"object":"list","data":[{"id":"m","object":"model","created":5,
    "owned_by":"octavo","max_model_len":4096}]})"));
}

HttpResponse ResponseTo(const std::exception_ptr& error) {
  HttpResponse response = ErrorResponse(error);
  const Json body = Json::parse(response.body)["error"];
  EXPECT_TRUE(body["message"].is_string() && body["type"].is_string() && body["param"].is_null() &&
              body["code"].is_string())
      << response.body;
  return response;
}

TEST(OpenaiResponse, TurnsErrorsIntoStatusAndCode) {
  const auto of = [](ErrorCode code, const char* message) {
    return std::make_exception_ptr(Error(code, message));
  };
  EXPECT_EQ(ResponseTo(of(ErrorCode::kInvalidArgument, "x")).status, 400);
  EXPECT_EQ(ResponseTo(of(ErrorCode::kResourceExhausted, "x")).status, 503);
  EXPECT_EQ(ResponseTo(of(ErrorCode::kIo, "x")).status, 500);
  const HttpResponse large =
      ResponseTo(of(ErrorCode::kResourceExhausted, "image 1: image_too_large: PNG: 1 x 1"));
  EXPECT_EQ(large.status, 413);
  EXPECT_EQ(Json::parse(large.body)["error"]["code"], "image_too_large");
  const HttpResponse corrupt =
      ResponseTo(of(ErrorCode::kInvalidArgument, "image 2: image_corrupt: PNG: cut"));
  EXPECT_EQ(corrupt.status, 400);
  EXPECT_EQ(Json::parse(corrupt.body)["error"]["code"], "image_corrupt");
  EXPECT_EQ(ResponseTo(std::make_exception_ptr(std::bad_alloc())).status, 503);
  EXPECT_EQ(ResponseTo(std::make_exception_ptr(std::logic_error("bug"))).status, 500);
  EXPECT_EQ(DataOf(ErrorEvent(of(ErrorCode::kIo, "y")))["error"]["message"], "y");
}

}  // namespace
}  // namespace octavo
