#include "server/openai_request.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "octavo/error.h"
#include "testing/damage.h"
#include "testing/error_code.h"

namespace octavo {
namespace {

// A white picture of 1 x 1, as PNG.
constexpr char kPng[] =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4//8/AAX+Av4zEpUUAAAAAElFTkSuQmCC";

std::string Body(const std::string& fields) {
  return R"({"model":"m","messages":[{"role":"user","content":"hi"}])" +
         (fields.empty() ? "" : "," + fields) + "}";
}

std::string ImageBody(const std::string& url) {
  return R"({"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":")" +
         url + R"("}},{"type":"text","text":"\nText Recognition:"}]}]})";
}

std::string MessageOf(const std::string& body) {
  try {
    ParseChatRequest(body);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.what();
  }
  ADD_FAILURE() << "accepted: " << body;
  return {};
}

TEST(OpenaiRequest, ReadsMinerusLayoutRequest) {
  ChatRequest chat = ParseChatRequest(std::string(R"({"model":"x","messages":[
        {"role":"system","content":"You are a helpful assistant."},
        {"role":"user","content":[
          {"type":"image_url","image_url":{"url":"data:image/png;base64,)") +
                                      kPng + R"("}},
          {"type":"text","text":"\nLayout Detection:"}]}],
        "temperature":0.0,"top_p":0.01,"top_k":1,"presence_penalty":1.0,"frequency_penalty":0.05,
        "repetition_penalty":1.0,"vllm_xargs":{"no_repeat_ngram_size":100,"debug":false},
        "skip_special_tokens":false})");
  const Request& request = chat.request;
  ASSERT_EQ(request.messages.size(), 2u);
  EXPECT_EQ(request.messages[0].role, Message::Role::kSystem);
  EXPECT_EQ(request.messages[0].contents[0].text, "You are a helpful assistant.");
  ASSERT_EQ(request.messages[1].contents.size(), 2u);
  EXPECT_TRUE(request.messages[1].contents[0].is_image);
  EXPECT_EQ(request.messages[1].contents[1].text, "\nLayout Detection:");
  EXPECT_TRUE(request.trust_markup);
  EXPECT_EQ(request.sampling.temperature, 0);
  EXPECT_EQ(request.sampling.top_p, 0.01);
  EXPECT_EQ(request.sampling.top_k, 1);
  EXPECT_EQ(request.sampling.presence_penalty, 1);
  EXPECT_EQ(request.sampling.frequency_penalty, 0.05);
  EXPECT_EQ(request.sampling.no_repeat_ngram_size, 100);
  EXPECT_FALSE(request.sampling.skip_special_tokens);
  EXPECT_FALSE(chat.stream);
  ASSERT_EQ(chat.picture_files.size(), 1u);
  DecodePictures(&chat);
  ASSERT_EQ(chat.request.pictures.size(), 1u);
  EXPECT_EQ(chat.request.pictures[0].width, 1);
  EXPECT_EQ(chat.request.pictures[0].rgb, (std::vector<uint8_t>{255, 255, 255}));
}

TEST(OpenaiRequest, DecodesGreedilyWithoutSamplingFields) {
  const ChatRequest chat = ParseChatRequest(Body(""));
  EXPECT_EQ(chat.request.sampling.temperature, 0);
  EXPECT_EQ(chat.request.sampling.max_new_tokens, 0);
  EXPECT_TRUE(chat.request.sampling.skip_special_tokens);
}

TEST(OpenaiRequest, ReadsTheOtherFields) {
  const ChatRequest chat = ParseChatRequest(Body(
      R"("max_tokens":9,"max_completion_tokens":7,"stop":["a","b"],"seed":-5,"priority":-3,
         "stream":true,"stream_options":{"include_usage":true},"logit_bias":{"12":-100},
         "stop_token_ids":[3],"ignore_eos":true,"min_p":0.1,"no_repeat_ngram_size":4,"top_k":-1,
         "n":1,"logprobs":false,"tools":[],"response_format":{"type":"text"},"user":null,
         "unknown":{"x":1})"));
  const SamplingParams& sampling = chat.request.sampling;
  EXPECT_EQ(sampling.max_new_tokens, 7);
  EXPECT_EQ(sampling.stop, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(sampling.seed, static_cast<uint64_t>(-5));
  EXPECT_EQ(chat.priority, -3);
  EXPECT_TRUE(chat.stream && chat.include_usage);
  EXPECT_EQ(sampling.logit_bias.at(12), -100);
  EXPECT_EQ(sampling.stop_token_ids, (std::vector<int32_t>{3}));
  EXPECT_TRUE(sampling.ignore_eos);
  EXPECT_EQ(sampling.min_p, 0.1);
  EXPECT_EQ(sampling.no_repeat_ngram_size, 4);
  EXPECT_EQ(sampling.top_k, 0);
  EXPECT_EQ(ParseChatRequest(Body(R"("stop":"x")")).request.sampling.stop,
            (std::vector<std::string>{"x"}));
}

TEST(OpenaiRequest, ReadsEarlierTurnsAndALineFeedWrittenAsTwoCharacters) {
  const ChatRequest chat = ParseChatRequest(
      R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},
          {"role":"user","content":[{"type":"text","text":"\\nLayout Detection:"}]}]})");
  EXPECT_EQ(chat.request.messages[1].role, Message::Role::kAssistant);
  EXPECT_EQ(chat.request.messages[2].contents[0].text, "\nLayout Detection:");
}

