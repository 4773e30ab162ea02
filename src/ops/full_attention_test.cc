#include "ops/attention.h"

#include "ops/test_support.h"

namespace octavo::ops {
namespace {

struct Vision {
  int64_t rows;
  int heads, dim;
  std::vector<int64_t> cu;
  std::vector<float> q, k, v;

  Vision(std::vector<int64_t> cu_seqlens, int num_heads, int head_dim, float sharpness = 3)
      : rows(cu_seqlens.back()), heads(num_heads), dim(head_dim), cu(std::move(cu_seqlens)) {
    q = RandomFloats(rows * heads * dim, 1);
    k = RandomFloats(rows * heads * dim, 2);
    v = RandomFloats(rows * heads * dim, 3);
    for (float& value : q) value *= sharpness;
  }
  FullAttentionArgs Args(std::vector<float>& out) {
    FullAttentionArgs args;
    args.q = Matrix(q, rows);
    args.k = Matrix(k, rows);
    args.v = Matrix(v, rows);
    args.out = Matrix(out, rows);
    args.num_heads = heads;
    args.head_dim = dim;
    args.scale = 1.0f / std::sqrt(static_cast<float>(dim));
    args.cu_seqlens = cu;
    return args;
  }
  std::vector<double> Expected() const {
    const Naive naive{k, v, heads * dim, dim};
    std::vector<double> want;
    for (size_t s = 0; s + 1 < cu.size(); ++s) {
      for (int64_t r = cu[s]; r < cu[s + 1]; ++r) {
        for (int64_t h = 0; h < heads; ++h) {
          const std::vector<double> out =
              naive.Attend(q.data() + (r * heads + h) * dim,
                           1.0f / std::sqrt(static_cast<float>(dim)), cu[s], cu[s + 1], h * dim);
          want.insert(want.end(), out.begin(), out.end());
        }
      }
    }
    return want;
  }
};

std::vector<float> RunFull(const Context& context, Vision& vision) {
  std::vector<float> out(vision.q.size());
  const FullAttentionArgs args = vision.Args(out);
  F32Heads heads(vision.heads, vision.dim, vision.rows);
  FullAttention(context, args, &heads, 0, FullAttentionTasks(args));
  return out;
}

TEST(FullAttention, MatchesNaiveForOddLengthsAndHeadDims) {
  const TestContext context;
  for (const int dim : {1, 7, 16, 64, 80}) {
    for (const int64_t rows : {1, 15, 64, 97, 200}) {
      SCOPED_TRACE(testing::Message() << rows << " rows, head dim " << dim);
      Vision vision({0, rows}, 2, dim);
      ExpectWithin(RunFull(*context, vision), vision.Expected(), 2e-6);
    }
  }
}

TEST(FullAttention, KeepsSegmentsApart) {
  const TestContext context;
  Vision vision({0, 70, 70, 71, 230}, 3, 24);
  ExpectWithin(RunFull(*context, vision), vision.Expected(), 2e-6);
}

TEST(FullAttention, HoldsForPeakedScores) {
  const TestContext context;
  Vision vision({0, 150}, 1, 64, 200);
  ExpectWithin(RunFull(*context, vision), vision.Expected(), 2e-4);
}

TEST(FullAttention, BitsDoNotDependOnThreadsOrSplit) {
  Vision vision({0, 130, 300}, 2, 80);
  const TestContext one(1);
  const std::vector<float> want = RunFull(*one, vision);
  for (const int threads : {2, 4}) {
    const TestContext several(threads);
    EXPECT_TRUE(SameBits(want, RunFull(*several, vision))) << threads << " threads";
  }
  std::vector<float> out(vision.q.size());
  const FullAttentionArgs args = vision.Args(out);
  F32Heads heads(vision.heads, vision.dim, vision.rows);
  for (int64_t task = FullAttentionTasks(args) - 1; task >= 0; --task) {
    FullAttention(*one, args, &heads, task, 1);
  }
  EXPECT_TRUE(SameBits(want, out));
}

TEST(FullAttention, WritesOverItsQueries) {
  const TestContext context;
  Vision vision({0, 130}, 2, 40);
  const std::vector<float> want = RunFull(*context, vision);
  FullAttentionArgs args = vision.Args(vision.q);
  F32Heads heads(vision.heads, vision.dim, vision.rows);
  FullAttention(*context, args, &heads, 0, FullAttentionTasks(args));
  EXPECT_TRUE(SameBits(want, vision.q));
}

TEST(FullAttention, PacksAgainWhenKeysHaveChanged) {
  const TestContext context;
  Vision vision({0, 100}, 2, 40);
  F32Heads heads(2, 40, 100);
  std::vector<float> out(vision.q.size());
  const FullAttentionArgs args = vision.Args(out);
  FullAttention(*context, args, &heads, 0, FullAttentionTasks(args));
  for (float& k : vision.k) k = -2 * k;
  for (float& v : vision.v) v = 3 * v;
  heads.Clear();
  FullAttention(*context, args, &heads, 0, FullAttentionTasks(args));
  ExpectWithin(out, vision.Expected(), 1e-5);
}

TEST(F32Heads, HoldAPageInAFewMegabytes) {
  EXPECT_LT(F32Heads::Bytes(16, 80, 5476), size_t{4} << 20);
  EXPECT_EQ(F32Heads(16, 80, 256).heads_per_group(), 16);
  EXPECT_EQ(F32Heads(16, 80, 5476).heads_per_group(), 1);
  EXPECT_EQ(F32Heads(16, 80, 20000).heads_per_group(), 1);
}

}  // namespace
}  // namespace octavo::ops
