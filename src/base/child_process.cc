#include "base/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/child_launch.h"
#include "base/descriptor.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "octavo/error.h"

extern char** environ;

namespace octavo {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxStderrBytes = size_t{64} << 10;

std::string Reason(int error) { return std::generic_category().message(error); }

struct Pipe {
  Descriptor read;
  Descriptor write;

  // Both ends close on exec and lie above 2, so that putting one on 0, 1 or 2 overwrites none.
  void Open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      throw Error(ErrorCode::kIo, StrCat("cannot make a pipe: ", Reason(errno)));
    }
    Descriptor low[2];
    low[0].Reset(ends[0]);
    low[1].Reset(ends[1]);
    read.Reset(::fcntl(ends[0], F_DUPFD_CLOEXEC, 3));
    write.Reset(::fcntl(ends[1], F_DUPFD_CLOEXEC, 3));
    if (!read.is_open() || !write.is_open()) {
      throw Error(ErrorCode::kIo, StrCat("cannot make a pipe: ", Reason(errno)));
    }
  }
};

// The program's file as execvp would find it.
std::string FindProgram(const std::string& name) {
  const auto is_program = [](const std::string& path) { return ::access(path.c_str(), X_OK) == 0; };
  if (name.find('/') != std::string::npos) {
    if (is_program(name)) return name;
  } else if (!name.empty()) {
    const char* path = std::getenv("PATH");
    std::string_view rest = path != nullptr ? path : "/usr/bin:/bin";
    while (!rest.empty()) {
      const size_t colon = std::min(rest.find(':'), rest.size());
      std::string candidate = std::string(rest.substr(0, colon)) + "/" + name;
      if (is_program(candidate)) return candidate;
      rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
  }
  throw Error(ErrorCode::kNotFound, StrCat("program '", PrintableName(name), "' is not installed"));
}

// What a filter program needs to run and nothing that might be a secret.
std::vector<std::string> ChildEnvironment() {
  constexpr std::array<std::string_view, 8> kKept = {
      "PATH=", "HOME=", "TMPDIR=", "LANG=", "LC_", "FONTCONFIG_", "XDG_", "LD_LIBRARY_PATH="};
  std::vector<std::string> kept;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    for (const std::string_view prefix : kKept) {
      if (text.substr(0, prefix.size()) == prefix) kept.emplace_back(text);
    }
  }
  return kept;
}

