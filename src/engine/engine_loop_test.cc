#include "engine/engine_loop.h"

#include <gtest/gtest.h>

#include <thread>

namespace octavo {
namespace {

// Whole requests are engine_test's; here only what wakes the loop.
TEST(Doorbell, ARingBeforeTheWaitIsNotLost) {
  Doorbell doorbell;
  doorbell.Ring();
  doorbell.Ring();
  doorbell.Wait();
  std::thread ringer([&] { doorbell.Ring(); });
  doorbell.Wait();
  ringer.join();
}

}  // namespace
}  // namespace octavo
