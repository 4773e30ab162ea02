// What the tests of packed weights share: blocks of weights, rows of activations.
#ifndef OCTAVO_KERNELS_PACKED_TEST_SUPPORT_H_
#define OCTAVO_KERNELS_PACKED_TEST_SUPPORT_H_

#include <functional>
#include <limits>

#include "base/aligned_buffer.h"
#include "base/cpu_features.h"
#include "kernels/isa_emulated_dot.h"
#include "kernels/test_support.h"
#include "tensor/float16.h"
#include "tensor/group_layout.h"

namespace octavo {

inline constexpr int64_t kPanel = kPanelColumns;

// Numbers of one block: q[16][group_size], zeros and scale bits [16].
struct BlockValues {
  std::vector<uint8_t> q, zero;
  std::vector<uint16_t> scale;
};
using MakeBlock = std::function<BlockValues(const GroupLayout&, Random*)>;

inline uint16_t ScaleBits(const GroupLayout& layout, float value) {
  return layout.scale_dtype == DType::kF16 ? ToFloat16(value).bits : ToBFloat16(value).bits;
}

// q within [low, high], zero within [zero_low, zero_high], scales around `scale`.
inline MakeBlock Uniform(int low, int high, int zero_low, int zero_high, float scale) {
  return [=](const GroupLayout& layout, Random* random) {
    BlockValues values;
    for (int i = 0; i < kPanel * layout.group_size; ++i) {
      values.q.push_back(static_cast<uint8_t>(
          low + static_cast<int>(random->Below(static_cast<uint64_t>(high - low + 1)))));
    }
    for (int c = 0; c < kPanel; ++c) {
      values.zero.push_back(static_cast<uint8_t>(
          zero_low +
          static_cast<int>(random->Below(static_cast<uint64_t>(zero_high - zero_low + 1)))));
      values.scale.push_back(ScaleBits(layout, random->Uniform(0.5f, 1.0f) * scale));
    }
    return values;
  };
}

inline MakeBlock AnyBlock(const GroupLayout& layout) {
  if (layout.is_7bit) return Uniform(128 - 63, 128 + 63, 128, 128, 0.01f);
  return layout.bits == 4 ? Uniform(0, 15, 0, 16, 0.01f) : Uniform(0, 255, 0, 255, 0.01f);
}

// Whole panels of such blocks.
inline AlignedBuffer<std::byte> MakePanels(const GroupLayout& layout, int64_t panels, int64_t k,
                                           const MakeBlock& make) {
  AlignedBuffer<std::byte> matrix(
      static_cast<size_t>(GroupMatrixBytes(layout, panels * kPanel, k)));
  Random random(11);
  for (int64_t p = 0; p < panels; ++p) {
    for (int64_t g = 0; g < k / layout.group_size; ++g) {
      const BlockValues v = make(layout, &random);
      WriteGroupBlock(layout, {v.q.data(), layout.group_size, v.scale.data(), v.zero.data(), 16},
                      matrix.data() + GroupBlockOffset(layout, k, p, g));
    }
  }
  return matrix;
}

inline bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

inline std::vector<std::vector<float>> RandomRows(int64_t rows, int64_t k, uint64_t seed) {
  std::vector<std::vector<float>> x;
  for (int64_t r = 0; r < rows; ++r) x.push_back(RandomFloats(k, seed + static_cast<uint64_t>(r)));
  return x;
}

inline std::vector<GroupLayout> PackedLayouts() {
  std::vector<GroupLayout> layouts;
  for (const int size : {32, 64, 128}) {
    layouts.push_back({4, size, DType::kF16, false});
    layouts.push_back({8, size, DType::kBF16, false});
    layouts.push_back({8, size, DType::kF16, true});
  }
  layouts.push_back({4, 128, DType::kBF16, false});
  return layouts;
}

// Rows whose sums are as large as can be, or vanish, or are of one sign.
inline std::vector<std::vector<float>> ExtremeRows(int64_t k) {
  std::vector<std::vector<float>> x;
  const auto add = [&](const std::function<float(int64_t)>& f) {
    std::vector<float> row;
    for (int64_t i = 0; i < k; ++i) row.push_back(f(i));
    x.push_back(row);
  };
  add([](int64_t) { return 127.0f; });
  add([](int64_t) { return -127.0f; });
  add([](int64_t) { return 0.0f; });
  add([](int64_t i) { return i % 2 == 0 ? 1.0f : -1.0f; });
  add([](int64_t i) { return i / 2 % 2 == 0 ? 1.0f : 0.0f; });
  add([](int64_t i) { return i % 4 == 0 ? 127.0f : -0.4f; });
  add([](int64_t i) { return i < 64 ? -0.0f : -1e30f; });
  add([](int64_t i) { return static_cast<float>(i % 128) * 1e-44f; });
  add([](int64_t i) { return i % 3 == 0 ? 3e38f : -3e38f; });
  add([](int64_t i) { return i < 96 ? 127.0f : -127.0f; });
  return x;
}

// Rows to quantise within +-range: extremes, denormals, ties at scale 1, numbers that are not
// finite.
inline std::vector<std::vector<float>> RowsToQuantise(int64_t k, float range) {
  std::vector<std::vector<float>> rows = ExtremeRows(k);
  for (const std::vector<float>& row : RandomRows(4, k, 9)) rows.push_back(row);
  for (const float value : {1e-45f, 2e-43f}) rows.emplace_back(static_cast<size_t>(k), value);
  for (const float size : {1e-42f, 1e-39f, 3e38f}) rows.push_back(RandomFloats(k, 4, size));
  std::vector<float> ties(static_cast<size_t>(k));
  for (size_t i = 0; i < ties.size(); ++i) ties[i] = static_cast<float>(i % 127) - 62.5f;
  for (size_t i = 0; i < ties.size(); i += 32) ties[i] = range;
  rows.push_back(ties);
  for (const float odd :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    rows.push_back(RandomFloats(k, 6));
    rows.back()[static_cast<size_t>(k / 2)] = -odd;
  }
  return rows;
}

// Every table, and AVX-VNNI's products with the instruction's definition in its place.
inline std::vector<const KernelTable*> PackedTables() {
  std::vector<const KernelTable*> tables = RunnableKernels();
#if defined(__x86_64__)
  if (GetCpuFeatures().avx2) tables.push_back(&kEmulatedDotSlots);
#endif
  return tables;
}

}  // namespace octavo

#endif  // OCTAVO_KERNELS_PACKED_TEST_SUPPORT_H_
