// Every table gives the bits of the definition, which is compared with double precision here and,
// whole heads at a time, in ops/full_attention_int16_test.cc.
#include "kernels/attention_int16.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>

#include "kernels/test_support.h"

namespace octavo {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int64_t kGap = 3;  // numbers between the rows of the tests

const AttentionInt16Kernels& Definition() { return KernelsByName("scalar").attention_int16; }

bool Same(const void* a, const void* b, size_t bytes) { return std::memcmp(a, b, bytes) == 0; }

template <typename T>
bool Same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && Same(a.data(), b.data(), a.size() * sizeof(T));
}

// Rows of one head; the numbers behind each row are NaN, so that reading them shows.
struct Rows {
  std::vector<float> values;
  int64_t rows, dim;

  Rows(int64_t num_rows, int64_t head_dim, uint64_t seed, float size = 1)
      : values(static_cast<size_t>(num_rows * (head_dim + kGap) + 1), kNan),
        rows(num_rows),
        dim(head_dim) {
    const std::vector<float> numbers = RandomFloats(num_rows * head_dim, seed, size);
    for (int64_t i = 0; i < num_rows * head_dim; ++i) {
      at(i / head_dim, i % head_dim) = numbers[static_cast<size_t>(i)];
    }
  }
  float& at(int64_t r, int64_t c) { return values[static_cast<size_t>(1 + r * (dim + kGap) + c)]; }
  HeadRows view() const { return {values.data() + 1, dim + kGap, rows, dim}; }
};

// All that the slots make of one block of keys and values and one of queries.
struct Packed {
  std::vector<float> sums, largest, query_scales;
  std::vector<int16_t> keys, values, queries;
  float key_scale = 0;

  Packed(const AttentionInt16Kernels& kernels, const HeadRows& q, const HeadRows& k,
         const HeadRows& v)
      : sums(static_cast<size_t>(k.dim)),
        largest(static_cast<size_t>(k.dim)),
        query_scales(kInt16Lanes),
        keys(static_cast<size_t>(k.rows * Int16Dim(k.dim))),
        values(static_cast<size_t>(k.dim * kInt16Keys), 77),
        queries(static_cast<size_t>(kInt16Lanes * Int16Dim(k.dim)), 77) {
    kernels.sum_rows(k, sums.data());
    kernels.largest_of_rows(v, largest.data());
    std::vector<float> mean = sums;
    for (float& m : mean) m /= static_cast<float>(k.rows);
    kernels.pack_keys(k, mean.data(), keys.data(), &key_scale);
    std::vector<float> inverse = largest;
    for (float& x : inverse) x = Int16ScaleOf(x, kInt16ValueRange).inverse;
    kernels.pack_values(v, inverse.data(), values.data());
    kernels.pack_queries(q, 1.44269504f / std::sqrt(static_cast<float>(q.dim)), queries.data(),
                         query_scales.data());
  }
};

// The running state, and the outputs of `rows` queries.
struct State {
  std::vector<float> maximum = std::vector<float>(kInt16Lanes, -kInfinity);
  std::vector<float> sum = std::vector<float>(kInt16Lanes);
  std::vector<float> output;
  std::vector<int32_t> scores = std::vector<int32_t>(kInt16Lanes * kInt16Keys);

  explicit State(int64_t dim) : output(static_cast<size_t>(dim * kInt16Lanes)) {}

  void Attend(const AttentionInt16Kernels& kernels, const Packed& p, int64_t keys, int64_t dim) {
    kernels.attend(Block(p, keys, dim));
  }
  std::vector<float> Finish(const AttentionInt16Kernels& kernels, const Packed& p, int64_t rows,
                            int64_t dim) {
    std::vector<float> value_scale;
    for (const float x : p.largest) value_scale.push_back(Int16ScaleOf(x, kInt16ValueRange).scale);
    std::vector<float> out(static_cast<size_t>(rows * (dim + kGap) + 1), 7.5f);
    kernels.finish(Block(p, 1, dim), value_scale.data(), rows, out.data() + 1, dim + kGap);
    return out;
  }

 private:
  Int16Block Block(const Packed& p, int64_t keys, int64_t dim) {
    Int16Block block;
    block.queries = p.queries.data();
    block.query_scales = p.query_scales.data();
    block.keys = p.keys.data();
    block.key_scale = p.key_scale;
    block.values = p.values.data();
    block.num_keys = keys;
    block.dim = dim;
    block.scores = scores.data();
    block.maximum = maximum.data();
    block.sum = sum.data();
    block.output = output.data();
    return block;
  }
};