std::vector<char*> Pointers(std::vector<std::string>* strings) {
  std::vector<char*> pointers;
  for (std::string& text : *strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Keeps SIGPIPE away from this thread while a child may close its input early.
class SigpipeBlock {
 public:
  SigpipeBlock() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~SigpipeBlock() {
    // One that is pending came from our own write; if it was blocked before, it is not ours.
    if (::sigismember(&before_, SIGPIPE) == 0) {
      const struct timespec now = {0, 0};
      while (::sigtimedwait(&pipe_, nullptr, &now) < 0 && errno == EINTR) {
      }
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SigpipeBlock(const SigpipeBlock&) = delete;
  SigpipeBlock& operator=(const SigpipeBlock&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
};

void SetNonBlocking(const Descriptor& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

// A started child: feeds and drains its pipes, ends it at its limits, collects it.
class Child {
 public:
  Child(std::string_view input, const ChildLimits& limits, const MemoryFile* file)
      : input_(input),
        file_(file),
        limits_(limits),
        deadline_(Clock::now() + std::chrono::seconds(limits.wall_seconds)) {}
  // Only an exception on the way leaves the child uncollected.
  ~Child() {
    if (pid_ > 0) Kill(), Collect(0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void Start(const std::vector<std::string>& argv);
  ChildResult Run();

 private:
  void Kill() const {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
  }
  bool Collect(int flags);
  void Feed();
  void Drain(Descriptor* fd, std::string* out, size_t max_bytes, bool* is_cut);
  void Pump();

  std::string_view input_;
  const MemoryFile* file_;
  const ChildLimits& limits_;
  Clock::time_point deadline_;
  Pipe stdin_;
  Pipe stdout_;
  Pipe stderr_;
  pid_t pid_ = -1;
  int status_ = 0;
  bool collected_ = false;
  ChildResult result_;
};

void Child::Start(const std::vector<std::string>& argv) {
  if (argv.empty()) throw Error(ErrorCode::kInvalidArgument, "no program to run");
  const std::string program = FindProgram(argv[0]);
  std::vector<std::string> arguments = argv;
  std::vector<std::string> environment = ChildEnvironment();
  const std::vector<char*> argument_pointers = Pointers(&arguments);
  const std::vector<char*> environment_pointers = Pointers(&environment);
  const std::string user_map = StrCat(::getuid(), " ", ::getuid(), " 1");
  const std::string group_map = StrCat(::getgid(), " ", ::getgid(), " 1");
  Pipe status;
  stdin_.Open();
  stdout_.Open();
  stderr_.Open();
  status.Open();
  const Launch launch = {program.c_str(),
                         argument_pointers.data(),
                         environment_pointers.data(),
                         stdin_.read.get(),
                         stdout_.write.get(),
                         stderr_.write.get(),
                         status.write.get(),
                         file_ != nullptr ? file_->descriptor() : -1,
                         ::getpid(),
                         user_map.c_str(),
                         group_map.c_str(),
                         &limits_};
  OCTAVO_CHECK(file_ == nullptr || launch.file_fd > STDERR_FILENO, "descriptor ", launch.file_fd);
  pid_ = ::fork();
  if (pid_ < 0) throw Error(ErrorCode::kIo, StrCat("cannot start a process: ", Reason(errno)));
  if (pid_ == 0) StartInChild(launch);
  ::setpgid(pid_, pid_);  // both sides do it, so that neither runs before it is done
  stdin_.read.Close();
  stdout_.write.Close();
  stderr_.write.Close();
  status.write.Close();
  int error = 0;
  ssize_t got = 0;
  do {
    got = ::read(status.read.get(), &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof error)) {
    throw Error(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                StrCat("cannot run '", PrintableName(program), "': ", Reason(error)));
  }
  SetNonBlocking(stdin_.write);
  SetNonBlocking(stdout_.read);
  SetNonBlocking(stderr_.read);
}

// True when the child is gone and its status taken.
bool Child::Collect(int flags) {
  if (collected_) return true;
  pid_t got = 0;
  do {
    got = ::waitpid(pid_, &status_, flags);
  } while (got < 0 && errno == EINTR);
  collected_ = got != 0;
  if (collected_) pid_ = -1;
  return collected_;
}

void Child::Feed() {
  while (!input_.empty()) {
    const ssize_t written = ::write(stdin_.write.get(), input_.data(), input_.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (written < 0) break;  // EPIPE: the child wants no more
    input_.remove_prefix(static_cast<size_t>(written));
  }
  stdin_.write.Close();
}

void Child::Drain(Descriptor* fd, std::string* out, size_t max_bytes, bool* is_cut) {
  std::array<char, 65536> chunk;
  for (;;) {
    const ssize_t got = ::read(fd->get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (got <= 0) break;
    const size_t room = max_bytes - out->size();
    const auto count = static_cast<size_t>(got);
    out->append(chunk.data(), std::min(room, count));
    if (count <= room) continue;
    *is_cut = true;
    return;
  }
  fd->Close();
}

// One round: waits at most a tick for a pipe to be ready and serves those that are.
void Child::Pump() {
  constexpr int kTickMs = 50;
  std::array<pollfd, 3> fds = {pollfd{stdin_.write.get(), POLLOUT, 0},
                               pollfd{stdout_.read.get(), POLLIN, 0},
                               pollfd{stderr_.read.get(), POLLIN, 0}};
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
  // With both outputs closed only the exit is awaited, which no pipe announces.
  const bool quiet = !stdout_.read.is_open() && !stderr_.read.is_open();
  const int tick = quiet ? 1 : kTickMs;
  ::poll(fds.data(), fds.size(), static_cast<int>(std::clamp<int64_t>(left, 0, tick)));
  if (fds[0].revents != 0) Feed();
  bool stderr_is_cut = false;
  if (fds[1].revents != 0) {
    Drain(&stdout_.read, &result_.stdout_bytes, static_cast<size_t>(limits_.output_bytes),
          &result_.output_cut);
  }
  if (fds[2].revents != 0) {
    Drain(&stderr_.read, &result_.stderr_text, kMaxStderrBytes, &stderr_is_cut);
  }
}

ChildResult Child::Run() {
  const SigpipeBlock sigpipe_block;
  if (input_.empty()) stdin_.write.Close();
  const pid_t group = pid_;
  while (!Collect(WNOHANG)) {
    Pump();
    result_.timed_out = Clock::now() >= deadline_;
    result_.cancelled = limits_.is_cancelled && limits_.is_cancelled();
    if (result_.timed_out || result_.output_cut || result_.cancelled) {
      Kill();
      Collect(0);
    }
  }
  // What it started goes with it; what it wrote before is still in the pipes.
  ::kill(-group, SIGKILL);
  bool stderr_is_cut = false;
  if (stdout_.read.is_open() && !result_.output_cut) {
    Drain(&stdout_.read, &result_.stdout_bytes, static_cast<size_t>(limits_.output_bytes),
          &result_.output_cut);
  }
  if (stderr_.read.is_open()) {
    Drain(&stderr_.read, &result_.stderr_text, kMaxStderrBytes, &stderr_is_cut);
  }
  if (WIFSIGNALED(status_)) {
    result_.exit_code = 128 + WTERMSIG(status_);
    if (WTERMSIG(status_) == SIGXCPU) result_.timed_out = true;
  } else {
    result_.exit_code = WEXITSTATUS(status_);
  }
  result_.stderr_text = ReplaceInvalidUtf8(result_.stderr_text);
  return std::move(result_);
}

}  // namespace

ChildResult RunChild(const std::vector<std::string>& argv, std::string_view stdin_bytes,
                     const ChildLimits& limits, const MemoryFile* file) {
  Child child(stdin_bytes, limits, file);
  child.Start(argv);
  return child.Run();
}

}  // namespace octavo
