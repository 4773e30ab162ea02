// What the kernel tests share: every table that runs here, misaligned data, a judge.
#ifndef OCTAVO_KERNELS_TEST_SUPPORT_H_
#define OCTAVO_KERNELS_TEST_SUPPORT_H_

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "base/random.h"
#include "kernels/kernel_table.h"
#include "kernels/select.h"

namespace octavo {

inline constexpr double kEps = 0x1.0p-24;  // half a unit in the last place of 1

// A suite that runs once per table of this machine.
class KernelTest : public testing::TestWithParam<const KernelTable*> {
 protected:
  const KernelTable& kernels() const { return *GetParam(); }
};

// Counts from nothing to two of the widest vectors and one, then some longer ones.
inline std::vector<int64_t> Counts() {
  std::vector<int64_t> counts;
  for (int64_t i = 0; i <= 33; ++i) counts.push_back(i);
  for (const int64_t i : {63, 64, 65, 127, 128, 200}) counts.push_back(i);
  return counts;
}

// Numbers that start one element past an aligned address, with a guard behind the last.
template <typename T>
class Misaligned {
 public:
  explicit Misaligned(const std::vector<T>& values)
      : storage_(values.size() + 17), size_(values.size()) {
    std::memset(storage_.data(), 0x5A, storage_.size() * sizeof(T));
    std::copy(values.begin(), values.end(), data());
  }
  T* data() { return storage_.data() + 1; }
  T operator[](size_t i) const { return storage_[i + 1]; }
  std::vector<T> values() const { return {storage_.begin() + 1, storage_.begin() + 1 + size_}; }
  bool GuardsHold() const {
    std::vector<T> guard(16);
    std::memset(guard.data(), 0x5A, guard.size() * sizeof(T));
    return std::memcmp(storage_.data(), guard.data(), sizeof(T)) == 0 &&
           std::memcmp(storage_.data() + 1 + size_, guard.data(), guard.size() * sizeof(T)) == 0;
  }

 private:
  std::vector<T> storage_;
  size_t size_;
};

inline std::vector<float> RandomFloats(int64_t count, uint64_t seed, float size = 1) {
  Random random(seed);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = random.Uniform(-size, size);
  return values;
}

// Remembers the worst element of a comparison and says so at the end.
class Judge {
 public:
  void See(const std::string& where, double got, double want, double bound) {
    const double share = got == want ? 0 : std::fabs(got - want) / bound;
    if (share <= worst_) return;  // not true for NaN
    worst_ = share;
    message_ = (testing::Message()
                << where << ": got " << got << ", want " << want << ", allowed error " << bound)
                   .GetString();
  }
  ~Judge() { EXPECT_TRUE(worst_ <= 1) << message_; }

 private:
  double worst_ = 0;
  std::string message_;
};

}  // namespace octavo

#endif  // OCTAVO_KERNELS_TEST_SUPPORT_H_
