#include "formats/gguf.h"

#include <cstring>
#include <fstream>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "octavo/error.h"
#include "testing/container_bytes.h"
#include "testing/damage.h"

namespace octavo {
namespace {

using octavo::testing::AppendGgufString;
using octavo::testing::AppendNumber;
using octavo::testing::AsBytes;
using octavo::testing::GgufBytes;

// Two tensors: F32 [3, 2] (24 bytes at 0) and Q4_0 [2, 64] (72 bytes at 32).
GgufBytes ValidFile() {
  GgufBytes file;
  file.AddString("general.architecture", "qwen2vl");
  file.AddNumber<uint32_t>("qwen2vl.block_count", 4, 24);
  file.AddNumber<float>("qwen2vl.epsilon", 6, 0.5f);
  file.AddTensor("token_embd.weight", {2, 3}, 0, 0);
  file.AddTensor("blk.0.attn_q.weight", {64, 2}, 2, 32);
  file.data = std::string(32 + 72, 'd');
  return file;
}

// A key with a value of any type and bytes.
std::string Pair(std::string_view key, uint32_t type, std::string_view bytes) {
  std::string out;
  AppendGgufString(key, &out);
  AppendNumber<uint32_t>(type, &out);
  return out.append(bytes);
}

std::string ArrayBytes(uint32_t type, uint64_t count, std::string_view elements) {
  std::string out;
  AppendNumber<uint32_t>(type, &out);
  AppendNumber<uint64_t>(count, &out);
  return out.append(elements);
}

std::string Refusal(const std::string& bytes, ErrorCode code = ErrorCode::kDataLoss) {
  try {
    Gguf::Parse(AsBytes(bytes), "x.gguf");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_EQ(std::string(error.what()).rfind("x.gguf: ", 0), 0u) << error.what();
    return error.what();
  }
  return "";
}

void ExpectRefusal(const GgufBytes& file, const char* reason,
                   ErrorCode code = ErrorCode::kDataLoss) {
  const std::string refusal = Refusal(file.ToString(), code);
  EXPECT_NE(refusal.find(reason), std::string::npos) << reason << ": '" << refusal << "'";
}

TEST(Gguf, ListsTensorsSlowestDimensionFirst) {
  const std::string bytes = ValidFile().ToString();
  const Gguf gguf = Gguf::Parse(AsBytes(bytes), "x.gguf");
  EXPECT_EQ(gguf.version(), 3u);
  EXPECT_EQ(gguf.architecture(), "qwen2vl");
  ASSERT_EQ(gguf.tensors().size(), 2u);
  const GgufTensor& q4 = gguf.tensors()[1];
  EXPECT_EQ(q4.name, "blk.0.attn_q.weight");
  EXPECT_STREQ(q4.type->name, "Q4_0");
  EXPECT_EQ(q4.shape, (Shape{2, 64}));
  EXPECT_EQ(q4.bytes.size(), 2u * 2 * 18);
  EXPECT_EQ(reinterpret_cast<const char*>(q4.bytes.data() + q4.bytes.size()),
            bytes.data() + bytes.size());
}

TEST(Gguf, ReadsValuesOfEveryType) {
  GgufBytes file = ValidFile();
  file.AddNumber<uint8_t>("u8", 0, 200);
  file.AddNumber<int8_t>("i8", 1, -100);
  file.AddNumber<uint16_t>("u16", 2, 60000);
  file.AddNumber<int16_t>("i16", 3, -30000);
  file.AddNumber<int32_t>("i32", 5, -2000000000);
  file.AddNumber<uint8_t>("bool", 7, 1);
  file.AddNumber<uint64_t>("u64", 10, ~uint64_t{0});
  file.AddNumber<int64_t>("i64", 11, std::numeric_limits<int64_t>::min());
  file.AddNumber<double>("f64", 12, 1e300);
  std::string strings;
  AppendGgufString("a", &strings);
  AppendGgufString("", &strings);
  file.values.push_back(Pair("strings", 9, ArrayBytes(8, 2, strings)));
  file.values.push_back(Pair("nested", 9, ArrayBytes(9, 1, ArrayBytes(4, 1, "1234"))));
  const std::string bytes = file.ToString();
  const Gguf gguf = Gguf::Parse(AsBytes(bytes), "x.gguf");
  const auto unsigned_of = [&](const char* key) {
    return std::get<uint64_t>(gguf.FindValue(key)->value);
  };
  const auto signed_of = [&](const char* key) {
    return std::get<int64_t>(gguf.FindValue(key)->value);
  };
  EXPECT_EQ(unsigned_of("u8"), 200u);
  EXPECT_EQ(signed_of("i8"), -100);
  EXPECT_EQ(unsigned_of("u16"), 60000u);
  EXPECT_EQ(signed_of("i16"), -30000);
  EXPECT_EQ(unsigned_of("qwen2vl.block_count"), 24u);
  EXPECT_EQ(signed_of("i32"), -2000000000);
  EXPECT_EQ(unsigned_of("u64"), ~uint64_t{0});
  EXPECT_EQ(signed_of("i64"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(std::get<double>(gguf.FindValue("f64")->value), 1e300);
  EXPECT_EQ(std::get<double>(gguf.FindValue("qwen2vl.epsilon")->value), 0.5);
  EXPECT_TRUE(std::get<bool>(gguf.FindValue("bool")->value));
  EXPECT_EQ(std::get<std::string_view>(gguf.FindValue("general.architecture")->value), "qwen2vl");
  const auto& array = std::get<GgufArray>(gguf.FindValue("strings")->value);
  EXPECT_EQ(array.element_type, GgufValueType::kString);
  EXPECT_EQ(array.count, 2u);
  EXPECT_EQ(array.bytes.size(), 8u + 1 + 8);
  EXPECT_EQ(gguf.FindValue("absent"), nullptr);
}

TEST(Gguf, TruncationAtEveryOffsetIsRefused) {
  const std::string bytes = ValidFile().ToString();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(Refusal(octavo::testing::CutCopy(bytes, size)), "") << size;
  }
}

TEST(Gguf, HeaderFieldsAreChecked) {
  GgufBytes file = ValidFile();
  file.magic = "GGUX";
  ExpectRefusal(file, "wrong magic");
  for (const uint32_t version : {0u, 1u, 4u, 99u, 0x03000000u}) {
    file = ValidFile();
    file.version = version;
    EXPECT_NE(Refusal(file.ToString(), ErrorCode::kUnsupported), "") << version;
  }
  file = ValidFile();
  file.version = 2;
  EXPECT_EQ(Refusal(file.ToString()), "");
  for (const size_t count_at : {8u, 16u}) {
    for (const uint64_t count : {uint64_t{1} << 60, ~uint64_t{0}}) {
      std::string bytes = ValidFile().ToString();
      std::memcpy(bytes.data() + count_at, &count, 8);
      EXPECT_NE(Refusal(bytes).find("bytes are left"), std::string::npos);
    }
  }
}

TEST(Gguf, ValuesAreChecked) {
  const auto with = [](std::string pair) {
    GgufBytes file = ValidFile();
    file.values.push_back(std::move(pair));
    return file;
  };
  ExpectRefusal(with(Pair("k", 13, "12345678")), "value type 13");
  ExpectRefusal(with(Pair("k", 7, "\x02")), "bool");
  ExpectRefusal(with(Pair("", 0, "1")), "a key");
  ExpectRefusal(with(Pair("\xFF", 0, "1")), "a key");
  ExpectRefusal(with(Pair("general.architecture", 0, "1")), "twice");
  ExpectRefusal(with(Pair("k", 9, ArrayBytes(8, uint64_t{1} << 40, ""))), "array of");
  ExpectRefusal(with(Pair("k", 9, ArrayBytes(10, uint64_t{1} << 61, ""))), "array of");
  ExpectRefusal(with(Pair("k", 9, ArrayBytes(7, 2, "\x01\x02"))), "bool");
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += ArrayBytes(9, 1, "");
  ExpectRefusal(with(Pair("k", 9, deep)), "nested deeper");
  std::string long_string;
  AppendNumber<uint64_t>(uint64_t{1} << 61, &long_string);
  ExpectRefusal(with(Pair("k", 8, long_string)), "ends inside");
}

TEST(Gguf, ArchitectureIsRequiredAndKnown) {
  GgufBytes file = ValidFile();
  file.values.erase(file.values.begin());
  ExpectRefusal(file, "no general.architecture");
  file.AddNumber<uint32_t>("general.architecture", 4, 7);
  ExpectRefusal(file, "not a string");
  file.values.pop_back();
  file.AddString("general.architecture", "llama");
  ExpectRefusal(file, "'llama'", ErrorCode::kUnsupported);
  file.values.pop_back();
  file.AddString("general.architecture", "clip");
  EXPECT_EQ(Refusal(file.ToString()), "");
}

TEST(Gguf, AlignmentIsAPowerOfTwoAndUsed) {
  GgufBytes file = ValidFile();
  file.AddNumber<uint32_t>("general.alignment", 4, 64);
  file.alignment = 64;
  ExpectRefusal(file, "no multiple of 64");
  file.tensors.pop_back();
  EXPECT_EQ(Refusal(file.ToString()), "");
  for (const uint32_t alignment : {0u, 7u, 48u, 1u << 30}) {
    file = ValidFile();
    file.AddNumber<uint32_t>("general.alignment", 4, alignment);
    ExpectRefusal(file, "general.alignment");
  }
  file = ValidFile();
  file.AddNumber<uint64_t>("general.alignment", 10, 32);
  ExpectRefusal(file, "general.alignment");
}

TEST(Gguf, TensorsAreChecked) {
  const auto with = [](std::string_view name, const std::vector<uint64_t>& dims, uint32_t type,
                       uint64_t offset) {
    GgufBytes file = ValidFile();
    file.tensors.pop_back();
    file.AddTensor(name, dims, type, offset);
    return file;
  };
  EXPECT_EQ(Refusal(with("x", {64, 2}, 2, 32).ToString()), "");
  ExpectRefusal(with("x", {}, 2, 32), "0 dimensions");
  ExpectRefusal(with("x", {32, 1, 1, 1, 1}, 2, 32), "5 dimensions");
  ExpectRefusal(with("x", {0, 2}, 0, 32), "out of range");
  ExpectRefusal(with("x", {~uint64_t{0}, 2}, 0, 32), "out of range");
  ExpectRefusal(with("x", {uint64_t{1} << 33, uint64_t{1} << 33}, 0, 32), "out of range");
  ExpectRefusal(with("x", {33, 2}, 2, 32), "blocks of 32");
  for (const uint32_t removed : {4u, 5u, 31u, 32u, 33u, 36u, 37u, 38u, 9999u}) {
    ExpectRefusal(with("x", {32}, removed, 32), "tensor type", ErrorCode::kUnsupported);
  }
  ExpectRefusal(with("x", {64, 2}, 2, 33), "no multiple of 32");
  ExpectRefusal(with("x", {64, 2}, 2, 64), "data area");
  ExpectRefusal(with("x", {64, 2}, 2, ~uint64_t{31}), "data area");
  ExpectRefusal(with("x", {64, 2}, 2, 0), "overlap");
  ExpectRefusal(with("token_embd.weight", {64, 2}, 2, 32), "twice");
  ExpectRefusal(with(std::string(65, 'x'), {64, 2}, 2, 32), "a tensor name");
  GgufBytes file = ValidFile();
  file.tensors.clear();
  ExpectRefusal(file, "no tensors");
}

TEST(Gguf, DamagedBytesNeverEscapeTheirLimits) {
  const std::string bytes = ValidFile().ToString();
  for (uint64_t seed = 0; seed < 20000; ++seed) {
    const std::string damaged = octavo::testing::FlipBytes(bytes, seed);
    try {
      const Gguf gguf = Gguf::Parse(AsBytes(damaged), "x");
      for (const GgufTensor& tensor : gguf.tensors()) {
        ASSERT_GE(tensor.bytes.data(), AsBytes(damaged).data());
        ASSERT_LE(tensor.bytes.data() + tensor.bytes.size(),
                  AsBytes(damaged).data() + damaged.size());
      }
    } catch (const Error&) {
    }
  }
}

TEST(Gguf, OpenKeepsTheFileMapped) {
  const std::string path = ::testing::TempDir() + "octavo_open.gguf";
  std::ofstream(path, std::ios::binary) << ValidFile().ToString();
  const Gguf gguf = Gguf::Open(path);
  std::remove(path.c_str());
  EXPECT_EQ(gguf.tensors()[1].bytes[71], std::byte{'d'});
  EXPECT_NE(gguf.FindValue("qwen2vl.block_count"), nullptr);
}

}  // namespace
}  // namespace octavo