TEST(OpenaiRequest, NamesTheFieldThatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "not valid JSON"},
      {"[]", "expected a JSON object"},
      {"{}", "messages: expected a list"},
      {R"({"messages":[]})", "messages: expected a list"},
      {R"({"messages":[1]})", "messages[0]: expected an object"},
      {R"({"messages":[{"content":"x"}]})", "messages[0].role is missing"},
      {R"({"messages":[{"role":"tool","content":"x"}]})", "messages[0].role: found \"tool\""},
      {R"({"messages":[{"role":"user"}]})", "messages[0].content is missing"},
      {R"({"messages":[{"role":"user","content":5}]})", "messages[0].content: found number"},
      {R"({"messages":[{"role":"user","content":[{"type":"audio"}]}]})",
       "messages[0].content[0].type: found \"audio\""},
      {R"({"messages":[{"role":"user","content":[{"type":"text"}]}]})",
       "messages[0].content[0].text is missing"},
      {R"({"messages":[{"role":"user","content":[{"type":"image_url"}]}]})",
       "messages[0].content[0].image_url.url is missing"},
      {ImageBody("https://example.com/a.png"), "only data URLs are read"},
      {ImageBody("file:///etc/passwd"), "only data URLs are read"},
      {ImageBody("data:image/png,abc"), "no \\\";base64,\\\""},
      {ImageBody("data:image/png;base64"), "no \\\";base64,\\\""},
      {ImageBody("data:image/png;base64,@@@@"), "no base64"},
      {Body(R"("temperature":"hot")"), "temperature: found string"},
      {Body(R"("top_k":1.5)"), "top_k: expected a whole number"},
      {Body(R"("max_tokens":0)"), "max_tokens: expected a whole number from 1"},
      {Body(R"("max_tokens":1e300)"), "max_tokens: expected a whole number"},
      {Body(R"("stream":"yes")"), "stream: found string"},
      {Body(R"("n":2)"), "n: only one choice"},
      {Body(R"("logprobs":true)"), "logprobs"},
      {Body(R"("tools":[{"type":"function"}])"), "tools: not supported"},
      {Body(R"("response_format":{"type":"json_object"})"), "response_format"},
      {Body(R"("stop":[1])"), "stop: found number"},
      {Body(R"("logit_bias":{"x":1})"), "logit_bias"},
      {Body(R"("stop_token_ids":[-1])"), "stop_token_ids"},
      {Body(R"("priority":1e12)"), "priority"},
      {Body(R"("seed":9223372036854775808)"), "seed: expected a whole number"},
      {Body(R"("seed":9.223372036854775808e18)"), "seed: expected a whole number"},
  };
  for (const auto& [body, message] : cases) {
    std::string expected = message;
    for (size_t i; (i = expected.find('\\')) != std::string::npos;) expected.erase(i, 1);
    EXPECT_NE(MessageOf(body).find(expected), std::string::npos)
        << body << "\n  " << MessageOf(body);
  }
}

TEST(OpenaiRequest, BlamesTheRequestForAPictureThatIsNone) {
  for (const char* file : {"AAAA", "", "iVBORw0KGgo="}) {
    ChatRequest chat = ParseChatRequest(ImageBody(std::string("data:image/png;base64,") + file));
    EXPECT_EQ(testing::ErrorCodeOf([&] { DecodePictures(&chat); }, "image 1: "),
              ErrorCode::kInvalidArgument);
  }
}

TEST(OpenaiRequest, NeverDoesAnythingButThrowOnDamage) {
  const std::string body = ImageBody(std::string("data:image/png;base64,") + kPng);
  for (size_t length = 0; length < body.size(); ++length) {
    EXPECT_THROW(ParseChatRequest(body.substr(0, length)), Error);
  }
  for (size_t i = 0; i < body.size(); ++i) {
    for (const char c : {'\0', '"', '{', ']', '9', '\xFF'}) {
      std::string damaged = body;
      damaged[i] = c;
      try {
        ChatRequest chat = ParseChatRequest(damaged);
        DecodePictures(&chat);
      } catch (const Error&) {
        continue;
      }
    }
  }
}

}  // namespace
}  // namespace octavo
