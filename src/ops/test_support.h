// What the tests of this floor share: a context, random matrices, naive doubles.
#ifndef OCTAVO_OPS_TEST_SUPPORT_H_
#define OCTAVO_OPS_TEST_SUPPORT_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "kernels/select.h"
#include "ops/attention.h"
#include "ops/context.h"
#include "ops/matmul.h"
#include "ops/packed_weight.h"
#include "ops/workspace.h"
#include "tensor/float16.h"
#include "tensor/group_layout.h"
#include "tensor/packed_layout.h"

namespace octavo::ops {

// A pool, a workspace and a kernel table for the length of a test.
class TestContext {
 public:
  explicit TestContext(int threads = 2, const KernelTable& kernels = SelectedKernels())
      : pool_(threads),
        workspace_(8 << 20, threads,
                   std::max(MatmulScratchBytes(8192), AttentionScratchBytes(256))),
        context_{&kernels, &pool_, &workspace_} {}
  const Context& operator*() const { return context_; }

 private:
  ThreadPool pool_;
  Workspace workspace_;
  Context context_;
};

// Uniform numbers in [-1, 1).
inline std::vector<float> RandomFloats(int64_t count, uint64_t seed) {
  Random random(seed);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = random.Uniform(-1.0f, 1.0f);
  return values;
}

inline FloatMatrix Matrix(std::vector<float>& values, int64_t rows) {
  const int64_t cols = rows == 0 ? 0 : static_cast<int64_t>(values.size()) / rows;
  return {values.data(), rows, cols};
}

// A weight of one format, the numbers it holds, and its packed form.
struct Weight {
  std::vector<float> values;
  PackedWeight packed;
};

inline Weight MakeWeight(const Context& context, DType dtype, int64_t n, int64_t k) {
  Weight w;
  w.values = RandomFloats(n * k, 7);
  TensorView view;
  view.dtype = dtype;
  view.shape = Shape{n, k};
  std::vector<uint16_t> halves(w.values.size());
  view.data = reinterpret_cast<const std::byte*>(halves.data());
  for (size_t i = 0; i < halves.size(); ++i) {
    if (dtype == DType::kF16) {
      halves[i] = ToFloat16(w.values[i]).bits;
      w.values[i] = ToFloat(Float16{halves[i]});
    } else if (dtype == DType::kBF16) {
      halves[i] = ToBFloat16(w.values[i]).bits;
      w.values[i] = ToFloat(BFloat16{halves[i]});
    }
  }
  if (dtype == DType::kF32) view.data = reinterpret_cast<const std::byte*>(w.values.data());
  w.packed = PackedWeight::Pack(context, view, n, k);
  return w;
}

// q: [N, K]; scale and zero: [N, K / group_size]; as blocks of the layout.
inline PackedWeight PackGroups(const GroupLayout& layout, int64_t n, int64_t k, const uint8_t* q,
                               const uint16_t* scale, const uint8_t* zero) {
  const PackedLayout whole = PackedLayout::Quantized(layout, n, k);
  const auto data = std::make_shared<AlignedBuffer<std::byte>>(PackedBytes(whole));
  const int64_t groups = k / layout.group_size;
  for (int64_t block = 0; block < whole.num_panels() * groups; ++block) {
    const int64_t row = block / groups * kPanelColumns;
    const int64_t g = block % groups;
    const auto columns = static_cast<int>(std::min<int64_t>(kPanelColumns, n - row));
    uint16_t scales[kPanelColumns];
    uint8_t zeros[kPanelColumns];
    for (int c = 0; c < columns; ++c) {
      scales[c] = scale[(row + c) * groups + g];
      zeros[c] = zero[(row + c) * groups + g];
    }
    WriteGroupBlock(layout, {q + row * k + g * layout.group_size, k, scales, zeros, columns},
                    data->data() + GroupBlockOffset(layout, k, row / kPanelColumns, g));
  }
  return PackedWeight::Borrow(whole, data->data(), data);
}

// A quantised weight, the numbers it stands for, and its packed form.
inline Weight MakeGroupWeight(const GroupLayout& layout, int64_t n, int64_t k) {
  Random random(8);
  const auto below = [&](uint64_t bound) { return static_cast<uint8_t>(random.Below(bound)); };
  const int64_t groups = n * (k / layout.group_size);
  std::vector<uint8_t> q(static_cast<size_t>(n * k)), zero(static_cast<size_t>(groups));
  std::vector<uint16_t> scale(static_cast<size_t>(groups));
  for (uint8_t& v : q) {
    v = layout.is_7bit ? static_cast<uint8_t>(128 - 63 + below(127))
                       : below(layout.bits == 4 ? 16 : 256);
  }
  for (uint8_t& v : zero) v = layout.is_7bit ? uint8_t{128} : below(layout.bits == 4 ? 17 : 256);
  for (uint16_t& bits : scale) {
    const float s = random.Uniform(0.005f, 0.02f);
    bits = layout.scale_dtype == DType::kF16 ? ToFloat16(s).bits : ToBFloat16(s).bits;
  }
  Weight w;
  w.packed = PackGroups(layout, n, k, q.data(), scale.data(), zero.data());
  for (int64_t i = 0; i < n * k; ++i) {
    const auto group = static_cast<size_t>(i / layout.group_size);
    const float s = layout.scale_dtype == DType::kF16 ? ToFloat(Float16{scale[group]})
                                                      : ToFloat(BFloat16{scale[group]});
    w.values.push_back(static_cast<float>(q[static_cast<size_t>(i)] - zero[group]) * s);
  }
  return w;
}

// 4 bits, full and 7-bit ranges of 8, with every group size and kind of scale.
inline std::vector<GroupLayout> SomeGroupLayouts() {
  return {{4, 128, DType::kF16, false}, {4, 64, DType::kBF16, false}, {4, 32, DType::kF16, false},
          {8, 128, DType::kF16, true},  {8, 64, DType::kBF16, true},  {8, 32, DType::kF16, false},
          {8, 128, DType::kBF16, false}};
}

inline bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Largest |a - b| / bound, with its place in the message of a failure.
inline void ExpectWithin(const std::vector<float>& got, const std::vector<double>& want,
                         const std::vector<double>& bound) {
  ASSERT_EQ(got.size(), want.size());
  double worst = 0;
  size_t place = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const double share = std::fabs(got[i] - want[i]) / bound[i];
    if (!(share <= worst)) {
      worst = share;
      place = i;
    }
  }
  EXPECT_TRUE(worst <= 1.0) << "element " << place << ": got " << got[place] << ", want "
                            << want[place] << ", allowed error " << bound[place];
}

