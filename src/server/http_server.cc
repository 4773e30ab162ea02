#include "server/http_server.h"

#include <chrono>
#include <exception>
#include <thread>

#include <boost/asio.hpp>

#include "base/log.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "octavo/error.h"
#include "server/http_session.h"

namespace octavo {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;
using Code = boost::system::error_code;

}  // namespace

struct HttpServer::State {
  State(const HttpOptions& options, Handler handler) {
    shared->options = options;
    shared->handler = std::move(handler);
    shared->on_session_end = [this] {
      if (is_waiting_for_room) Accept();
    };
  }

  void Listen() {
    Code error;
    Tcp::resolver resolver(shared->context);
    const auto found =
        resolver.resolve(shared->options.host, std::to_string(shared->options.port), error);
    if (error) {
      throw Error(ErrorCode::kInvalidArgument,
                  StrCat("host ", PrintableName(shared->options.host), ": ", error.message()));
    }
    const Tcp::endpoint endpoint = *found.begin();
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      throw Error(ErrorCode::kIo, StrCat("cannot listen on ", PrintableName(shared->options.host),
                                         " port ", shared->options.port, ": ", error.message()));
    }
  }

  void Accept() {
    is_waiting_for_room = false;
    if (shared->is_stopping || !acceptor.is_open()) return;
    if (shared->sessions.size() >= static_cast<size_t>(shared->options.max_connections)) {
      is_waiting_for_room = true;
      return;
    }
    acceptor.async_accept([this](Code error, Tcp::socket socket) {
      if (error == asio::error::operation_aborted || shared->is_stopping) return;
      if (error) {  // no descriptor left, most likely: one may be free soon
        retry_timer.expires_after(std::chrono::milliseconds(100));
        retry_timer.async_wait([this](Code) { Accept(); });
        return;
      }
      Code ignored;
      socket.set_option(Tcp::no_delay(true), ignored);
      std::make_shared<HttpSession>(shared.get(), std::move(socket))->ReadRequest();
      Accept();
    });
  }

  template <typename Action>
  void ForEachSession(Action action) {
    std::vector<std::shared_ptr<HttpSession>> sessions;
    for (HttpSession* session : shared->sessions) sessions.push_back(session->shared_from_this());
    for (const auto& session : sessions) action(*session);
  }

  const std::shared_ptr<HttpShared> shared = std::make_shared<HttpShared>();
  Tcp::acceptor acceptor{shared->context};
  asio::steady_timer retry_timer{shared->context};
  bool is_waiting_for_room = false;
  int port = 0;
  std::thread thread;
};

HttpServer::HttpServer(const HttpOptions& options, Handler handler)
    : state_(std::make_unique<State>(options, std::move(handler))) {
  if (options.port < 0 || options.port > 65535) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat("port ", options.port, ", expected 0 to 65535"));
  }
  state_->Listen();
  state_->port = state_->acceptor.local_endpoint().port();
  state_->Accept();
  state_->thread = std::thread([state = state_.get()] {
    const auto work = asio::make_work_guard(state->shared->context);
    while (!state->shared->context.stopped()) {
      // Only memory that has run out comes here; the connection concerned is lost, others go on.
      try {
        state->shared->context.run();
      } catch (const std::exception& error) {
        Log(LogLevel::kWarning, StrCat("http: ", error.what()));
      }
    }
  });
}

HttpServer::~HttpServer() {
  asio::post(state_->shared->context, [state = state_.get()] {
    Code ignored;
    state->shared->is_stopping = true;
    state->acceptor.close(ignored);
    state->retry_timer.cancel();
    state->ForEachSession([](HttpSession& session) { session.Cut(); });
    // Handlers of what was cut run first.
    asio::post(state->shared->context, [state] { state->shared->context.stop(); });
  });
  state_->thread.join();
  state_->shared->on_session_end = nullptr;
}

int HttpServer::port() const { return state_->port; }

void HttpServer::StopAccepting() {
  asio::post(state_->shared->context, [state = state_.get()] {
    Code ignored;
    state->shared->is_stopping = true;
    state->acceptor.close(ignored);
    state->ForEachSession([](HttpSession& session) { session.CutIfIdle(); });
  });
}

int HttpServer::num_in_flight() const { return state_->shared->num_in_flight; }

}  // namespace octavo
