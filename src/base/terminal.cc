#include "base/terminal.h"

#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/file.h"

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

namespace {

// Keeps what is typed on standard input off the screen.
class EchoOff {
 public:
  EchoOff() {
    if (tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    is_off_ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet) == 0;
  }
  ~EchoOff() {
    if (is_off_) tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  EchoOff(const EchoOff&) = delete;
  EchoOff& operator=(const EchoOff&) = delete;

 private:
  termios before_{};
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
