#include "server/server.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/engine.h"
#include "kernels/select.h"
#include "testing/fake_engine.h"
#include "testing/http_client.h"
#include "testing/picture.h"
#include "testing/tiny_model.h"
#include "vision/image_codec.h"

namespace octavo {
namespace {

using Json = nlohmann::json;
using testing::HttpAnswer;
using testing::HttpClient;

constexpr char kChat[] = "/v1/chat/completions";

std::string Ask(const std::string& text, const std::string& fields = "") {
  return R"({"model":"m","messages":[{"role":"user","content":")" + text + "\"}]" +
         (fields.empty() ? "" : "," + fields) + "}";
}

Json BodyOf(const HttpAnswer& answer) { return Json::parse(answer.body, nullptr, false); }

std::string TextOf(const HttpAnswer& answer) {
  EXPECT_EQ(answer.status, 200) << answer.body;
  return answer.status == 200 ? BodyOf(answer)["choices"][0]["message"]["content"] : Json("");
}

std::vector<Json> EventsOf(const std::string& body) {
  std::vector<Json> events;
  size_t begin = 0;
  for (size_t end; (end = body.find("\n\n", begin)) != std::string::npos; begin = end + 2) {
    const std::string event = body.substr(begin, end - begin);
    if (event.rfind("data: ", 0) != 0) continue;
    events.push_back(event == "data: [DONE]" ? Json("[DONE]") : Json::parse(event.substr(6)));
  }
  return events;
}

template <typename Condition>
bool Eventually(const Condition& condition) {
  for (int i = 0; i < 20000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

FakeEngine::Answer Reversed(const Request& request) {
  const std::string prompt = FakeEngine::PromptOf(request);
  if (prompt == "hang") return {.text = "begun ", .hangs = true};
  if (prompt == "fail") return {.text = "", .error = Error(ErrorCode::kDataLoss, "not finite")};
  return {.text = std::string(prompt.rbegin(), prompt.rend())};
}

TEST(Server, AnswersWholeAndStreamedAlike) {
  FakeEngine engine(Reversed, "/models/tiny/");
  Server server(engine, {});
  HttpClient client(server.port());
  const HttpAnswer whole = client.Ask("POST", kChat, Ask("some longer words"));
  EXPECT_EQ(whole.status, 200);
  EXPECT_EQ(TextOf(whole), "sdrow regnol emos");
  EXPECT_EQ(BodyOf(whole)["model"], "tiny");
  const HttpAnswer streamed = client.Ask(
      "POST", kChat,
      Ask("some longer words", R"("stream":true,"stream_options":{"include_usage":true})"));
  EXPECT_TRUE(streamed.Has("Content-Type: text/event-stream"));
  const std::vector<Json> events = EventsOf(streamed.body);
  ASSERT_GE(events.size(), 5u);
  std::string text;
  for (const Json& event : events) {
    if (event.is_string() || event["choices"].empty()) continue;
    text += event["choices"][0]["delta"].value("content", "");
  }
  EXPECT_EQ(text, "sdrow regnol emos");
  EXPECT_EQ(events.front()["choices"][0]["delta"]["role"], "assistant");
  EXPECT_EQ(events[events.size() - 3]["choices"][0]["finish_reason"], "stop");
  EXPECT_TRUE(events[events.size() - 2].contains("usage"));
  EXPECT_EQ(events.back(), "[DONE]");
}

TEST(Server, RefusesWithOpenaisErrorObject) {
  FakeEngine engine(Reversed);
  Server server(engine, {.model_id = "m"});
  HttpClient client(server.port());
  const auto status = [&](const char* method, const char* path, const std::string& body) {
    const HttpAnswer answer = client.Ask(method, path, body);
    EXPECT_TRUE(BodyOf(answer)["error"]["message"].is_string()) << answer.body;
    return answer.status;
  };
  EXPECT_EQ(status("POST", kChat, "{not json"), 400);
  EXPECT_EQ(status("POST", kChat, "{}"), 400);
  EXPECT_EQ(status("POST", kChat, Ask("x", R"("n":2)")), 400);
  EXPECT_EQ(status("POST", kChat, Ask("fail")), 422);
  EXPECT_EQ(status("GET", kChat, ""), 405);
  EXPECT_EQ(status("POST", "/health", ""), 405);
  EXPECT_EQ(status("GET", "/v1/no/such/path", ""), 404);
  EXPECT_EQ(client.Ask("GET", "/health").status, 200);
  EXPECT_EQ(BodyOf(client.Ask("GET", "/v1/models"))["data"][0]["id"], "m");
}

// The status is out when a stream fails: the error is an event.
TEST(Server, TellsOfAFailureWithinAStream) {
  FakeEngine engine(Reversed);
  Server server(engine, {});
  HttpClient client(server.port());
  const HttpAnswer answer = client.Ask("POST", kChat, Ask("fail", R"("stream":true)"));
  EXPECT_EQ(answer.status, 200);
  const std::vector<Json> events = EventsOf(answer.body);
  ASSERT_GE(events.size(), 2u);
  EXPECT_TRUE(events[events.size() - 2]["error"]["message"].is_string()) << answer.body;
  EXPECT_EQ(events.back(), "[DONE]");
}

TEST(Server, AsksForTheKey) {
  FakeEngine engine(Reversed);
  Server server(engine, {.api_key = "secret"});
  HttpClient client(server.port());
  EXPECT_EQ(client.Ask("GET", "/health").status, 200);
  EXPECT_EQ(client.Ask("GET", "/v1/models").status, 401);
  EXPECT_EQ(client.Ask("GET", "/metrics").status, 401);
  EXPECT_EQ(client.Ask("POST", kChat, Ask("x"), "Authorization: Bearer secre\r\n").status, 401);
  EXPECT_EQ(client.Ask("POST", kChat, Ask("x"), "Authorization: Bearer secret\r\n").status, 200);
}

TEST(Server, CancelsWhenTheClientGoes) {
  FakeEngine engine(Reversed);
  Server server(engine, {.max_in_engine = 1});
  HttpClient watcher(server.port());
  const auto metric = [&](const std::string& line) {
    return watcher.Ask("GET", "/metrics").body.find("\n" + line + "\n") != std::string::npos;
  };
  for (const char* fields : {"", R"("stream":true)"}) {
    HttpClient running(server.port()), waiting(server.port());
    running.Send("POST", kChat, Ask("hang", fields));
    ASSERT_TRUE(Eventually([&] { return metric("octavo_requests_running 1"); }));
    waiting.Send("POST", kChat, Ask("never run", fields));
    ASSERT_TRUE(Eventually([&] { return metric("octavo_requests_waiting 1"); }));
    waiting.Close();
    EXPECT_TRUE(Eventually([&] { return metric("octavo_requests_waiting 0"); }));
    running.Close();
    EXPECT_TRUE(Eventually([&] { return metric("octavo_requests_running 0"); }));
  }
  EXPECT_TRUE(metric("octavo_requests_total{outcome=\"gone\"} 4"));
  for (const Request& request : engine.requests()) {
    EXPECT_EQ(FakeEngine::PromptOf(request), "hang");
  }
}

TEST(Server, RunsLowerPrioritiesFirst) {
  FakeEngine engine(Reversed);
  Server server(engine, {.max_in_engine = 1});
  HttpClient watcher(server.port());
  auto running = std::make_unique<HttpClient>(server.port());
  running->Send("POST", kChat, Ask("hang"));
  const auto shows = [&](const std::string& metric, int count) {
    const std::string line = "\noctavo_requests_" + metric + " " + std::to_string(count) + "\n";
    return Eventually(
        [&] { return watcher.Ask("GET", "/metrics").body.find(line) != std::string::npos; });
  };
  ASSERT_TRUE(shows("running", 1));
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (const char* priority : {"0", "5", "-1"}) {
    ASSERT_TRUE(shows("waiting", static_cast<int>(clients.size())));
    clients.push_back(std::make_unique<HttpClient>(server.port()));
    clients.back()->Send("POST", kChat, Ask(priority, std::string(R"("priority":)") + priority));
  }
  ASSERT_TRUE(shows("waiting", 3));
  running->Close();
  for (const auto& client : clients) EXPECT_EQ(client->Read().status, 200);
  std::vector<std::string> order;
  for (const Request& request : engine.requests()) order.push_back(FakeEngine::PromptOf(request));
  EXPECT_EQ(order, (std::vector<std::string>{"hang", "-1", "0", "5"}));
}

TEST(Server, SendsAwayWhatItsMemoryDoesNotHold) {
  FakeEngine engine(Reversed);
  Server server(engine, {.max_in_engine = 1, .max_waiting_bytes = 2000});
  HttpClient running(server.port());
  running.Send("POST", kChat, Ask("hang"));
  HttpClient watcher(server.port());
  ASSERT_TRUE(Eventually([&] {
    return watcher.Ask("GET", "/metrics").body.find("\noctavo_requests_running 1\n") !=
           std::string::npos;
  }));
  HttpClient waiting(server.port());
  waiting.Send("POST", kChat, Ask(std::string(1500, 'a')));
  HttpClient refused(server.port());
  HttpAnswer answer;
  ASSERT_TRUE(Eventually([&] {
    answer = watcher.Ask("GET", "/metrics");
    return answer.body.find("\noctavo_requests_waiting 1\n") != std::string::npos;
  }));
  answer = refused.Ask("POST", kChat, Ask(std::string(1500, 'b')));
  EXPECT_EQ(answer.status, 503);
  EXPECT_TRUE(answer.Has("Retry-After: "));
  running.Close();
  EXPECT_EQ(waiting.Read().status, 200);
  EXPECT_EQ(refused.Ask("POST", kChat, Ask(std::string(1500, 'b'))).status, 200);
}

TEST(Server, EndsAnAnswerThatTakesTooLong) {
  // More tokens than any processor makes before the server looks at the clock.
  testing::TinyModelSpec spec;
  spec.max_position_embeddings = 16384;
  const auto engine =
      MakeEngine(*testing::MakeTinyModel(spec), {.num_threads = 1}, SelectedKernels());
  Server server(*engine, {.max_answer_seconds = 0});
  HttpClient client(server.port());
  const HttpAnswer answer =
      client.Ask("POST", kChat, Ask("x", R"("max_tokens":16000,"ignore_eos":true)"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(BodyOf(answer)["choices"][0]["finish_reason"], "length");
  EXPECT_LT(BodyOf(answer)["usage"]["completion_tokens"], 16000);
}

TEST(Server, FinishesOrRefusesWhenItStops) {
  FakeEngine engine(Reversed);
  Server server(engine, {.max_in_engine = 1});
  HttpClient running(server.port()), waiting(server.port());
  HttpClient watcher(server.port());
  running.Send("POST", kChat, Ask("hang"));
  ASSERT_TRUE(Eventually([&] {
    return watcher.Ask("GET", "/metrics").body.find("\noctavo_requests_running 1\n") !=
           std::string::npos;
  }));
  waiting.Send("POST", kChat, Ask("x"));
  ASSERT_TRUE(Eventually([&] {
    return watcher.Ask("GET", "/metrics").body.find("\noctavo_requests_waiting 1\n") !=
           std::string::npos;
  }));
  server.Stop(0.05);
  EXPECT_EQ(running.Read().status, 503);
  EXPECT_EQ(waiting.Read().status, 503);
  EXPECT_FALSE(HttpClient(server.port()).is_connected());
}

// With the real engine: many clients at once, with pictures and without, some of which go away;
// what the others get is what they get alone.
TEST(Server, AnswersDoNotDependOnCompany) {
  const auto engine = MakeEngine(*testing::MakeTinyModel(), {.num_threads = 2}, SelectedKernels());
  Server server(*engine, {.max_in_engine = 4});
  std::vector<std::string> bodies;
  for (int i = 0; i < 12; ++i) {
    bodies.push_back(
        Ask("question " + std::to_string(i),
            R"("max_tokens":20,"ignore_eos":true,"temperature":0.8,"seed":)" + std::to_string(i)));
  }
  std::vector<std::string> alone;
  HttpClient client(server.port());
  for (const std::string& body : bodies) alone.push_back(TextOf(client.Ask("POST", kChat, body)));
  std::vector<std::string> together(bodies.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < bodies.size(); ++i) {
    threads.emplace_back([&, i] {
      HttpClient other(server.port());
      if (i % 4 == 3) {  // goes away
        other.Send("POST", kChat, bodies[i]);
        std::this_thread::sleep_for(std::chrono::milliseconds(3 * i));
        return;
      }
      together[i] = TextOf(other.Ask("POST", kChat, bodies[i]));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < bodies.size(); ++i) {
    if (i % 4 == 3) continue;
    EXPECT_EQ(together[i], alone[i]) << i;
  }
}

}  // namespace
}  // namespace octavo
