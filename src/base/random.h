// A small reproducible generator (SplitMix64) for sampling, synthetic weights and tests.
// Same seed, same numbers, on every machine and compiler.
#ifndef OCTAVO_BASE_RANDOM_H_
#define OCTAVO_BASE_RANDOM_H_

#include <cstdint>

namespace octavo {

// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  // Uniform in [0, 1), 53 bits.
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }
  // Uniform in [low, high).
  float Uniform(float low, float high) {
    return low + (high - low) * static_cast<float>(Next() >> 40) * 0x1.0p-24f;
  }
  // Uniform in [0, bound). REQUIRES: bound > 0.
  uint64_t Below(uint64_t bound) { return Next() % bound; }

 private:
  uint64_t state_;
};

}  // namespace octavo

#endif  // OCTAVO_BASE_RANDOM_H_
