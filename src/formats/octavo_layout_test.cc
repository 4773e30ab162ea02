#include "formats/octavo_layout.h"

#include <cstring>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "base/xxh.h"
#include "octavo/error.h"
#include "testing/container_bytes.h"
#include "testing/damage.h"

namespace octavo {
namespace {

using octavo::testing::AsBytes;

constexpr GroupLayout kW4 = {.bits = 4, .group_size = 32, .scale_dtype = DType::kBF16};
constexpr GroupLayout kW8 = {.bits = 8, .group_size = 64, .is_7bit = true};

OctavoIndex SampleIndex() {
  OctavoIndex index;
  index.texts = {{"config.json", {0, 100, 1}}, {"empty.txt", {0, 0, 2}}};
  index.tensors = {
      {"norm", Shape{7}, {}, {0, 0, 3}},
      {"conv", Shape{20, 3, 2, 1, 5}, PackedLayout::Float(DType::kF32, 20, 30), {0, 0, 4}},
      {"half", Shape{16, 9}, PackedLayout::Float(DType::kBF16, 16, 9), {0, 0, 5}},
      {"four", Shape{17, 64}, PackedLayout::Quantized(kW4, 17, 64), {0, 0, 6}},
      {"eight", Shape{1, 128}, PackedLayout::Quantized(kW8, 1, 128), {0, 0, 7}},
  };
  PlaceOctavo(&index);
  return index;
}

// A file whose data are zeros, which nothing here looks at.
std::string SampleFile() {
  const OctavoIndex index = SampleIndex();
  std::string bytes = WriteOctavoIndex(index);
  bytes.resize(static_cast<size_t>(index.file_bytes), '\0');
  return bytes;
}

// Gives damaged bytes the checksums that fit them, so that the checks behind those are reached.
void Seal(std::string* bytes) {
  uint64_t index_bytes = 0;
  std::memcpy(&index_bytes, bytes->data() + 24, 8);
  if (index_bytes <= bytes->size() - 64) {
    const uint64_t hash = Xxh64(AsBytes(*bytes).subspan(64, index_bytes));
    std::memcpy(bytes->data() + 48, &hash, 8);
  }
  const uint64_t hash = Xxh64(AsBytes(*bytes).first(56));
  std::memcpy(bytes->data() + 56, &hash, 8);
}

// The message of the refusal; "" if the bytes were accepted.
std::string Refusal(const std::string& bytes) {
  try {
    ReadOctavoIndex(AsBytes(bytes), "x.octavo");
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).rfind("x.octavo: ", 0), 0u) << error.what();
    return error.what();
  }
  return "";
}

TEST(OctavoLayout, IndexComesBackAsItWasWritten) {
  const std::string bytes = SampleFile();
  const OctavoIndex expected = SampleIndex();
  const OctavoIndex got = ReadOctavoIndex(AsBytes(bytes), "x.octavo");
  EXPECT_EQ(got.file_bytes, bytes.size());
  EXPECT_EQ(got.index_end, expected.index_end);
  ASSERT_EQ(got.texts.size(), expected.texts.size());
  ASSERT_EQ(got.tensors.size(), expected.tensors.size());
  for (size_t i = 0; i < got.texts.size(); ++i) {
    EXPECT_EQ(got.texts[i].name, expected.texts[i].name);
    EXPECT_EQ(got.texts[i].bytes.offset % 64, 0u);
    EXPECT_EQ(got.texts[i].bytes.hash, i + 1);
  }
  for (size_t i = 0; i < got.tensors.size(); ++i) {
    EXPECT_EQ(got.tensors[i].name, expected.tensors[i].name);
    EXPECT_EQ(got.tensors[i].shape, expected.tensors[i].shape);
    if (got.tensors[i].is_matrix()) {
      EXPECT_EQ(got.tensors[i].layout, expected.tensors[i].layout);
    }
    EXPECT_EQ(got.tensors[i].bytes.offset % 4096, 0u);
    EXPECT_EQ(got.tensors[i].bytes.size, expected.tensors[i].bytes.size);
    EXPECT_EQ(got.tensors[i].bytes.hash, i + 3);
  }
  EXPECT_EQ(got.tensors[0].bytes.size, 28u);
  EXPECT_EQ(got.tensors[3].bytes.size, 2u * 2 * (256 + 64));
  EXPECT_EQ(got.tensors[4].bytes.size, 2u * (1024 + 64));
}

