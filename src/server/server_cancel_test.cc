// Clients that go away at any moment, with the real engine: others get what they get alone, and
// nothing goes on.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/random.h"
#include "engine/engine.h"
#include "kernels/select.h"
#include "server/server.h"
#include "testing/http_client.h"
#include "testing/picture.h"
#include "testing/process_time.h"
#include "testing/tiny_model.h"
#include "vision/image_codec.h"

namespace octavo {
namespace {

using testing::HttpAnswer;
using testing::HttpClient;
using testing::ProcessSeconds;

constexpr char kChat[] = "/v1/chat/completions";
constexpr int kNumMoments = 20;

std::string Base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? static_cast<uint8_t>(bytes[i + k]) : 0u);
    }
    for (int shift = 18; shift >= 0; shift -= 6) text += kDigits[group >> shift & 63];
  }
  for (size_t i = bytes.size(); i % 3 != 0; ++i) text[text.size() - 3 + i % 3] = '=';
  return text;
}

// A question about a picture of its own.
std::string Body(int number, int max_tokens, bool streams) {
  const Image picture = testing::Picture(60, 72, number);
  return R"({"model":"m","ignore_eos":true,"temperature":0.8,"seed":)" + std::to_string(number) +
         R"(,"max_tokens":)" + std::to_string(max_tokens) + (streams ? R"(,"stream":true)" : "") +
         R"(,"messages":[{"role":"user","content":[{"type":"image_url","image_url":)"
         R"({"url":"data:image/png;base64,)" +
         Base64(EncodePng(picture)) + R"("}},{"type":"text","text":"question"}]}]})";
}

// Sends the request and goes away: within the upload; at some time, in the queue or in any stage
// of the work; or within the answer.
void AskAndGo(int port, int moment, Random* random) {
  HttpClient client(port);
  const std::string body = Body(100 + moment, 300, moment % 4 == 1);
  if (moment % 4 == 0) {
    const auto count = static_cast<size_t>(random->Below(body.size()));
    client.Send("POST /v1/chat/completions HTTP/1.1\r\nHost: test\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n" + body.substr(0, count));
    return;
  }
  client.Send("POST", kChat, body);
  // With the first event the answer has begun.
  if (moment % 4 == 1) {
    EXPECT_TRUE(client.FillUntil("data: "));
  }
  std::this_thread::sleep_for(std::chrono::microseconds(random->Below(40'000)));
}

TEST(ServerCancel, ClientsThatGoAtAnyMomentLeaveTheOthersAlone) {
  const auto engine = MakeEngine(
      *testing::MakeTinyModel(),
      {.num_threads = 2, .max_running = 3, .prefix_cache_tokens = 256, .encoder_cache_tokens = 256},
      SelectedKernels());
  Server server(*engine, {.max_in_engine = 3});
  HttpClient watcher(server.port());
  const auto is_at_rest = [&] {
    const std::string metrics = watcher.Ask("GET", "/metrics").body;
    return metrics.find("\noctavo_requests_running 0\n") != std::string::npos &&
           metrics.find("\noctavo_requests_waiting 0\n") != std::string::npos;
  };
  std::vector<std::string> bodies, quiet;
  for (int i = 0; i < 3; ++i) {
    bodies.push_back(Body(i, 40, false));
    const HttpAnswer answer = watcher.Ask("POST", kChat, bodies.back());
    ASSERT_EQ(answer.status, 200) << answer.body;
    quiet.push_back(answer.body.substr(answer.body.find("\"choices\"")));
  }
  Random random(5);
  for (int moment = 0; moment < kNumMoments; ++moment) {
    SCOPED_TRACE(moment);
    std::vector<std::unique_ptr<HttpClient>> neighbours;
    const size_t place = random.Below(4);
    for (size_t i = 0; i < bodies.size(); ++i) {
      if (i == place) AskAndGo(server.port(), moment, &random);
      neighbours.push_back(std::make_unique<HttpClient>(server.port()));
      neighbours.back()->Send("POST", kChat, bodies[i]);
    }
    if (place == bodies.size()) AskAndGo(server.port(), moment, &random);
    for (size_t i = 0; i < bodies.size(); ++i) {
      const std::string body = neighbours[i]->Read().body;
      const size_t begin = body.find("\"choices\"");
      ASSERT_NE(begin, std::string::npos) << body;
      const std::string expected = quiet[i].substr(0, quiet[i].find("\"usage\""));
      EXPECT_EQ(body.substr(begin, expected.size()), expected);
    }
  }
  bool rests = is_at_rest();
  for (int i = 0; i < 1000 && !rests; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    rests = is_at_rest();
  }
  EXPECT_TRUE(rests) << "within a second";
  const double before = ProcessSeconds();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_LT(ProcessSeconds() - before, 0.1);
}

}  // namespace
}  // namespace octavo
