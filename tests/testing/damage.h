// Damaged copies of a file, for tests of parsers.
#ifndef OCTAVO_TESTS_TESTING_DAMAGE_H_
#define OCTAVO_TESTS_TESTING_DAMAGE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace octavo::testing {

// The first `size` bytes in memory of exactly that size, so that a sanitizer sees a read past them.
inline std::string CutCopy(std::string_view bytes, size_t size) {
  std::string cut(bytes.substr(0, size));
  cut.shrink_to_fit();
  return cut;
}

// One to eight bytes at random places set to random values. Equal seeds, equal damage.
inline std::string FlipBytes(std::string_view bytes, uint64_t seed) {
  std::string damaged(bytes);
  uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  const auto next = [&state] {  // xorshift64*
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (state * 0x2545F4914F6CDD1Du) >> 33;
  };
  const uint64_t count = 1 + next() % 8;
  for (uint64_t i = 0; i < count && !damaged.empty(); ++i) {
    damaged[next() % damaged.size()] = static_cast<char>(next() & 0xFF);
  }
  return damaged;
}

}  // namespace octavo::testing

#endif  // OCTAVO_TESTS_TESTING_DAMAGE_H_