// The bytes that docs/formats.md promises.
TEST(OctavoLayout, FieldsLieWhereTheDocumentSaysThey) {
  const std::string bytes = SampleFile();
  const auto u32 = [&](size_t at) {
    uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, 4);
    return value;
  };
  const auto u64 = [&](size_t at) {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, 8);
    return value;
  };
  EXPECT_EQ(bytes.substr(0, 8), std::string("octavo\0\x1a", 8));
  EXPECT_EQ(u32(8), 0u);
  EXPECT_EQ(u32(12), 2u);
  EXPECT_EQ(u32(16), 5u);
  EXPECT_EQ(u32(20), 41u);  // names
  EXPECT_EQ(u64(24), 2u * 32 + 5 * 96 + 41);
  EXPECT_EQ(u64(32), bytes.size());
  EXPECT_EQ(u64(40), 0u);
  EXPECT_EQ(u64(48), Xxh64(AsBytes(bytes).subspan(64, 2 * 32 + 5 * 96 + 41)));
  EXPECT_EQ(u64(56), Xxh64(AsBytes(bytes).first(56)));
  EXPECT_EQ(u64(64), 704u);  // config.json: 64 + 585 rounded up to 64
  EXPECT_EQ(u64(72), 100u);
  EXPECT_EQ(u64(80), 1u);
  EXPECT_EQ(u32(88), 11u);
  const size_t four = 64 + 2 * 32 + 3 * 96;
  EXPECT_EQ(u64(four) % 4096, 0u);
  EXPECT_EQ(u64(four + 8), 1280u);
  EXPECT_EQ(u64(four + 16), 6u);
  EXPECT_EQ(u32(four + 24), 4u);   // name
  EXPECT_EQ(u32(four + 28), 4u);   // encoding
  EXPECT_EQ(u32(four + 32), 2u);   // rank
  EXPECT_EQ(u32(four + 36), 32u);  // group size
  EXPECT_EQ(u64(four + 40), 17u);
  EXPECT_EQ(u64(four + 48), 64u);
  EXPECT_EQ(u64(four + 56), 0u);
  EXPECT_EQ(u32(four + 80), 2u);  // scales are BF16
  EXPECT_EQ(u32(four + 84), 0u);
  EXPECT_EQ(u32(four + 96 + 28), 5u);
  EXPECT_EQ(u32(four + 96 + 80), 1u);
  EXPECT_EQ(u32(four + 96 + 84), 1u);  // +-63
  EXPECT_EQ(bytes.substr(64 + 2 * 32 + 5 * 96, 41), "config.jsonempty.txtnormconvhalffoureight");
}

TEST(OctavoLayout, EveryFlippedBitOfHeaderAndIndexIsRefused) {
  const std::string bytes = SampleFile();
  const size_t head = static_cast<size_t>(SampleIndex().index_end);
  for (size_t at = 0; at < head; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      EXPECT_NE(Refusal(damaged), "") << "byte " << at << " bit " << bit;
    }
  }
}

TEST(OctavoLayout, EveryTruncationIsRefused) {
  const std::string bytes = SampleFile();
  const size_t head = static_cast<size_t>(SampleIndex().index_end);
  for (size_t size = 0; size < bytes.size(); size += size < head + 200 ? 1 : 509) {
    EXPECT_NE(Refusal(octavo::testing::CutCopy(bytes, size)), "") << size;
  }
  for (const OctavoTensor& tensor : SampleIndex().tensors) {
    const uint64_t end = tensor.bytes.offset + tensor.bytes.size;
    for (const uint64_t size : {tensor.bytes.offset, end - 1, end}) {
      if (size == bytes.size()) continue;
      EXPECT_NE(Refusal(bytes.substr(0, static_cast<size_t>(size))), "") << size;
    }
  }
  EXPECT_NE(Refusal(bytes + '\0'), "");
}