inline void ExpectWithin(const std::vector<float>& got, const std::vector<double>& want,
                         double bound) {
  ExpectWithin(got, want, std::vector<double>(want.size(), bound));
}

// One query against keys [begin, end) of one head, in double.
struct Naive {
  const std::vector<float>& k;
  const std::vector<float>& v;
  int64_t columns;  // of k and v
  int64_t dim;

  std::vector<double> Attend(const float* q, float scale, int64_t begin, int64_t end,
                             int64_t column) const {
    std::vector<double> weights;
    double highest = -1e300;
    for (int64_t t = begin; t < end; ++t) {
      double score = 0;
      for (int64_t c = 0; c < dim; ++c) score += double{q[c]} * k[t * columns + column + c];
      weights.push_back(score * scale);
      highest = std::max(highest, weights.back());
    }
    double sum = 0;
    for (double& weight : weights) sum += weight = std::exp(weight - highest);
    std::vector<double> out(static_cast<size_t>(dim));
    for (int64_t t = begin; t < end; ++t) {
      for (int64_t c = 0; c < dim; ++c) {
        out[c] += weights[t - begin] / sum * v[t * columns + column + c];
      }
    }
    return out;
  }
};

}  // namespace octavo::ops

#endif  // OCTAVO_OPS_TEST_SUPPORT_H_
