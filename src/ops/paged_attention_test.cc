#include "ops/attention.h"

#include <algorithm>
#include <cmath>

#include "ops/test_support.h"

namespace octavo::ops {
namespace {

// Sequences of random tokens whose cache blocks lie scattered in one storage.
class Paged {
 public:
  static constexpr int kBlocks = 64;

  Paged(DType dtype, int kv_heads, int group, int dim, int block_size)
      : heads_(kv_heads * group), dim_(dim), kv_columns_(kv_heads * dim) {
    const size_t bytes =
        static_cast<size_t>(kBlocks * kv_heads) * KvHeadBytes(dtype, dim, block_size);
    // What was never stored reads as NaN.
    keys_.assign(bytes, std::byte{0xFF});
    values_.assign(bytes, std::byte{0xFF});
    layer_ = {keys_.data(), values_.data(), dtype, kv_heads, dim, block_size};
  }

  void AddSequence(int64_t length, uint64_t seed) {
    Sequence s;
    s.length = length;
    s.q = RandomFloats(length * heads_ * dim_, seed);
    s.k = RandomFloats(length * kv_columns_, seed + 1);
    s.v = RandomFloats(length * kv_columns_, seed + 2);
    for (float& value : s.q) value *= 4;
    s.out.resize(s.q.size());
    for (int64_t i = 0; i * layer_.block_size < length; ++i) {
      s.blocks.push_back((next_block_ * 37) % kBlocks);
      ++next_block_;
    }
    sequences_.push_back(std::move(s));
  }

  // Runs the next count[i] tokens of every sequence i in one step.
  void Advance(const Context& context, const std::vector<int64_t>& counts) {
    std::vector<float> q, k, v;
    std::vector<KvSequence> steps;
    int64_t row = 0;
    for (size_t i = 0; i < counts.size(); ++i) {
      Sequence& s = sequences_[i];
      steps.push_back({s.blocks, s.done, counts[i], row});
      row += counts[i];
      const auto append = [&](std::vector<float>& to, const std::vector<float>& from,
                              int64_t columns) {
        to.insert(to.end(), from.begin() + s.done * columns,
                  from.begin() + (s.done + counts[i]) * columns);
      };
      append(q, s.q, heads_ * dim_);
      append(k, s.k, kv_columns_);
      append(v, s.v, kv_columns_);
    }
    std::vector<float> out(q.size());
    AppendKv(context, layer_, steps, Matrix(k, row), Matrix(v, row));
    PagedAttention(context, layer_, steps, 0.125f, Matrix(q, row), Matrix(out, row));
    for (size_t i = 0; i < counts.size(); ++i) {
      Sequence& s = sequences_[i];
      const int64_t columns = heads_ * dim_;
      std::copy_n(out.begin() + steps[i].first_row * columns, counts[i] * columns,
                  s.out.begin() + s.done * columns);
      s.done += counts[i];
    }
  }

  const std::vector<float>& Output(size_t i) const { return sequences_[i].out; }

  std::vector<double> Expected(size_t i) const {
    Sequence s = sequences_[i];
    s.k = Stored(s.k);
    s.v = Stored(s.v);
    const Naive naive{s.k, s.v, kv_columns_, dim_};
    const int64_t group = heads_ / layer_.num_kv_heads;
    std::vector<double> want;
    for (int64_t t = 0; t < s.length; ++t) {
      for (int64_t h = 0; h < heads_; ++h) {
        const std::vector<double> out =
            naive.Attend(s.q.data() + (t * heads_ + h) * dim_, 0.125f, 0, t + 1, h / group * dim_);
        want.insert(want.end(), out.begin(), out.end());
      }
    }
    return want;
  }

 private:
  // What the cache keeps of numbers.
  std::vector<float> Stored(std::vector<float> x) const {
    if (layer_.dtype == DType::kI8) {
      for (size_t begin = 0; begin < x.size(); begin += static_cast<size_t>(dim_)) {
        float greatest = 0;
        for (int64_t c = 0; c < dim_; ++c) greatest = std::max(greatest, std::fabs(x[begin + c]));
        const float scale = greatest / 127;
        for (int64_t c = 0; c < dim_; ++c) {
          x[begin + c] = std::nearbyint(x[begin + c] / scale) * scale;
        }
      }
    }
    for (float& value : x) {
      if (layer_.dtype == DType::kBF16) value = ToFloat(ToBFloat16(value));
      if (layer_.dtype == DType::kF16) value = ToFloat(ToFloat16(value));
    }
    return x;
  }

  struct Sequence {
    int64_t length = 0, done = 0;
    std::vector<float> q, k, v, out;
    std::vector<int32_t> blocks;
  };
  int64_t heads_, dim_, kv_columns_;
  int32_t next_block_ = 5;
  KvLayer layer_;
  std::vector<std::byte> keys_, values_;
  std::vector<Sequence> sequences_;
};

TEST(PagedAttention, MatchesNaive) {
  const TestContext context;
  for (const DType dtype : {DType::kF32, DType::kBF16, DType::kF16, DType::kI8}) {
    for (const int dim : {6, 64, 80}) {
      for (const int block_size : {4, 32}) {
        SCOPED_TRACE(testing::Message()
                     << DTypeName(dtype) << ", head dim " << dim << ", blocks of " << block_size);
        Paged paged(dtype, 2, 3, dim, block_size);
        paged.AddSequence(150, 1);
        paged.Advance(*context, {150});
        ExpectWithin(paged.Output(0), paged.Expected(0), 2e-6);
      }
    }
  }
}

TEST(PagedAttention, BitsDoNotDependOnChunks) {
  const TestContext context;
  for (const DType dtype : {DType::kF32, DType::kBF16, DType::kF16, DType::kI8}) {
    constexpr int64_t kLength = 300;
    Paged whole(dtype, 2, 6, 64, 32);
    whole.AddSequence(kLength, 1);
    whole.Advance(*context, {kLength});
    for (const int64_t chunk : {1, 3, 7, 32, 131}) {
      Paged pieces(dtype, 2, 6, 64, 32);
      pieces.AddSequence(kLength, 1);
      for (int64_t done = 0; done < kLength; done += chunk) {
        pieces.Advance(*context, {std::min(chunk, kLength - done)});
      }
      EXPECT_TRUE(SameBits(whole.Output(0), pieces.Output(0)))
          << DTypeName(dtype) << ", chunks of " << chunk;
    }
  }
}

TEST(PagedAttention, BitsDoNotDependOnNeighboursOrThreads) {
  const TestContext one(1);
  Paged alone(DType::kF32, 2, 2, 64, 32);
  alone.AddSequence(140, 1);
  alone.Advance(*one, {139});
  alone.Advance(*one, {1});
  for (const int threads : {1, 2, 4}) {
    const TestContext several(threads);
    Paged batch(DType::kF32, 2, 2, 64, 32);
    batch.AddSequence(140, 1);
    batch.AddSequence(60, 11);
    batch.AddSequence(90, 21);
    batch.Advance(*several, {139, 3, 40});
    batch.Advance(*several, {1, 57, 0});
    batch.Advance(*several, {0, 0, 50});
    EXPECT_TRUE(SameBits(alone.Output(0), batch.Output(0))) << threads << " threads";
    ExpectWithin(batch.Output(1), batch.Expected(1), 2e-6);
    ExpectWithin(batch.Output(2), batch.Expected(2), 2e-6);
  }
}

}  // namespace
}  // namespace octavo::ops
