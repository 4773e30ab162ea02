#include "base/memory_reservation.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <utility>

#include "base/memory_info.h"
#include "octavo/error.h"

namespace octavo {
namespace {

TEST(MemoryReservation, CostsNothingUntilTouched) {
  const int64_t before = ResidentBytes();
  MemoryReservation reservation(size_t{4} << 30);
  ASSERT_NE(reservation.data(), nullptr);
  EXPECT_LT(ResidentBytes() - before, int64_t{32} << 20);
  EXPECT_EQ(reservation.data()[(size_t{4} << 30) - 1], std::byte{0});
}

TEST(MemoryReservation, DiscardGivesPagesBackAndLeavesTheRest) {
  MemoryReservation reservation(size_t{64} << 20);
  std::memset(reservation.data(), 7, reservation.size_bytes());
  const int64_t full = ResidentBytes();
  reservation.Discard(size_t{1} << 20, size_t{62} << 20);
  EXPECT_LT(ResidentBytes(), full - (int64_t{48} << 20));
  EXPECT_EQ(reservation.data()[(size_t{1} << 20) - 1], std::byte{7});
  EXPECT_EQ(reservation.data()[size_t{1} << 20], std::byte{0});
  EXPECT_EQ(reservation.data()[(size_t{63} << 20)], std::byte{7});
}

TEST(MemoryReservation, DiscardOfLessThanAPageKeepsNeighbours) {
  MemoryReservation reservation(1 << 16);
  std::memset(reservation.data(), 7, reservation.size_bytes());
  reservation.Discard(100, 200);
  EXPECT_EQ(reservation.data()[99], std::byte{7});
  EXPECT_EQ(reservation.data()[300], std::byte{7});
}

TEST(MemoryReservation, MovesOwnership) {
  MemoryReservation a(1 << 16);
  std::byte* data = a.data();
  MemoryReservation b(std::move(a));
  EXPECT_EQ(b.data(), data);
  MemoryReservation c;
  c = std::move(b);
  EXPECT_EQ(c.data(), data);
  EXPECT_EQ(c.size_bytes(), size_t{1} << 16);
}

TEST(MemoryReservation, RefusesMoreThanTheAddressSpace) {
  try {
    MemoryReservation reservation(std::numeric_limits<size_t>::max() / 2);
    FAIL() << "reserved";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kResourceExhausted);
  }
}

}  // namespace
}  // namespace octavo
