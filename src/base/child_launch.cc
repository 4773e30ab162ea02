#include "base/child_launch.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace octavo {
namespace {

// A hard limit that is lower already stays: nobody may raise it.
bool SetLimit(decltype(RLIMIT_AS) resource, int64_t soft, int64_t hard) {
  struct rlimit limit {};
  if (::getrlimit(resource, &limit) != 0) return false;
  limit.rlim_max = std::min(limit.rlim_max, static_cast<rlim_t>(hard));
  limit.rlim_cur = std::min(limit.rlim_max, static_cast<rlim_t>(soft));
  return ::setrlimit(resource, &limit) == 0;
}

void WriteText(const char* path, const char* text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  [[maybe_unused]] const ssize_t written = ::write(fd, text, std::strlen(text));
  ::close(fd);
}

// An empty network namespace. Kernels that forbid it to ordinary users leave the network reachable.
void LeaveNetwork(const Launch& launch) {
  // Root needs no user namespace, and in one it could no longer read the files of other users.
  if (::geteuid() == 0) {
    [[maybe_unused]] const int result = ::unshare(CLONE_NEWNET);
    return;
  }
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return;
  WriteText("/proc/self/uid_map", launch.user_map);
  WriteText("/proc/self/setgroups", "deny");
  WriteText("/proc/self/gid_map", launch.group_map);
}

void CloseOthersOnExec() {
#ifdef SYS_close_range
  constexpr unsigned kCloseOnExec = 4;  // CLOSE_RANGE_CLOEXEC
  if (::syscall(SYS_close_range, 3u, ~0u, kCloseOnExec) == 0) return;
#endif
  for (int fd = 3; fd < 4096; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

void ResetSignals() {
  sigset_t none;
  ::sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < 32; ++signal) ::sigaction(signal, &standard, nullptr);
  // A write over the file limit is to fail, not to end the child: libraries write caches
  // (fontconfig does) and go on without.
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  ::sigaction(SIGXFSZ, &ignored, nullptr);
}

}  // namespace

void StartInChild(const Launch& launch) {
  ::setpgid(0, 0);
  ResetSignals();
  const ChildLimits& limits = *launch.limits;
  const bool ready = ::dup2(launch.stdin_fd, 0) == 0 && ::dup2(launch.stdout_fd, 1) == 1 &&
                     ::dup2(launch.stderr_fd, 2) == 2 &&
                     ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  if (ready) LeaveNetwork(launch);
  // After the namespace: a change of credentials would clear it.
  if (ready && ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::getppid() == launch.parent) {
    CloseOthersOnExec();
    if (launch.file_fd >= 0) ::fcntl(launch.file_fd, F_SETFD, 0);
    const bool limited =
        SetLimit(RLIMIT_AS, limits.address_space_bytes, limits.address_space_bytes) &&
        SetLimit(RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1) &&
        SetLimit(RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes) && SetLimit(RLIMIT_CORE, 0, 0);
    if (limited) ::execve(launch.program, launch.argv, launch.envp);
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(launch.status_fd, &error, sizeof error);
  ::_exit(127);
}

}  // namespace octavo
