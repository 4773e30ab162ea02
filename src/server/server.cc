#include "server/server.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <filesystem>
#include <mutex>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "base/str_cat.h"
#include "octavo/error.h"
#include "server/metrics.h"
#include "server/openai_request.h"
#include "server/openai_response.h"
#include "server/work_queue.h"

namespace octavo {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kRetryAfterSeconds[] = "120";  // the most that httpx-retries waits

int64_t Microseconds(double seconds) { return static_cast<int64_t>(seconds * 1e6); }

int64_t UnixTime() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Takes as long whatever the difference.
bool IsSameSecret(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^
                  static_cast<unsigned char>(b.empty() ? 0 : b[i % b.size()]);
  }
  return difference == 0;
}

ServerOptions WithModelId(ServerOptions options, const std::string& model_dir) {
  if (!options.model_id.empty()) return options;
  const auto path = std::filesystem::path(model_dir).lexically_normal();
  options.model_id = (path.has_filename() ? path : path.parent_path()).filename().string();
  if (options.model_id.empty()) options.model_id = "model";
  return options;
}

// Counts up while it lives.
class Counted {
 public:
  Counted(std::atomic<int64_t>* counter, int64_t amount) : counter_(counter), amount_(amount) {
    *counter_ += amount_;
  }
  ~Counted() { *counter_ -= amount_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::atomic<int64_t>* const counter_;
  const int64_t amount_;
};

// Texts of an answer on their way out. The engine may write before the stream has begun.
class TextStream {
 public:
  TextStream(std::shared_ptr<HttpExchange> exchange, ChatIdentity identity, bool include_usage)
      : exchange_(std::move(exchange)),
        identity_(std::move(identity)),
        include_usage_(include_usage) {}

  void Begin() {
    const std::lock_guard lock(mutex_);
    exchange_->StartStream("text/event-stream; charset=utf-8", std::string(kHeartbeatEvent));
    exchange_->Write(FirstChunk(identity_, include_usage_));
    has_begun_ = true;
    Flush();
  }
  bool has_begun() {
    const std::lock_guard lock(mutex_);
    return has_begun_;
  }
  void OnText(const std::string& text) {
    const std::lock_guard lock(mutex_);
    text_ += text;
    if (has_begun_) Flush();
  }

 private:
  void Flush() {
    if (!text_.empty()) exchange_->Write(TextChunk(identity_, text_, include_usage_));
    text_.clear();
  }

  const std::shared_ptr<HttpExchange> exchange_;
  const ChatIdentity identity_;
  const bool include_usage_;
  std::mutex mutex_;
  std::string text_;
  bool has_begun_ = false;
};

}  // namespace

struct Server::Impl {
  // A chat request on its way: arrived, waiting, running.
  struct Chat {
    std::shared_ptr<HttpExchange> exchange;
    ChatRequest request;
    std::unique_ptr<Counted> waiting, waiting_bytes;
    std::atomic<bool> is_gone{false};
    std::atomic<uint64_t> number{0};  // in the runners' queue
    Clock::time_point arrival = Clock::now();
  };

  Impl(Engine& the_engine, const ServerOptions& the_options)
      : engine(the_engine),
        options(WithModelId(the_options, the_engine.info().model_dir)),
        readers(1),
        runners(std::max(1, the_options.max_in_engine)),
        http(the_options.http,
             [this](std::shared_ptr<HttpExchange> exchange) { Route(std::move(exchange)); }) {}

  void Route(std::shared_ptr<HttpExchange> exchange);
  void ReadChat(const std::shared_ptr<Chat>& chat);
  void RunChat(const std::shared_ptr<Chat>& chat);
  Completion Generate(const std::shared_ptr<Chat>& chat, const std::shared_ptr<TextStream>& stream);
  void Answer(const Chat& chat, const ChatIdentity& identity, const Completion& completion);
  void Fail(const Chat& chat, bool is_streaming, const std::exception_ptr& error);
  void Count(const Chat& chat, const Completion& completion);
  bool IsAllowed(const HttpRequest& request) const {
    return options.api_key.empty() ||
           IsSameSecret(request.authorization, StrCat("Bearer ", options.api_key));
  }
  ChatIdentity NewIdentity() {
    return {StrCat("chatcmpl-", start, "-", ++num_chats), UnixTime(), options.model_id};
  }

  Engine& engine;
  ServerOptions options;
  ServerMetrics metrics;
  std::atomic<int64_t> waiting_bytes{0};
  std::atomic<int64_t> num_chats{0};
  std::atomic<bool> is_stopping{false};
  const int64_t start = UnixTime();
  std::mutex mutex;
  std::set<std::shared_ptr<Engine::Ticket>> tickets;  // running; guarded by mutex
  // Requests are read one after the other, so that they enter the next queue as they came.
  WorkQueue readers;
  WorkQueue runners;
  HttpServer http;  // the first to end: it calls the others
};