void ExpectDefinition(const AttentionInt16Kernels& kernels, const Rows& q, const Rows& k,
                      const Rows& v) {
  const Packed got(kernels, q.view(), k.view(), v.view());
  const Packed want(Definition(), q.view(), k.view(), v.view());
  EXPECT_TRUE(Same(got.sums, want.sums) && Same(got.largest, want.largest));
  EXPECT_TRUE(Same(got.keys, want.keys) && Same(&got.key_scale, &want.key_scale, sizeof(float)));
  EXPECT_TRUE(Same(got.values, want.values));
  EXPECT_TRUE(Same(got.queries, want.queries) && Same(got.query_scales, want.query_scales));
  State got_state(k.dim), want_state(k.dim);
  for (int i = 0; i < 2; ++i) {  // the second time corrections are at work
    got_state.Attend(kernels, got, k.rows, k.dim);
    want_state.Attend(Definition(), want, k.rows, k.dim);
    EXPECT_TRUE(Same(got_state.maximum, want_state.maximum)) << i;
    EXPECT_TRUE(Same(got_state.sum, want_state.sum)) << i;
    EXPECT_TRUE(Same(got_state.output, want_state.output)) << i;
  }
  EXPECT_TRUE(Same(got_state.Finish(kernels, got, q.rows, k.dim),
                   want_state.Finish(Definition(), want, q.rows, k.dim)));
}

using AttentionInt16 = KernelTest;

TEST_P(AttentionInt16, GivesTheBitsOfTheDefinition) {
  for (const int64_t dim : {1, 7, 8, 9, 16, 23, 64, 72, 80, 128}) {
    for (const int64_t keys : {1, 2, 7, 8, 9, 15, 16, 17, 31, 100, 127, 128}) {
      const int64_t queries = 1 + (keys * 5 + dim) % kInt16Lanes;
      SCOPED_TRACE(testing::Message() << keys << " keys, head dim " << dim);
      ExpectDefinition(kernels().attention_int16, Rows(queries, dim, 1, 3), Rows(keys, dim, 2, 3),
                       Rows(keys, dim, 3));
    }
  }
}

TEST_P(AttentionInt16, GivesTheBitsOfTheDefinitionForSizesFarApart) {
  for (const float size : {1e-38f, 1e-31f, 1e-20f, 30.0f, 1e6f, 1e18f}) {
    SCOPED_TRACE(size);
    ExpectDefinition(kernels().attention_int16, Rows(50, 40, 1, size), Rows(77, 40, 2, size),
                     Rows(77, 40, 3, size));
  }
  Rows q(64, 24, 1), k(128, 24, 2), v(128, 24, 3);
  q.at(3, 5) = kNan;
  q.at(9, 0) = -kInfinity;
  v.at(17, 23) = kInfinity;
  v.at(18, 1) = kNan;
  ExpectDefinition(kernels().attention_int16, q, k, v);
}

// All sums at the ends of their ranges: outputs are exact there, so a sum that wraps shows.
TEST_P(AttentionInt16, HoldsItsLargestSums) {
  const AttentionInt16Kernels& int16 = kernels().attention_int16;
  for (const int64_t dim : {16, 80, 127, 128, 200, 256}) {
    for (const float sign : {1.0f, -1.0f}) {
      SCOPED_TRACE(testing::Message() << dim << ", sign " << sign);
      // Half of the keys point along the query, half against it: the mean is zero and each channel
      // of each number is as large as can be.
      Rows q(64, dim, 1), k(128, dim, 2), v(128, dim, 3);
      for (int64_t c = 0; c < dim; ++c) {
        for (int64_t r = 0; r < 64; ++r) q.at(r, c) = 100;
        for (int64_t r = 0; r < 128; ++r) {
          k.at(r, c) = r % 2 == 0 ? 100.0f : -100.0f;
          v.at(r, c) = r % 2 == 0 ? 5 * sign : -5 * sign;
        }
      }
      const Packed packed(int16, q.view(), k.view(), v.view());
      State state(dim);
      state.Attend(int16, packed, 128, dim);
      const std::vector<float> out = state.Finish(int16, packed, 64, dim);
      for (int64_t i = 0; i < 64; ++i) {
        const auto exact = static_cast<double>(dim) * 1e4 * 1.44269504 / std::sqrt(dim);
        EXPECT_NEAR(state.maximum[static_cast<size_t>(i)], exact, exact * 1e-6);
        for (int64_t c = 0; c < dim; ++c) {
          ASSERT_NEAR(out[static_cast<size_t>(1 + i * (dim + kGap) + c)], 5 * sign, 2e-6) << c;
        }
      }
      // Equal keys: every power is the highest there is, every value the largest.
      for (int64_t r = 0; r < 128; ++r) {
        for (int64_t c = 0; c < dim; ++c) k.at(r, c) = 1, v.at(r, c) = 5 * sign;
      }
      const Packed equal(int16, q.view(), k.view(), v.view());
      State even(dim);
      even.Attend(int16, equal, 128, dim);
      EXPECT_LE(even.sum[0], static_cast<float>(kInt16Keys * kInt16PowerRange));
      EXPECT_GE(even.sum[0], static_cast<float>(kInt16Keys * 8190));
      EXPECT_NEAR(even.Finish(int16, equal, 1, dim)[1], 5 * sign, 2e-6);
    }
  }
}

