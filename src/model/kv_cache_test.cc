#include "model/kv_cache.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <set>

#include "base/memory_info.h"
#include "octavo/error.h"

namespace octavo {
namespace {

TextConfig Config(int layers, int kv_heads, int head_dim) {
  TextConfig config;
  config.num_hidden_layers = layers;
  config.num_attention_heads = kv_heads;
  config.num_key_value_heads = kv_heads;
  config.hidden_size = kv_heads * head_dim;
  return config;
}

TEST(KvCache, TakesWhatThePublishedModelTakes) {
  // MinerU2.5-2509-1.2B: 24 layers, 2 heads of 64; 16 bits.
  EXPECT_EQ(KvCache::BytesPerToken(Config(24, 2, 64), DType::kBF16), 12288u);
  const KvCache cache(Config(24, 2, 64), DType::kBF16, 4);
  EXPECT_EQ(cache.bytes_per_block(), 12288u * kKvBlockSize);
}

TEST(KvCache, BytesTakeHalfAndTheirScales) {
  // 24 layers x keys and values x 2 heads x (64 bytes and a scale of f32).
  EXPECT_EQ(KvCache::BytesPerToken(Config(24, 2, 64), DType::kI8), 24u * 2 * 2 * (64 + 4));
  EXPECT_EQ(KvCache::BytesPerToken(Config(24, 2, 64), DType::kF16), 12288u);
}

TEST(KvCache, TypesHaveNames) {
  for (const char* name : {"f32", "bf16", "f16", "int8"}) {
    const std::optional<DType> dtype = ParseKvCacheDType(name);
    ASSERT_TRUE(dtype.has_value()) << name;
    EXPECT_EQ(KvCacheDTypeName(*dtype), name);
  }
  EXPECT_FALSE(ParseKvCacheDType("fp8").has_value());
}

TEST(KvCache, LayersDoNotOverlap) {
  const TextConfig config = Config(3, 2, 16);
  const KvCache cache(config, DType::kF32, 5);
  const size_t all = size_t{5} * 2 * kKvBlockSize * 16 * sizeof(float);
  std::set<std::byte*> begins;
  for (int layer = 0; layer < 3; ++layer) {
    const ops::KvLayer kv = cache.Layer(layer);
    EXPECT_EQ(kv.num_kv_heads, 2);
    EXPECT_EQ(kv.head_dim, 16);
    EXPECT_EQ(kv.block_size, kKvBlockSize);
    for (std::byte* begin : {kv.keys, kv.values}) {
      std::memset(begin, layer + 1, all);
      begins.insert(begin);
    }
  }
  EXPECT_EQ(begins.size(), 6u);
  for (int layer = 0; layer < 3; ++layer) {
    EXPECT_EQ(cache.Layer(layer).keys[0], std::byte(layer + 1));
    EXPECT_EQ(cache.Layer(layer).values[all - 1], std::byte(layer + 1));
  }
}

TEST(KvCache, CostsMemoryOnlyForBlocksThatAreWritten) {
  const TextConfig config = Config(24, 2, 64);
  const int64_t before = ResidentBytes();
  KvCache cache(config, DType::kBF16, 4096);  // 1.6 GB
  EXPECT_LT(ResidentBytes() - before, int64_t{16} << 20);
  const size_t piece = size_t{2} * kKvBlockSize * 64 * 2;
  for (int layer = 0; layer < 24; ++layer) {
    for (size_t block = 0; block < 100; ++block) {
      std::memset(cache.Layer(layer).keys + block * piece, 1, piece);
      std::memset(cache.Layer(layer).values + block * piece, 1, piece);
    }
  }
  const int64_t full = ResidentBytes();
  EXPECT_GT(full - before, int64_t{35} << 20);
  for (int32_t block = 0; block < 100; ++block) cache.Discard(block);
  EXPECT_LT(ResidentBytes(), full - (int64_t{35} << 20));
}

TEST(KvCache, RefusesMoreThanTheAddressSpace) {
  EXPECT_THROW(KvCache(Config(1024, 1024, 64), DType::kF32, std::numeric_limits<int>::max()),
               Error);
}

}  // namespace
}  // namespace octavo