void Server::Impl::Route(std::shared_ptr<HttpExchange> exchange) {
  HttpRequest& request = exchange->request();
  const bool is_chat = request.path == "/v1/chat/completions";
  if (!is_chat && request.path != "/health" && request.path != "/v1/models" &&
      request.path != "/metrics") {
    return exchange->Send(ErrorResponse(404, "no such path", "not_found"));
  }
  if (request.method != (is_chat ? "POST" : "GET")) {
    HttpResponse response = ErrorResponse(405, StrCat("expected method ", is_chat ? "POST" : "GET"),
                                          "method_not_allowed");
    response.headers.emplace_back("Allow", is_chat ? "POST" : "GET");
    return exchange->Send(std::move(response));
  }
  if (request.path == "/health") return exchange->Send({.body = "{\"status\":\"ok\"}"});
  if (!IsAllowed(request)) {
    HttpResponse response =
        ErrorResponse(401, "the API key is missing or wrong", "invalid_api_key");
    response.headers.emplace_back("WWW-Authenticate", "Bearer");
    return exchange->Send(std::move(response));
  }
  if (request.path == "/v1/models") {
    return exchange->Send(
        {.body = ModelsBody(options.model_id, start, engine.info().context_length)});
  }
  if (request.path == "/metrics") {
    return exchange->Send(
        {.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = MetricsText(metrics)});
  }
  const auto num_bytes = static_cast<int64_t>(request.body.size());
  if (waiting_bytes + num_bytes > static_cast<int64_t>(options.max_waiting_bytes)) {
    ++metrics.requests_failed;
    HttpResponse response =
        ErrorResponse(503, "too much is waiting; try again later", "overloaded");
    response.headers.emplace_back("Retry-After", kRetryAfterSeconds);
    return exchange->Send(std::move(response));
  }
  auto chat = std::make_shared<Chat>();
  chat->exchange = std::move(exchange);
  chat->waiting = std::make_unique<Counted>(&metrics.requests_waiting, 1);
  chat->waiting_bytes = std::make_unique<Counted>(&waiting_bytes, num_bytes);
  readers.Add(0, [this, chat] { ReadChat(chat); });
}

void Server::Impl::ReadChat(const std::shared_ptr<Chat>& chat) {
  try {
    std::string body;
    body.swap(chat->exchange->request().body);
    chat->request = ParseChatRequest(body);
  } catch (...) {
    return Fail(*chat, false, std::current_exception());
  }
  // The call must not own the chat, which owns the exchange, which owns the call.
  chat->exchange->OnDisconnect([this, weak = std::weak_ptr(chat)] {
    const auto gone = weak.lock();
    if (gone == nullptr) return;
    gone->is_gone = true;
    if (runners.Remove(gone->number)) ++metrics.requests_gone;
  });
  chat->number = runners.Add(chat->request.priority, [this, chat] { RunChat(chat); });
}

void Server::Impl::RunChat(const std::shared_ptr<Chat>& chat) {
  chat->waiting.reset();
  chat->waiting_bytes.reset();
  const Counted running(&metrics.requests_running, 1);
  const ChatIdentity identity = NewIdentity();
  std::shared_ptr<TextStream> stream;
  if (chat->request.stream) {
    stream = std::make_shared<TextStream>(chat->exchange, identity, chat->request.include_usage);
  }
  try {
    if (is_stopping) throw Error(ErrorCode::kResourceExhausted, "the server is stopping");
    if (chat->is_gone) throw Error(ErrorCode::kCancelled, "the client has gone");
    DecodePictures(&chat->request);
    const Completion completion = Generate(chat, stream);
    if (chat->is_gone) throw Error(ErrorCode::kCancelled, "the client has gone");
    if (is_stopping && completion.finish_reason == FinishReason::kCancelled) {
      throw Error(ErrorCode::kResourceExhausted, "the server is stopping");
    }
    Answer(*chat, identity, completion);
    Count(*chat, completion);
  } catch (...) {
    const bool is_streaming = stream != nullptr && stream->has_begun();
    Fail(*chat, is_streaming, std::current_exception());
  }
}

