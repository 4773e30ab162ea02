#include "ops/full_attention_int16.h"

#include <cmath>
#include <functional>
#include <limits>

#include "ops/test_support.h"

namespace octavo::ops {
namespace {

constexpr double kBound = 0.002;  // of the outputs' size

// Nearly normal numbers: the sum of four uniform ones, of variance 1.
float Normal(Random* random) {
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum += random->Uniform(-1.0f, 1.0f);
  return sum * std::sqrt(0.75f);
}

struct Vision {
  std::vector<int64_t> cu;
  int heads, dim;
  int64_t rows;
  std::vector<float> q, k, v;

  // q and k of this deviation; k with a mean of its own in every channel.
  Vision(std::vector<int64_t> cu_seqlens, int num_heads, int head_dim, float sharpness = 1,
         float mean = 2)
      : cu(std::move(cu_seqlens)), heads(num_heads), dim(head_dim), rows(cu.back()) {
    Random random(5);
    const int64_t columns = int64_t{heads} * dim;
    std::vector<float> means(static_cast<size_t>(columns));
    for (float& m : means) m = mean * Normal(&random);
    for (int64_t i = 0; i < rows * columns; ++i) {
      q.push_back(sharpness * Normal(&random));
      k.push_back(sharpness * Normal(&random) + means[static_cast<size_t>(i % columns)]);
      v.push_back(Normal(&random));
    }
  }
  FullAttentionArgs Args(std::vector<float>& out) {
    FullAttentionArgs args;
    args.q = FloatMatrix(q.data(), rows, int64_t{heads} * dim);
    args.k = FloatMatrix(k.data(), rows, int64_t{heads} * dim);
    args.v = FloatMatrix(v.data(), rows, int64_t{heads} * dim);
    args.out = FloatMatrix(out.data(), rows, int64_t{heads} * dim);
    args.num_heads = heads;
    args.head_dim = dim;
    args.scale = 1.0f / std::sqrt(static_cast<float>(dim));
    args.cu_seqlens = cu;
    return args;
  }
  int64_t Longest() const {
    int64_t longest = 0;
    for (size_t s = 0; s + 1 < cu.size(); ++s) longest = std::max(longest, cu[s + 1] - cu[s]);
    return longest;
  }
  // One head of one row, in double.
  std::vector<double> Expected(int64_t row, int64_t head) const {
    size_t s = 0;
    while (cu[s + 1] <= row) ++s;
    const Naive naive{k, v, heads * dim, dim};
    return naive.Attend(q.data() + (row * heads + head) * dim,
                        1.0f / std::sqrt(static_cast<float>(dim)), cu[s], cu[s + 1], head * dim);
  }
  std::vector<float> Got(const std::vector<float>& out, int64_t row, int64_t head) const {
    const float* p = out.data() + (row * heads + head) * dim;
    return {p, p + dim};
  }
};

std::vector<float> RunInt16(const Context& context, Vision& vision) {
  std::vector<float> out(vision.q.size());
  const FullAttentionArgs args = vision.Args(out);
  Int16Heads heads(vision.heads, vision.dim, vision.Longest());
  FullAttentionInt16(context, args, &heads, 0, FullAttentionInt16Tasks(args));
  return out;
}

// Root of the squares of all differences over that of all outputs, in rows `step` apart. `channels`
// are those that count.
double Error(const Vision& vision, const std::vector<float>& out, int64_t step = 1,
             int64_t first_channel = 0, int64_t channels = 1000) {
  double difference = 0, size = 0;
  for (int64_t row = 0; row < vision.rows; row += step) {
    for (int64_t head = 0; head < vision.heads; ++head) {
      const std::vector<double> want = vision.Expected(row, head);
      const std::vector<float> got = vision.Got(out, row, head);
      for (int64_t c = first_channel; c < std::min<int64_t>(vision.dim, channels); ++c) {
        const auto i = static_cast<size_t>(c);
        difference += (got[i] - want[i]) * (got[i] - want[i]);
        size += want[i] * want[i];
      }
    }
  }
  return std::sqrt(difference / size);
}

TEST(FullAttentionInt16, IsWithinTwoThousandthsForFlatAndForPeakedHeads) {
  const TestContext context;
  for (const float sharpness : {0.3f, 1.0f, 1.5f, 2.0f}) {
    Vision vision({0, 300}, 2, 80, sharpness);
    const double error = Error(vision, RunInt16(*context, vision), 3);
    std::printf("300 rows, sharpness %.1f: error %.4f %%\n", sharpness, 100 * error);
    EXPECT_LT(error, kBound) << sharpness;
  }
}

TEST(FullAttentionInt16, IsWithinTwoThousandthsForAWholePage) {
  const TestContext context;
  for (const float sharpness : {0.3f, 1.0f, 1.5f, 2.0f}) {
    Vision vision({0, 5476}, 1, 80, sharpness);
    std::vector<float> out(vision.q.size());
    const FullAttentionArgs args = vision.Args(out);
    Int16Heads heads(1, 80, 5476);
    // The first and the last block of queries.
    const int64_t tasks = FullAttentionInt16Tasks(args);
    FullAttentionInt16(*context, args, &heads, 0, 1);
    FullAttentionInt16(*context, args, &heads, tasks - 1, 1);
    double error = 0;
    int num_rows = 0;
    for (const int64_t row : {0, 17, 40, 63, 5440, 5459, 5475}) {
      const std::vector<double> want = vision.Expected(row, 0);
      const std::vector<float> got = vision.Got(out, row, 0);
      double difference = 0, size = 0;
      for (size_t c = 0; c < want.size(); ++c) {
        difference += (got[c] - want[c]) * (got[c] - want[c]);
        size += want[c] * want[c];
      }
      error += difference / size;
      ++num_rows;
    }
    error = std::sqrt(error / num_rows);
    std::printf("5476 rows, sharpness %.1f: error %.4f %%\n", sharpness, 100 * error);
    EXPECT_LT(error, kBound) << sharpness;
  }
}

TEST(FullAttentionInt16, HoldsForEveryLengthAndHeadDim) {
  const TestContext context;
  for (const int dim : {1, 16, 32, 64, 72, 80, 96, 128}) {
    for (int64_t rows = 1; rows <= 40; ++rows) {
      Vision vision({0, rows}, 2, dim);
      EXPECT_LT(Error(vision, RunInt16(*context, vision)), kBound) << rows << " rows of " << dim;
    }
    for (const int64_t rows : {63, 64, 65, 127, 128, 129, 200}) {
      Vision vision({0, rows}, 1, dim);
      EXPECT_LT(Error(vision, RunInt16(*context, vision), 7), kBound) << rows << " rows of " << dim;
    }
  }
}

TEST(FullAttentionInt16, KeepsSegmentsApart) {
  const TestContext context;
  for (const std::vector<int64_t>& cu : std::vector<std::vector<int64_t>>{
           {0, 0, 70, 70, 71, 230}, {0, 1, 2, 3}, {0, 128, 256, 257}, {0, 0}}) {
    Vision vision(cu, 3, 24);
    const std::vector<float> out = RunInt16(*context, vision);
    if (vision.rows > 0) {
      EXPECT_LT(Error(vision, out), kBound);
    }
  }
}

TEST(FullAttentionInt16, HoldsForUnusualKeysAndValues) {
  const TestContext context;
  const auto error = [&](const std::function<void(Vision*)>& change, float mean = 2) {
    Vision vision({0, 300}, 1, 64, 1, mean);
    change(&vision);
    return Error(vision, RunInt16(*context, vision), 5);
  };
  EXPECT_LT(error([](Vision*) {}, 1000), kBound) << "large common mean";
  const auto constant = [](Vision* vision) {
    for (size_t i = 0; i < vision->k.size(); ++i) vision->k[i] = static_cast<float>(i % 64) - 20;
  };
  EXPECT_LT(error(constant), kBound) << "constant keys";
  const auto dominant = [](Vision* vision) {
    for (size_t c = 0; c < 64; ++c) vision->k[150 * 64 + c] *= 50;
  };
  EXPECT_LT(error(dominant), kBound) << "one dominant key";
  const auto peaked = [](Vision* vision) {
    for (float& q : vision->q) q *= 40;
  };
  EXPECT_LT(error(peaked), kBound) << "one key a query";
  const auto nothing = [](Vision* vision) {
    for (float& q : vision->q) q = 0;
  };
  EXPECT_LT(error(nothing), kBound) << "queries of zero";
  const auto tiny = [](Vision* vision) {
    for (float& v : vision->v) v *= 1e-20f;
  };
  EXPECT_LT(error(tiny), kBound) << "tiny values";
}

// A channel far larger than the others costs them nothing: scales of values are per channel.
TEST(FullAttentionInt16, AnOutlierChannelOfTheValuesLeavesTheOthersAlone) {
  const TestContext context;
  Vision vision({0, 300}, 1, 64);
  for (size_t i = 0; i < vision.v.size(); i += 64) vision.v[i] *= 1e4f;
  const std::vector<float> out = RunInt16(*context, vision);
  EXPECT_LT(Error(vision, out, 5, 0, 1), kBound);
  EXPECT_LT(Error(vision, out, 5, 1), kBound);
}

TEST(FullAttentionInt16, BitsDoNotDependOnThreadsSplitOrTable) {
  Vision vision({0, 130, 300}, 3, 80);
  const TestContext one(1);
  const std::vector<float> want = RunInt16(*one, vision);
  for (const int threads : {2, 4}) {
    const TestContext several(threads);
    EXPECT_TRUE(SameBits(want, RunInt16(*several, vision))) << threads << " threads";
  }
  for (const KernelTable* table : RunnableKernels()) {
    const TestContext other(2, *table);
    EXPECT_TRUE(SameBits(want, RunInt16(*other, vision))) << table->name;
  }
  std::vector<float> out(vision.q.size());
  const FullAttentionArgs args = vision.Args(out);
  Int16Heads heads(vision.heads, vision.dim, vision.Longest());
  for (int64_t task = FullAttentionInt16Tasks(args) - 1; task >= 0; --task) {
    FullAttentionInt16(*one, args, &heads, task, 1);
  }
  EXPECT_TRUE(SameBits(want, out));
  std::vector<float> again(vision.q.size());
  const FullAttentionArgs pieces = vision.Args(again);
  heads.Clear();
  int64_t step = 1;
  for (int64_t task = 0; task < FullAttentionInt16Tasks(pieces); task += step) {
    step = std::min(step % 4 + 1, FullAttentionInt16Tasks(pieces) - task);
    FullAttentionInt16(*one, pieces, &heads, task, step);
  }
  EXPECT_TRUE(SameBits(want, again));
}

TEST(FullAttentionInt16, PacksAgainWhenKeysHaveChanged) {
  const TestContext context;
  Vision vision({0, 100}, 2, 40);
  Int16Heads heads(2, 40, 100);
  std::vector<float> out(vision.q.size());
  const FullAttentionArgs args = vision.Args(out);
  FullAttentionInt16(*context, args, &heads, 0, FullAttentionInt16Tasks(args));
  for (float& k : vision.k) k = -2 * k;
  for (float& v : vision.v) v = 3 * v;
  heads.Clear();
  FullAttentionInt16(*context, args, &heads, 0, FullAttentionInt16Tasks(args));
  EXPECT_LT(Error(vision, out), kBound);
}

TEST(FullAttentionInt16, WritesOverItsQueries) {
  const TestContext context;
  Vision vision({0, 130}, 2, 40);
  const std::vector<float> want = RunInt16(*context, vision);
  FullAttentionArgs args = vision.Args(vision.q);
  Int16Heads heads(2, 40, 130);
  FullAttentionInt16(*context, args, &heads, 0, FullAttentionInt16Tasks(args));
  EXPECT_TRUE(SameBits(want, vision.q));
}

TEST(FullAttentionInt16, TellsOfNumbersThatAreNotFinite) {
  const TestContext context;
  Vision vision({0, 50, 100}, 1, 16);
  vision.k[60 * 16 + 3] = std::numeric_limits<float>::infinity();
  const std::vector<float> out = RunInt16(*context, vision);
  for (size_t i = 0; i < out.size(); ++i) EXPECT_EQ(std::isfinite(out[i]), i < 50 * 16) << i;
}

TEST(Int16Heads, HoldAPageInAFewMegabytes) {
  EXPECT_LT(Int16Heads::Bytes(16, 80, 5476), size_t{4} << 20);
  EXPECT_EQ(Int16Heads(16, 80, 256).heads_per_group(), 16);
  EXPECT_EQ(Int16Heads(16, 80, 5476).heads_per_group(), 2);
  EXPECT_EQ(Int16Heads(16, 80, 20000).heads_per_group(), 1);
}

}  // namespace
}  // namespace octavo::ops
