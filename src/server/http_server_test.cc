#include "server/http_server.h"

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "octavo/error.h"
#include "testing/error_code.h"
#include "testing/http_client.h"

namespace octavo {
namespace {

using testing::HttpAnswer;
using testing::HttpClient;

void Echo(const std::shared_ptr<HttpExchange>& exchange) {
  const HttpRequest& request = exchange->request();
  exchange->Send({.content_type = "text/plain",
                  .body = request.method + " " + request.path + " " + request.authorization + " " +
                          request.body});
}

// Holds exchanges until the test wants them.
class Holder {
 public:
  HttpServer::Handler handler() {
    return [this](std::shared_ptr<HttpExchange> exchange) {
      const std::lock_guard lock(mutex_);
      held_.push_back(std::move(exchange));
    };
  }
  std::shared_ptr<HttpExchange> Take() {
    while (true) {
      {
        const std::lock_guard lock(mutex_);
        if (!held_.empty()) {
          auto exchange = std::move(held_.front());
          held_.erase(held_.begin());
          return exchange;
        }
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<HttpExchange>> held_;
};

template <typename Condition>
bool Eventually(const Condition& condition) {
  for (int i = 0; i < 20000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

TEST(HttpServer, AnswersSeveralRequestsOfOneConnection) {
  HttpServer server({}, Echo);
  HttpClient client(server.port());
  HttpAnswer answer = client.Ask("POST", "/a/b?c=d", "body", "Authorization: Bearer x\r\n");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "POST /a/b Bearer x body");
  EXPECT_TRUE(answer.Has("Content-Type: text/plain"));
  answer = client.Ask("GET", "/next");
  EXPECT_EQ(answer.body, "GET /next  ");
}

TEST(HttpServer, TakesABodyInChunksAndAfterContinue) {
  HttpServer server({}, Echo);
  HttpClient client(server.port());
  client.Send(
      "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  EXPECT_EQ(client.Read().body, "POST /x  abcde");
  client.Send("POST /y HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  ASSERT_TRUE(client.FillUntil("100 Continue\r\n\r\n"));
  client.Send("hi");
  EXPECT_EQ(client.Read().status, 100);
  EXPECT_EQ(client.Read().body, "POST /y  hi");
}

// What is left of the last request's handling comes late, and must not touch the next.
TEST(HttpServer, KeepsTheRequestsOfAConnectionApart) {
  Holder holder;
  HttpServer server({}, holder.handler());
  HttpClient client(server.port());
  client.Send("GET", "/first");
  auto first = holder.Take();
  first->Send({.body = "first"});
  EXPECT_EQ(client.Read().body, "first");
  client.Send("GET", "/second");
  const auto second = holder.Take();
  first->Send({.body = "first again"});
  first->StartStream("text/plain", "");
  first.reset();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  second->Send({.body = "second"});
  EXPECT_EQ(client.Read().body, "second");
}

TEST(HttpServer, ClosesWhereTheClientWishesIt) {
  HttpServer server({}, Echo);
  HttpClient client(server.port());
  EXPECT_EQ(client.Ask("GET", "/", "", "Connection: close\r\n").status, 200);
  EXPECT_TRUE(client.IsClosed());
}

TEST(HttpServer, RefusesWhatIsTooLargeOrNoHttp) {
  HttpServer server({.max_body_bytes = 100, .max_header_bytes = 1000}, Echo);
  {
    HttpClient client(server.port());
    const HttpAnswer answer = client.Ask("POST", "/", std::string(101, 'x'));
    EXPECT_EQ(answer.status, 413);
    EXPECT_NE(answer.body.find("\"message\":\"the body has more than 100 bytes\""),
              std::string::npos);
  }
  {  // More than the system's buffers hold: the answer still arrives.
    HttpClient client(server.port());
    client.Send("POST", "/", std::string(size_t{8} << 20, 'x'));
    EXPECT_EQ(client.Read().status, 413);
  }
  {
    HttpClient client(server.port());
    EXPECT_EQ(client.Ask("GET", "/", "", "X: " + std::string(2000, 'x') + "\r\n").status, 431);
  }
  for (const char* bytes :
       {"hello\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    HttpClient client(server.port());
    client.Send(bytes);
    EXPECT_EQ(client.Read().status, 400) << bytes;
    EXPECT_TRUE(client.IsClosed());
  }
  HttpClient client(server.port());
  EXPECT_EQ(client.Ask("GET", "/").status, 200);
}

TEST(HttpServer, GivesUpOnAClientThatSendsNoMore) {
  HttpServer server({.idle_seconds = 0.2, .receive_seconds = 0.2}, Echo);
  for (const char* bytes : {"", "GET / HTT", "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nab"}) {
    HttpClient client(server.port());
    client.Send(bytes);
    EXPECT_TRUE(client.IsClosed()) << bytes;
  }
  HttpClient client(server.port());
  EXPECT_EQ(client.Ask("GET", "/").status, 200);
  EXPECT_TRUE(client.IsClosed());
}

// Byte by byte, a request must not take for ever.
TEST(HttpServer, BoundsTheTimeOfAWholeRequest) {
  HttpServer server({.receive_seconds = 5, .request_seconds = 0.3}, Echo);
  HttpClient client(server.port());
  client.Send("POST / HTTP/1.1\r\nContent-Length: 100000\r\n\r\n");
  const auto start = std::chrono::steady_clock::now();
  while (client.Send("x") && std::chrono::steady_clock::now() - start < std::chrono::seconds(20)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(HttpServer, StreamsInOrderWithHeartbeats) {
  Holder holder;
  HttpServer server({.heartbeat_seconds = 0.05}, holder.handler());
  HttpClient client(server.port());
  client.Send("GET", "/");
  const auto exchange = holder.Take();
  exchange->StartStream("text/event-stream", ": waiting\n\n");
  ASSERT_TRUE(client.FillUntil(": waiting\n\n"));
  std::string expected;
  for (int i = 0; i < 100; ++i) {
    expected += std::to_string(i) + ";";
    exchange->Write(std::to_string(i) + ";");
  }
  exchange->EndStream();
  exchange->Write("too late");
  const HttpAnswer answer = client.Read();
  EXPECT_TRUE(answer.is_whole);
  EXPECT_TRUE(answer.Has("Content-Type: text/event-stream"));
  std::string text = answer.body;
  for (size_t i; (i = text.find(": waiting\n\n")) != std::string::npos;) text.erase(i, 11);
  EXPECT_EQ(text, expected);
  client.Send("GET", "/again");
  holder.Take()->Send({.body = "{}"});
  EXPECT_EQ(client.Read().body, "{}");
}

TEST(HttpServer, StreamsToOldClientsUntilTheConnectionEnds) {
  Holder holder;
  HttpServer server({}, holder.handler());
  HttpClient client(server.port());
  client.Send("GET / HTTP/1.0\r\n\r\n");
  const auto exchange = holder.Take();
  exchange->StartStream("text/plain", "");
  exchange->Write("abc");
  exchange->EndStream();
  const HttpAnswer answer = client.Read();
  EXPECT_FALSE(answer.Has("chunked"));
  EXPECT_EQ(answer.body, "abc");
}

TEST(HttpServer, TellsWhenTheClientHasGone) {
  Holder holder;
  HttpServer server({}, holder.handler());
  for (const bool is_streaming : {false, true}) {
    HttpClient client(server.port());
    client.Send("GET", "/");
    const auto exchange = holder.Take();
    std::promise<void> gone;
    exchange->OnDisconnect([&] { gone.set_value(); });
    if (is_streaming) exchange->StartStream("text/plain", "");
    EXPECT_EQ(server.num_in_flight(), 1);
    client.Close();
    EXPECT_EQ(gone.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
    EXPECT_EQ(server.num_in_flight(), 0);
    exchange->Send({.body = "nobody reads this"});
    std::promise<void> at_once;
    exchange->OnDisconnect([&] { at_once.set_value(); });
    at_once.get_future().wait();
  }
}

TEST(HttpServer, CutsAClientThatDoesNotRead) {
  Holder holder;
  HttpServer server({.max_unsent_bytes = size_t{1} << 16}, holder.handler());
  HttpClient client(server.port());
  client.Send("GET", "/");
  const auto exchange = holder.Take();
  std::atomic<bool> is_gone{false};
  exchange->OnDisconnect([&] { is_gone = true; });
  exchange->StartStream("text/plain", "");
  EXPECT_TRUE(Eventually([&] {
    exchange->Write(std::string(20000, 'x'));
    return is_gone.load();
  }));
}

TEST(HttpServer, AnswersWhatItsHandlerDropped) {
  HttpServer server({}, [](const std::shared_ptr<HttpExchange>& exchange) {
    if (exchange->request().path == "/throw") throw Error(ErrorCode::kIo, "secret");
  });
  HttpClient client(server.port());
  EXPECT_EQ(client.Ask("GET", "/drop").status, 500);
  const HttpAnswer answer = client.Ask("GET", "/throw");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body.find("secret"), std::string::npos);
}

TEST(HttpServer, CutsAStreamThatItsHandlerLeft) {
  HttpServer server({}, [](const std::shared_ptr<HttpExchange>& exchange) {
    exchange->StartStream("text/plain", "");
    exchange->Write("half");
  });
  HttpClient client(server.port());
  const HttpAnswer answer = client.Ask("GET", "/");
  EXPECT_FALSE(answer.is_whole);
}

TEST(HttpServer, LetsFurtherClientsWait) {
  Holder holder;
  HttpServer server({.max_connections = 2}, holder.handler());
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(std::make_unique<HttpClient>(server.port()));
    clients.back()->Send("GET", "/", "", "Connection: close\r\n");
  }
  for (const auto& client : clients) {
    EXPECT_LE(server.num_in_flight(), 2);
    holder.Take()->Send({});
    EXPECT_EQ(client->Read().status, 200);
    client->Close();
  }
}

TEST(HttpServer, FinishesWhatIsUnderWayWhenItStops) {
  Holder holder;
  HttpServer server({}, holder.handler());
  HttpClient idle(server.port());
  idle.Send("GET", "/");
  holder.Take()->Send({});
  EXPECT_EQ(idle.Read().status, 200);
  HttpClient client(server.port());
  client.Send("GET", "/");
  const auto exchange = holder.Take();
  server.StopAccepting();
  EXPECT_TRUE(idle.IsClosed());
  exchange->Send({.body = "done"});
  const HttpAnswer answer = client.Read();
  EXPECT_EQ(answer.body, "done");
  EXPECT_TRUE(answer.Has("Connection: close"));
  EXPECT_TRUE(client.IsClosed());
  EXPECT_FALSE(HttpClient(server.port()).is_connected());
}

TEST(HttpServer, LetsExchangesOutliveIt) {
  Holder holder;
  std::shared_ptr<HttpExchange> exchange;
  {
    HttpServer server({}, holder.handler());
    HttpClient client(server.port());
    client.Send("GET", "/");
    exchange = holder.Take();
  }
  exchange->StartStream("text/plain", "");
  exchange->Write("x");
  exchange->OnDisconnect([] {});
}

TEST(HttpServer, RefusesAddressesThatItCannotHave) {
  HttpServer server({}, Echo);
  EXPECT_EQ(testing::ErrorCodeOf([&] { HttpServer second({.port = server.port()}, Echo); }),
            ErrorCode::kIo);
  EXPECT_EQ(testing::ErrorCodeOf([&] { HttpServer other({.host = "192.0.2.1"}, Echo); }),
            ErrorCode::kIo);
  EXPECT_EQ(testing::ErrorCodeOf([&] { HttpServer bad({.port = 70000}, Echo); }),
            ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace octavo