TEST(OctavoLayout, EveryFieldDamagedUnderGoodChecksumsIsRefused) {
  constexpr size_t kText = 64;
  constexpr size_t kNorm = 64 + 2 * 32;
  constexpr size_t kConv = kNorm + 96;
  constexpr size_t kFour = kNorm + 3 * 96;
  constexpr size_t kNames = kNorm + 5 * 96;
  const struct {
    size_t at;
    uint64_t value;
    int width;
    const char* reason;
  } cases[] = {
      {8, 1, 4, "version 1"},
      {12, 1, 4, "an index of"},
      {12, 0x7FFFFFFF, 4, "texts and"},
      {16, 6, 4, "an index of"},
      {16, 0xFFFFFFFF, 4, "tensors, expected at most"},
      {20, 0, 4, "an index of"},
      {24, ~uint64_t{0}, 8, "an index of"},
      {24, 584, 8, "an index of"},
      {32, 1 << 20, 8, "are there"},
      {40, 1, 8, "reserved"},
      {kText, 0, 8, "begins at 0"},
      {kText, 768, 8, "begins at 768"},
      {kText + 8, 200, 8, "begins at"},
      {kText + 8, uint64_t{1} << 40, 8, "at most"},
      {kText + 24, 12, 4, "name"},
      {kText + 24, 0, 4, "no name"},
      {kText + 24, 4000, 4, "a name of 4000 bytes"},
      {kText + 28, 1, 4, "reserved"},
      {kNorm, 8192, 8, "begins at 8192"},
      {kNorm, ~uint64_t{0} - 4095, 8, "begins at"},
      {kNorm + 8, 32, 8, "needs 28"},
      {kNorm + 28, 1, 4, "encoding 1 for 1"},
      {kNorm + 32, 0, 4, "dimensions"},
      {kNorm + 32, 6, 4, "dimensions"},
      {kNorm + 32, 2, 4, "dimension 1 is 0"},
      {kNorm + 36, 32, 4, "no quantised encoding"},
      {kNorm + 40, 8, 8, "needs 32"},
      {kNorm + 40, 0, 8, "dimension 0 is 0"},
      {kNorm + 40, ~uint64_t{0}, 8, "dimension 0 is -1"},
      {kNorm + 40, uint64_t{1} << 60, 8, "expected dimensions"},
      {kNorm + 48, 1, 8, "beyond its rank"},
      {kNorm + 80, 1, 4, "no quantised encoding"},
      {kNorm + 84, 1, 4, "no quantised encoding"},
      {kNorm + 84, 2, 4, "reserved"},
      {kNorm + 88, 1, 8, "reserved"},
      {kConv + 28, 0, 4, "encoding 0 for 5"},
      {kConv + 28, 9, 4, "encoding 9"},
      {kConv + 28, 3, 4, "needs"},
      {kConv + 48, uint64_t{1} << 62, 8, "overflows"},
      {kConv + 48, uint64_t{1} << 24, 8, "numbers a row"},
      {kFour + 28, 5, 4, "needs"},
      {kFour + 36, 0, 4, "group size"},
      {kFour + 36, 48, 4, "group size"},
      {kFour + 36, 128, 4, "group size does not divide"},
      {kFour + 36, 0x80000020, 4, "groups of"},
      {kFour + 48, 65, 8, "group size does not divide"},
      {kFour + 80, 0, 4, "scale type"},
      {kFour + 80, 3, 4, "scale type"},
      {kFour + 84, 1, 4, "7 bits"},
      {kNames + 3, '/', 1, "no plain file name"},
      {kNames + 3, 0, 1, "no name"},
      {kNames + 3, 0xFF, 1, "no name"},
  };
  for (const auto& c : cases) {
    std::string bytes = SampleFile();
    std::memcpy(bytes.data() + c.at, &c.value, static_cast<size_t>(c.width));
    Seal(&bytes);
    const std::string refusal = Refusal(bytes);
    EXPECT_NE(refusal.find(c.reason), std::string::npos)
        << "offset " << c.at << " value " << c.value << ": " << refusal;
  }
  std::string twice = SampleFile();
  std::memcpy(twice.data() + kNames + 20, "conv", 4);  // was "norm"
  Seal(&twice);
  EXPECT_NE(Refusal(twice).find("is there twice"), std::string::npos);
}

TEST(OctavoLayout, DamagedBytesNeverEscapeTheirLimits) {
  const std::string bytes = SampleFile();
  const size_t head = static_cast<size_t>(SampleIndex().index_end);
  int accepted = 0;
  for (uint64_t seed = 0; seed < 20000; ++seed) {
    std::string damaged = octavo::testing::FlipBytes(bytes.substr(0, head), seed);
    damaged.resize(bytes.size(), '\0');
    Seal(&damaged);
    try {
      const OctavoIndex index = ReadOctavoIndex(AsBytes(damaged), "x");
      ++accepted;
      uint64_t end = index.index_end;
      for (const OctavoTensor& tensor : index.tensors) {
        ASSERT_GE(tensor.bytes.offset, end);
        end = tensor.bytes.offset + tensor.bytes.size;
        ASSERT_LE(end, damaged.size());
        if (tensor.is_matrix()) {
          ASSERT_EQ(PackedBytes(tensor.layout), tensor.bytes.size);
        }
      }
    } catch (const Error&) {
    }
  }
  EXPECT_GT(accepted, 0);  // hashes and names may be anything
}

TEST(OctavoLayout, WhatCannotBeWrittenIsRefused) {
  const auto refused = [](const std::function<void(OctavoIndex*)>& edit) {
    OctavoIndex index = SampleIndex();
    edit(&index);
    try {
      PlaceOctavo(&index);
    } catch (const Error& error) {
      return error.code() == ErrorCode::kInvalidArgument;
    }
    return false;
  };
  EXPECT_TRUE(refused([](OctavoIndex* index) { index->texts[0].name = "a/b"; }));
  EXPECT_TRUE(refused([](OctavoIndex* index) { index->texts[0].name = ".."; }));
  EXPECT_TRUE(refused([](OctavoIndex* index) { index->texts[0].bytes.size = size_t{1} << 30; }));
  EXPECT_TRUE(refused([](OctavoIndex* index) { index->tensors[0].name = ""; }));
  EXPECT_TRUE(refused([](OctavoIndex* index) { index->tensors[0].shape = Shape{}; }));
  EXPECT_TRUE(refused([](OctavoIndex* index) { index->tensors[0].shape = Shape{0}; }));
  EXPECT_TRUE(refused([](OctavoIndex* index) { index->tensors[1].layout.k = 31; }));
  EXPECT_TRUE(refused([](OctavoIndex* index) { index->tensors[3].layout.group.group_size = 7; }));
}

}  // namespace
}  // namespace octavo
