// Descriptor: a file descriptor that closes itself. Inside base only.
#ifndef OCTAVO_BASE_DESCRIPTOR_H_
#define OCTAVO_BASE_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace octavo {

// -1 is "none". Not copyable.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  // Closes what it has and takes `fd`.
  void Reset(int fd) {
    Close();
    fd_ = fd;
  }
  void Close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

}  // namespace octavo

#endif  // OCTAVO_BASE_DESCRIPTOR_H_