// However large scores are, the highest of a block has the highest power.
TEST_P(AttentionInt16, PowersStayInRangeForHugeScores) {
  const AttentionInt16Kernels& int16 = kernels().attention_int16;
  for (const float size : {1.0f, 10.0f, 333.0f, 4e3f, 7e5f, 1e9f}) {
    const Rows q(64, 80, 11, size), k(128, 80, 12, size), v(128, 80, 13);
    const Packed packed(int16, q.view(), k.view(), v.view());
    State state(80);
    state.Attend(int16, packed, 128, 80);
    for (const float sum : state.sum) EXPECT_GE(sum, kInt16PowerRange - 2) << size;
    // The definition keeps its powers elsewhere.
    if (std::string_view(kernels().name).substr(0, 3) != "avx") continue;
    int64_t highest = 0;
    for (size_t i = 0; i < kInt16Lanes * kInt16Keys / 2; ++i) {
      highest = std::max<int64_t>({highest, state.scores[i] & 0xFFFF, state.scores[i] >> 16});
    }
    EXPECT_LE(highest, kInt16PowerRange) << size;
    EXPECT_GE(highest, kInt16PowerRange - 2) << size;
  }
}

TEST_P(AttentionInt16, WhatIsNotFiniteShowsInItsOutputs) {
  const AttentionInt16Kernels& int16 = kernels().attention_int16;
  for (const float bad : {kNan, kInfinity, -kInfinity}) {
    Rows q(64, 24, 1), k(128, 24, 2), v(128, 24, 3);
    q.at(5, 7) = bad;
    v.at(100, 9) = bad;
    const auto run = [&] {
      const Packed packed(int16, q.view(), k.view(), v.view());
      State state(24);
      state.Attend(int16, packed, 128, 24);
      state.Attend(int16, packed, 128, 24);
      return state.Finish(int16, packed, 64, 24);
    };
    std::vector<float> out = run();
    for (int64_t r = 0; r < 64; ++r) {
      for (int64_t c = 0; c < 24; ++c) {
        ASSERT_EQ(std::isfinite(out[static_cast<size_t>(1 + r * (24 + kGap) + c)]),
                  r != 5 && c != 9)
            << r << ", " << c;
      }
    }
    k.at(127, 23) = bad;
    out = run();
    for (int64_t c = 0; c < 24; ++c) EXPECT_FALSE(std::isfinite(out[static_cast<size_t>(1 + c)]));
  }
}

// The same on every architecture: a hash of all bits (FNV-1a).
TEST_P(AttentionInt16, BitsAreThoseOfEveryMachine) {
  const AttentionInt16Kernels& int16 = kernels().attention_int16;
  const Rows q(61, 75, 21, 4), k(111, 75, 22, 4), v(111, 75, 23);
  const Packed packed(int16, q.view(), k.view(), v.view());
  State state(75);
  state.Attend(int16, packed, 111, 75);
  state.Attend(int16, packed, 60, 75);
  uint64_t hash = 0xCBF29CE484222325u;
  for (const float x : state.Finish(int16, packed, 61, 75)) {
    hash = (hash ^ std::bit_cast<uint32_t>(x)) * 0x100000001B3u;
  }
  EXPECT_EQ(hash, 9614904934315368896u);
}

INSTANTIATE_TEST_SUITE_P(Tables, AttentionInt16, testing::ValuesIn(RunnableKernels()),
                         [](const auto& table) { return table.param->name; });

}  // namespace
}  // namespace octavo
