// Every slot but the products, in every table that runs here, against double precision.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/reference.h"
#include "kernels/test_support.h"
#include "tensor/float16.h"

namespace octavo {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST_P(KernelTest, WidensScaledBytesRoundedOnce) {
  for (const int64_t columns : {1, 3, 8, 31, 32, 64, 83}) {
    constexpr int64_t kRows = 5;
    std::vector<int8_t> q(static_cast<size_t>(kRows * columns));
    for (size_t i = 0; i < q.size(); ++i) q[i] = static_cast<int8_t>(i * 37 + 129);
    const std::vector<float> by_row = RandomFloats(kRows, 1);
    const std::vector<float> by_column = RandomFloats(columns, 2);
    for (const bool rows : {true, false}) {
      Misaligned<int8_t> in(q);
      Misaligned<float> scales(rows ? by_row : by_column);
      Misaligned<float> out(std::vector<float>(q.size()));
      (rows ? kernels().widen_i8_rows : kernels().widen_i8_columns)(
          {in.data(), kRows, columns, scales.data()}, out.data());
      for (size_t i = 0; i < q.size(); ++i) {
        const size_t r = i / static_cast<size_t>(columns), c = i % static_cast<size_t>(columns);
        EXPECT_EQ(out[i], static_cast<float>(q[i]) * (rows ? by_row[r] : by_column[c])) << i;
      }
      EXPECT_TRUE(out.GuardsHold());
    }
  }
}

TEST_P(KernelTest, WidensEveryHalfExactly) {
  std::vector<uint16_t> bits(65536 + 5);
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<uint16_t>(i);
  Misaligned<uint16_t> in(bits);
  const auto count = static_cast<int64_t>(bits.size());
  for (const bool f16 : {true, false}) {
    Misaligned<float> out(std::vector<float>(bits.size()));
    (f16 ? kernels().widen_f16 : kernels().widen_bf16)(in.data(), count, out.data());
    for (size_t i = 0; i < bits.size(); ++i) {
      const float want = f16 ? ToFloat(Float16{bits[i]}) : ToFloat(BFloat16{bits[i]});
      if (std::isnan(want)) {
        ASSERT_TRUE(std::isnan(out[i])) << bits[i];
      } else {
        ASSERT_EQ(std::bit_cast<uint32_t>(out[i]), std::bit_cast<uint32_t>(want)) << bits[i];
      }
    }
    EXPECT_TRUE(out.GuardsHold());
  }
}

// Numbers around every rounding decision: ties, carries into the exponent, overflow, NaN.
std::vector<float> RoundingCases() {
  std::vector<float> values = {0.0f,
                               -0.0f,
                               3.4e38f,
                               -3.4028235e38f,
                               kInfinity,
                               -kInfinity,
                               std::numeric_limits<float>::quiet_NaN()};
  for (const uint32_t low : {0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu, 0u}) {
    for (const uint32_t high : {0x3F80u, 0x3F81u, 0xBFFFu, 0x0080u, 0x7F7Fu, 0x4049u}) {
      values.push_back(std::bit_cast<float>((high << 16) | low));
    }
  }
  return values;
}

TEST_P(KernelTest, NarrowsToNearestEven) {
  for (const int64_t count : Counts()) {
    const std::vector<float> cases = RoundingCases();
    std::vector<float> values(static_cast<size_t>(count));
    for (size_t i = 0; i < values.size(); ++i) values[i] = cases[i % cases.size()];
    Misaligned<float> in(values);
    Misaligned<uint16_t> narrow(std::vector<uint16_t>(values.size()));
    Misaligned<float> rounded(std::vector<float>(values.size()));
    kernels().narrow_bf16(in.data(), count, narrow.data());
    kernels().round_bf16(in.data(), count, rounded.data());
    for (size_t i = 0; i < values.size(); ++i) {
      const BFloat16 want = ToBFloat16(values[i]);
      if (std::isnan(values[i])) {
        EXPECT_TRUE(std::isnan(ToFloat(BFloat16{narrow[i]})));
        EXPECT_TRUE(std::isnan(rounded[i]));
      } else {
        EXPECT_EQ(narrow[i], want.bits) << values[i];
        EXPECT_EQ(std::bit_cast<uint32_t>(rounded[i]), uint32_t{want.bits} << 16) << values[i];
      }
    }
    EXPECT_TRUE(narrow.GuardsHold() && rounded.GuardsHold()) << count;
  }
}

TEST_P(KernelTest, WidensPairsOfAnyDepth) {
  for (int64_t k = 0; k <= 9; ++k) {
    std::vector<uint16_t> bits(static_cast<size_t>((k + 1) / 2 * 32));
    for (size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<uint16_t>(0x3F80 + i);
    Misaligned<uint16_t> in(bits);
    Misaligned<float> out(std::vector<float>(static_cast<size_t>(k * 16)));
    kernels().widen_bf16_pairs(in.data(), k, out.data());
    for (int64_t i = 0; i < k; ++i) {
      for (int64_t c = 0; c < 16; ++c) {
        const BFloat16 want{bits[static_cast<size_t>((i / 2 * 16 + c) * 2 + i % 2)]};
        EXPECT_EQ(out[static_cast<size_t>(i * 16 + c)], ToFloat(want)) << i << ", " << c;
      }
    }
    EXPECT_TRUE(out.GuardsHold());
  }
}

TEST_P(KernelTest, FinishesSums) {
  for (const int64_t count : Counts()) {
    for (const bool accumulate : {false, true}) {
      for (const bool with_bias : {false, true}) {
        Misaligned<float> sums(RandomFloats(count, 1));
        Misaligned<float> bias(RandomFloats(count, 2));
        const std::vector<float> before = RandomFloats(count, 3);
        Misaligned<float> y(before);
        kernels().finish_sums(sums.data(), with_bias ? bias.data() : nullptr, accumulate, count,
                              y.data());
        for (size_t i = 0; i < before.size(); ++i) {
          float want = sums[i];
          if (with_bias) want += bias[i];
          if (accumulate) want += before[i];
          ASSERT_EQ(y[i], want) << i << " of " << count;
        }
        EXPECT_TRUE(y.GuardsHold());
      }
    }
  }
}

TEST_P(KernelTest, NormsMatchDouble) {
  for (const int64_t count : Counts()) {
    if (count == 0) continue;
    Judge judge;
    std::vector<float> values = RandomFloats(count, 1, 3);
    for (float& v : values) v += 2;
    const std::vector<float> weight = RandomFloats(count, 2), bias = RandomFloats(count, 3);
    Misaligned<float> w(weight), b(bias);
    Misaligned<float> layer(values), rms(values);
    // In place, as the model uses them.
    kernels().layer_norm(layer.data(), w.data(), b.data(), 1e-2f, count, layer.data());
    kernels().rms_norm(rms.data(), w.data(), 1e-6f, count, rms.data());
    const std::vector<Reference> want_layer = ReferenceLayerNorm(values, weight, bias, 1e-2f);
    const std::vector<Reference> want_rms = ReferenceRmsNorm(values, weight, 1e-6f);
    for (size_t i = 0; i < values.size(); ++i) {
      const std::string where = "element " + std::to_string(i) + " of " + std::to_string(count);
      judge.See("layer_norm " + where, layer[i], want_layer[i].value,
                16 * kEps * want_layer[i].magnitude);
      judge.See("rms_norm " + where, rms[i], want_rms[i].value, 8 * kEps * want_rms[i].magnitude);
    }
    EXPECT_TRUE(layer.GuardsHold() && rms.GuardsHold());
  }
}

TEST_P(KernelTest, ActivationsMatchDouble) {
  for (const int64_t count : {int64_t{0}, int64_t{1}, int64_t{15}, int64_t{33}, int64_t{20001}}) {
    Judge judge;
    const std::vector<float> values = RandomFloats(count, 1, 14), other = RandomFloats(count, 2);
    Misaligned<float> quick(values), gelu(values), gate(values), up(other);
    kernels().quick_gelu(quick.data(), count);
    kernels().gelu(gelu.data(), count);
    kernels().silu_multiply(gate.data(), up.data(), count);
    for (size_t i = 0; i < values.size(); ++i) {
      const double x = values[i];
      const std::string at = " at " + std::to_string(x);
      // The exponent's own rounding grows with its size.
      const double grow = 8 + 3 * std::fabs(x);
      judge.See("quick_gelu" + at, quick[i], ReferenceQuickGelu(x),
                grow * kEps * std::fabs(ReferenceQuickGelu(x)));
      judge.See("silu" + at, gate[i], ReferenceSilu(x) * other[i],
                grow * kEps * std::fabs(ReferenceSilu(x) * other[i]));
      judge.See("gelu" + at, gelu[i], ReferenceGelu(x), 1e-7 + 3e-7 * std::fabs(x));
    }
    EXPECT_TRUE(quick.GuardsHold() && gelu.GuardsHold() && gate.GuardsHold());
  }
}

TEST_P(KernelTest, RotaryTurnsPairs) {
  for (const int64_t half : Counts()) {
    Judge judge;
    const std::vector<float> values = RandomFloats(2 * half, 1);
    Misaligned<float> x(values), cos(RandomFloats(half, 2)), sin(RandomFloats(half, 3));
    kernels().rotary(x.data(), cos.data(), sin.data(), half);
    for (size_t j = 0; j < static_cast<size_t>(half); ++j) {
      const double a = values[j], b = values[j + static_cast<size_t>(half)];
      const std::string where = std::to_string(j) + " of " + std::to_string(half);
      judge.See(where, x[j], a * cos[j] - b * sin[j], 4 * kEps);
      judge.See(where, x[j + static_cast<size_t>(half)], b * cos[j] + a * sin[j], 4 * kEps);
    }
    EXPECT_TRUE(x.GuardsHold());
  }
}

// Scores of 16 queries, one block after the other, in both forms.
TEST_P(KernelTest, SoftmaxMatchesDoubleAndBothFormsAgree) {
  std::vector<float> maximum(16, -kInfinity), sum(16, 0), correction(16);
  std::vector<ReferenceSoftmax> want(16, {-INFINITY, 0});
  uint64_t seed = 1;
  for (const int64_t keys : {1, 5, 16, 33, 128}) {
    Judge judge;
    std::vector<float> scores = RandomFloats(keys * 16, ++seed, 30);
    // As a causal mask leaves them: the first key is seen, later ones may not be.
    for (int64_t i = 1; i < keys; ++i) scores[static_cast<size_t>(i * 16 + 3)] = -kInfinity;
    std::vector<float> lanes = scores;
    std::vector<float> row_maximum = maximum, row_sum = sum, row_correction(16);
    // Rows lie apart; what is between them is nobody's.
    const int64_t stride = keys + 3;
    std::vector<float> rows(static_cast<size_t>(16 * stride), 99.0f);
    for (size_t lane = 0; lane < 16; ++lane) {
      for (int64_t i = 0; i < keys; ++i) {
        rows[lane * static_cast<size_t>(stride) + static_cast<size_t>(i)] =
            scores[static_cast<size_t>(i) * 16 + lane];
      }
    }
    for (int64_t first = 0, count = 1; first < 16; first += count, ++count) {  // 1, 2, ..., 5, 1
      const int64_t some = std::min<int64_t>(count, 16 - first);
      kernels().softmax_rows({rows.data() + first * stride, stride, some, keys,
                              &row_maximum[static_cast<size_t>(first)],
                              &row_sum[static_cast<size_t>(first)],
                              &row_correction[static_cast<size_t>(first)]});
    }
    kernels().softmax_lanes({lanes.data(), keys, maximum.data(), sum.data(), correction.data()});
    for (size_t lane = 0; lane < 16; ++lane) {
      std::vector<float> column;
      for (int64_t i = 0; i < keys; ++i) {
        column.push_back(scores[static_cast<size_t>(i) * 16 + lane]);
      }
      const std::vector<double> powers = want[lane].Add(column);
      const float* row = rows.data() + static_cast<int64_t>(lane) * stride;
      EXPECT_EQ(std::count(row + keys, row + stride, 99.0f), stride - keys);
      EXPECT_EQ(row_maximum[lane], maximum[lane]);
      EXPECT_EQ(row_sum[lane], sum[lane]);
      EXPECT_EQ(row_correction[lane], correction[lane]);
      EXPECT_EQ(maximum[lane], want[lane].maximum);
      judge.See("correction", correction[lane], want[lane].correction,
                4 * kEps * want[lane].correction + 1e-38);
      judge.See("sum", sum[lane], want[lane].sum, 40 * kEps * want[lane].sum);
      for (size_t i = 0; i < powers.size(); ++i) {
        EXPECT_EQ(row[i], lanes[i * 16 + lane]) << i;
        judge.See("power", row[i], powers[i], 4 * kEps * powers[i] + 1.2e-38);
      }
    }
  }
}

TEST_P(KernelTest, PowersOfNothingAndOfNoKeyAreExact) {
  std::vector<float> scores(3 * 16, 7.0f);
  for (size_t lane = 0; lane < 16; ++lane) scores[16 + lane] = -kInfinity;
  scores[2 * 16] = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> maximum(16, 7.0f), sum(16, 1), correction(16);
  kernels().softmax_lanes({scores.data(), 3, maximum.data(), sum.data(), correction.data()});
  for (size_t lane = 1; lane < 16; ++lane) {
    EXPECT_EQ(scores[lane], 1.0f);
    EXPECT_EQ(scores[16 + lane], 0.0f);
    EXPECT_EQ(correction[lane], 1.0f);
    EXPECT_EQ(sum[lane], 3.0f);
  }
  EXPECT_TRUE(std::isnan(sum[0])) << "a NaN score must show";
}

TEST_P(KernelTest, ReadsMemoryAndRunsItsPeakLoops) {
  const std::vector<uint64_t> words(512 / 8, 3);
  EXPECT_NO_FATAL_FAILURE(
      kernels().read_memory(reinterpret_cast<const std::byte*>(words.data()), 512));
  for (const PeakLoop& loop :
       {kernels().peak_fp32_fma, kernels().peak_bf16_dot, kernels().peak_int8_dot,
        kernels().peak_int8_maddubs16, kernels().peak_int8_maddubs32, kernels().peak_int16_madd,
        kernels().peak_int16_dot}) {
    if (loop.run == nullptr) continue;
    EXPECT_GT(loop.operations_per_iteration, 0);
    loop.run(0);
    loop.run(10);
  }
  EXPECT_NE(kernels().peak_fp32_fma.run, nullptr);
}

INSTANTIATE_TEST_SUITE_P(Tables, KernelTest, testing::ValuesIn(RunnableKernels()),
                         [](const auto& param_info) {
                           return std::string(param_info.param->name);
                         });

}  // namespace
}  // namespace octavo
