#include "ops/kv_layer.h"

#include <cmath>
#include <limits>

#include "ops/test_support.h"

namespace octavo::ops {
namespace {

constexpr int kHeads = 2, kDim = 6, kSize = 4;

// Two blocks of a layer; tokens go to block 1, then to block 0.
class Storage {
 public:
  explicit Storage(DType dtype)
      : head_bytes_(KvHeadBytes(dtype, kDim, kSize)),
        keys_(2 * kHeads * head_bytes_),
        values_(2 * kHeads * head_bytes_),
        layer_{keys_.data(), values_.data(), dtype, kHeads, kDim, kSize} {}

  void Append(std::vector<float> k, std::vector<float> v, int64_t num_cached, int64_t count) {
    const TestContext context(2);
    const KvSequence sequence{kTable, num_cached, count, 0};
    AppendKv(*context, layer_, std::span(&sequence, 1), Matrix(k, count), Matrix(v, count));
  }

  template <class T>
  T At(bool key, int64_t token, int64_t head, int64_t c) const {
    const int64_t slot = token % kSize;
    return Head<T>(key, token, head)[key ? c * kSize + slot : slot * kDim + c];
  }
  float Scale(bool key, int64_t token, int64_t head) const {
    return reinterpret_cast<const float*>(Head<int8_t>(key, token, head) +
                                          kSize * kDim)[token % kSize];
  }

 private:
  template <class T>
  const T* Head(bool key, int64_t token, int64_t head) const {
    const int64_t block = kTable[static_cast<size_t>(token / kSize)];
    return reinterpret_cast<const T*>((key ? keys_ : values_).data() +
                                      KvHeadOffset(layer_, block, head));
  }

  static constexpr int32_t kTable[] = {1, 0};
  size_t head_bytes_;
  std::vector<std::byte> keys_, values_;
  KvLayer layer_;
};

// Keys and values of seven tokens, in two steps.
struct Tokens {
  std::vector<float> k = RandomFloats(7 * kHeads * kDim, 1);
  std::vector<float> v = RandomFloats(7 * kHeads * kDim, 2);

  void AppendTo(Storage* storage) const {
    const auto part = [](const std::vector<float>& x, int64_t begin, int64_t end) {
      return std::vector<float>(x.begin() + begin * kHeads * kDim, x.begin() + end * kHeads * kDim);
    };
    storage->Append(part(k, 0, 3), part(v, 0, 3), 0, 3);
    storage->Append(part(k, 3, 7), part(v, 3, 7), 3, 4);
  }
  float At(bool key, int64_t token, int64_t head, int64_t c) const {
    return (key ? k : v)[static_cast<size_t>((token * kHeads + head) * kDim + c)];
  }
};

template <class Check>
void ForEachNumber(Check check) {
  for (const bool key : {true, false}) {
    for (int64_t token = 0; token < 7; ++token) {
      for (int64_t head = 0; head < kHeads; ++head) {
        for (int64_t c = 0; c < kDim; ++c) check(key, token, head, c);
      }
    }
  }
}

TEST(KvLayer, HeadsTakeTheirNumbersAndScales) {
  EXPECT_EQ(KvHeadBytes(DType::kF32, 64, 32), 8192u);
  EXPECT_EQ(KvHeadBytes(DType::kBF16, 64, 32), 4096u);
  EXPECT_EQ(KvHeadBytes(DType::kF16, 64, 32), 4096u);
  EXPECT_EQ(KvHeadBytes(DType::kI8, 64, 32), 2176u);
  EXPECT_FALSE(IsKvDType(DType::kF8E4M3));
}

TEST(KvLayer, KeepsFloatsRoundedToNearest) {
  const Tokens tokens;
  Storage f32(DType::kF32), bf16(DType::kBF16), f16(DType::kF16);
  for (Storage* storage : {&f32, &bf16, &f16}) tokens.AppendTo(storage);
  ForEachNumber([&](bool key, int64_t token, int64_t head, int64_t c) {
    const float want = tokens.At(key, token, head, c);
    EXPECT_EQ(f32.At<float>(key, token, head, c), want);
    EXPECT_EQ(bf16.At<uint16_t>(key, token, head, c), ToBFloat16(want).bits);
    EXPECT_EQ(f16.At<uint16_t>(key, token, head, c), ToFloat16(want).bits);
  });
}

TEST(KvLayer, KeepsBytesWithTheScaleOfTheirTokenAndHead) {
  const Tokens tokens;
  Storage storage(DType::kI8);
  tokens.AppendTo(&storage);
  ForEachNumber([&](bool key, int64_t token, int64_t head, int64_t c) {
    float greatest = 0;
    for (int64_t i = 0; i < kDim; ++i) {
      greatest = std::max(greatest, std::fabs(tokens.At(key, token, head, i)));
    }
    const float scale = storage.Scale(key, token, head);
    EXPECT_EQ(scale, greatest / 127);
    const float got = static_cast<float>(storage.At<int8_t>(key, token, head, c)) * scale;
    EXPECT_NEAR(got, tokens.At(key, token, head, c), scale * 0.5001f);
  });
}

TEST(KvLayer, BytesOfNothingOfTinyAndOfNoNumbers) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> x(kHeads * kDim, 0.0f);
  Storage zeros(DType::kI8);
  zeros.Append(x, x, 0, 1);
  EXPECT_EQ(zeros.Scale(true, 0, 0), 0);
  EXPECT_EQ(zeros.At<int8_t>(true, 0, 0, 0), 0);
  x.assign(x.size(), std::numeric_limits<float>::denorm_min());
  Storage tiny(DType::kI8);
  tiny.Append(x, x, 0, 1);
  EXPECT_EQ(tiny.At<int8_t>(false, 0, 1, 5), 0);
  for (const float bad : {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN()}) {
    x.assign(x.size(), 1);
    x[2] = bad;
    Storage storage(DType::kI8);
    storage.Append(x, x, 0, 1);
    EXPECT_FALSE(std::isfinite(storage.Scale(true, 0, 0))) << "must show";
    EXPECT_TRUE(std::isfinite(storage.Scale(true, 0, 1)));
  }
}

}  // namespace
}  // namespace octavo::ops
