#include "base/descriptor.h"

#include <fcntl.h>

#include <gtest/gtest.h>

namespace octavo {
namespace {

bool IsOpen(int fd) { return fcntl(fd, F_GETFD) >= 0; }
int OpenNull() { return open("/dev/null", O_RDONLY | O_CLOEXEC); }

TEST(Descriptor, ClosesAtTheEndOfItsLife) {
  const int fd = OpenNull();
  {
    const Descriptor descriptor(fd);
    EXPECT_TRUE(descriptor.is_open());
    EXPECT_TRUE(IsOpen(fd));
  }
  EXPECT_FALSE(IsOpen(fd));
}

TEST(Descriptor, ResetAndCloseLetTheOldOneGo) {
  const int first = OpenNull();
  Descriptor descriptor(first);
  const int second = OpenNull();
  descriptor.Reset(second);
  EXPECT_FALSE(IsOpen(first));
  EXPECT_EQ(descriptor.get(), second);
  descriptor.Close();
  EXPECT_FALSE(IsOpen(second));
  EXPECT_FALSE(descriptor.is_open());
}

}  // namespace
}  // namespace octavo
