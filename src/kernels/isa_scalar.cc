// The scalar table: plain C++, the definition of every kernel.
#include "kernels/attention_int16-inl.h"
#include "kernels/isa_tables.h"
#include "kernels/vec_scalar.h"
// Needs the vocabulary above.
#include "kernels/kernels-inl.h"
#include "kernels/packed-inl.h"

namespace octavo {
namespace {

void PeakMultiplyAdd(int64_t iterations) {
  float sums[8] = {};
  const volatile float source = 0;
  const float a = source;
  for (int64_t i = 0; i < iterations; ++i) {
    for (float& sum : sums) sum = sum * a + a;
  }
  float total = 0;
  for (const float sum : sums) total += sum;
  asm volatile("" : : "m"(total));  // keeps the loop
}

uint64_t ReadMemory(const std::byte* data, size_t bytes) {
  uint64_t sum = 0;
  for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
    uint64_t word;
    __builtin_memcpy(&word, data + i, sizeof(word));
    sum ^= word;
  }
  return sum;
}

constexpr KernelTable ScalarTable() {
  KernelTable t = VecTable("scalar");
  t.attention_int16 = int16_attention::Kernels();
  SetPackedLoops(&t);
  t.peak_fp32_fma = {PeakMultiplyAdd, 16};
  t.read_memory = ReadMemory;
  return t;
}

}  // namespace

constexpr KernelTable kScalarKernels = ScalarTable();

}  // namespace octavo