Completion Server::Impl::Generate(const std::shared_ptr<Chat>& chat,
                                  const std::shared_ptr<TextStream>& stream) {
  // The token callback runs on the engine's thread, maybe before Submit has returned.
  struct Running {
    std::mutex mutex;
    std::shared_ptr<Engine::Ticket> ticket;
  };
  auto running = std::make_shared<Running>();
  const auto deadline =
      Clock::now() + std::chrono::microseconds(Microseconds(options.max_answer_seconds));
  Request request = std::move(chat->request.request);
  request.on_token = [running, stream, deadline](const TokenEvent& event) {
    if (stream != nullptr) stream->OnText(event.text);
    if (Clock::now() < deadline) return;
    const std::lock_guard lock(running->mutex);
    if (running->ticket != nullptr) running->ticket->Cancel();
  };
  std::shared_ptr<Engine::Ticket> ticket = engine.Submit(std::move(request));
  {
    const std::lock_guard lock(running->mutex);
    running->ticket = ticket;
  }
  {
    const std::lock_guard lock(mutex);
    tickets.insert(ticket);
  }
  chat->exchange->OnDisconnect(
      [weak_chat = std::weak_ptr(chat), weak_ticket = std::weak_ptr(ticket)] {
        if (const auto gone = weak_chat.lock()) gone->is_gone = true;
        if (const auto cancelled = weak_ticket.lock()) cancelled->Cancel();
      });
  if (is_stopping || chat->is_gone) ticket->Cancel();
  if (stream != nullptr) stream->Begin();
  struct Forget {
    Impl* impl;
    const std::shared_ptr<Engine::Ticket>& ticket;
    Running* running;
    ~Forget() {
      {
        const std::lock_guard lock(running->mutex);
        running->ticket.reset();
      }
      const std::lock_guard lock(impl->mutex);
      impl->tickets.erase(ticket);
    }
  } const forget{this, ticket, running.get()};
  return ticket->Wait();
}

void Server::Impl::Answer(const Chat& chat, const ChatIdentity& identity,
                          const Completion& completion) {
  HttpExchange& exchange = *chat.exchange;
  if (!chat.request.stream) {
    return exchange.Send({.body = ChatCompletionBody(identity, completion)});
  }
  exchange.Write(FinishChunk(identity, completion.finish_reason, chat.request.include_usage));
  if (chat.request.include_usage) exchange.Write(UsageChunk(identity, completion.usage));
  exchange.Write(std::string(kDoneEvent));
  exchange.EndStream();
}

void Server::Impl::Fail(const Chat& chat, bool is_streaming, const std::exception_ptr& error) {
  if (chat.is_gone) {
    ++metrics.requests_gone;
    return;
  }
  HttpResponse response = ErrorResponse(error);
  ++(response.status < 500 ? metrics.requests_refused : metrics.requests_failed);
  if (response.status == 503) response.headers.emplace_back("Retry-After", kRetryAfterSeconds);
  if (!is_streaming) return chat.exchange->Send(std::move(response));
  chat.exchange->Write(ErrorEvent(error));
  chat.exchange->Write(std::string(kDoneEvent));
  chat.exchange->EndStream();
}

void Server::Impl::Count(const Chat& chat, const Completion& completion) {
  const Usage& usage = completion.usage;
  const auto total = std::chrono::duration<double>(Clock::now() - chat.arrival).count();
  const double in_engine = usage.encode_seconds + usage.prefill_seconds + usage.decode_seconds;
  ++metrics.requests_answered;
  metrics.prompt_tokens += usage.prompt_tokens;
  metrics.cached_tokens += usage.cached_tokens;
  metrics.completion_tokens += usage.completion_tokens;
  metrics.decode_steps += usage.decode_steps;
  metrics.drafted_tokens += usage.drafted_tokens;
  metrics.accepted_tokens += usage.accepted_tokens;
  metrics.queue_microseconds += Microseconds(std::max(0.0, total - in_engine));
  metrics.encode_microseconds += Microseconds(usage.encode_seconds);
  metrics.prefill_microseconds += Microseconds(usage.prefill_seconds);
  metrics.decode_microseconds += Microseconds(usage.decode_seconds);
}

Server::Server(Engine& engine, const ServerOptions& options)
    : impl_(std::make_unique<Impl>(engine, options)) {}

Server::~Server() { Stop(0); }

int Server::port() const { return impl_->http.port(); }

void Server::Stop(double grace_seconds) {
  impl_->http.StopAccepting();
  const auto deadline = Clock::now() + std::chrono::microseconds(Microseconds(grace_seconds));
  while (impl_->http.num_in_flight() > 0 && Clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  impl_->is_stopping = true;
  {
    const std::lock_guard lock(impl_->mutex);
    for (const auto& ticket : impl_->tickets) ticket->Cancel();
  }
  // Those that wait are refused one by one, by the threads that would have run them.
  constexpr auto kRefusing = std::chrono::seconds(5);
  const auto refused = Clock::now() + kRefusing;
  while (impl_->http.num_in_flight() > 0 && Clock::now() < refused) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  impl_->readers.Close();
  impl_->runners.Close();
}

}  // namespace octavo
