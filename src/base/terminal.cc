#include "base/terminal.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/file.h"
#include "octavo/error.h"

namespace octavo {

void ReserveStandardStreams() noexcept {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest free number is this one: those below are taken. Open for the wrong direction.
    if (fcntl(fd, F_GETFD) >= 0) continue;
    [[maybe_unused]] const int taken = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

bool IsTerminal(std::FILE* stream) noexcept {
  if (isatty(fileno(stream)) == 0) return false;
  const char* term = std::getenv("TERM");
  return term != nullptr && std::strcmp(term, "dumb") != 0;
}

int TerminalWidth(std::FILE* stream) noexcept {
  winsize size{};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

void WriteStandardOutput(std::string_view bytes) {
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  FlushStandardOutput();
}

void FlushStandardOutput() {
  // The stream remembers what could not be written before, too.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw Error(ErrorCode::kIo, "stdout cannot be written");
  }
}

namespace {

// For the signal handler: the terminal as it was.
termios terminal_before{};

// Gives the terminal its echo back and lets the signal end the program. Async-signal-safe.
void EndWithEcho(int signal) {
  tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

// Keeps what is typed on standard input off the screen, whatever ends it.
class EchoOff {
 public:
  EchoOff() {
    if (tcgetattr(STDIN_FILENO, &terminal_before) != 0) return;
    struct sigaction action {};
    action.sa_handler = EndWithEcho;
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &handlers_[i]);
    termios quiet = terminal_before;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
    is_off_ = true;
  }
  ~EchoOff() {
    if (!is_off_) return;
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminal_before);
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &handlers_[i], nullptr);
  }
  EchoOff(const EchoOff&) = delete;
  EchoOff& operator=(const EchoOff&) = delete;

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 3> handlers_{};
  bool is_off_ = false;
};

// A terminal hands over a line at a time.
std::string ReadTerminalLine() {
  std::string line(4096, '\0');
  const ssize_t got = read(STDIN_FILENO, line.data(), line.size());
  line.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return line;
}

}  // namespace

bool WaitForStandardInput(const std::function<bool()>& is_cancelled) {
  constexpr int kTickMs = 100;
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  // Whatever else poll says is told better by the reading.
  while (poll(&input, 1, kTickMs) == 0) {
    if (is_cancelled()) return false;
  }
  return !is_cancelled();
}

std::string ReadSecretLine(const std::string& prompt) {
  constexpr size_t kMaxBytes = 4096;
  std::string text;
  if (isatty(STDIN_FILENO) == 0) {
    text = ReadStandardInput(kMaxBytes);
  } else {
    const EchoOff echo_off;
    std::fputs(prompt.c_str(), stderr);
    std::fflush(stderr);
    text = ReadTerminalLine();
    std::fputc('\n', stderr);
  }
  return FirstLine(text);
}

}  // namespace octavo
