#include "formats/safetensors.h"

#include <cstring>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "octavo/error.h"
#include "testing/container_bytes.h"
#include "testing/damage.h"

namespace octavo {
namespace {

using octavo::testing::AsBytes;
using octavo::testing::SafetensorsBytes;

constexpr char kHeader[] = R"({"__metadata__":{"format":"pt"},)"
                           R"("b":{"dtype":"BF16","shape":[2,3],"data_offsets":[8,20]},)"
                           R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                           R"("scalar":{"dtype":"I64","shape":[],"data_offsets":[20,28]},)"
                           R"("none":{"dtype":"U8","shape":[0,7],"data_offsets":[28,28]}})";

std::string ValidFile() { return SafetensorsBytes(kHeader, std::string(28, 'd')); }

// The message of the refusal; "" if the bytes were accepted.
std::string Refusal(const std::string& bytes, ErrorCode code = ErrorCode::kDataLoss) {
  try {
    ParseSafetensors(AsBytes(bytes), "x.safetensors");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_EQ(std::string(error.what()).rfind("x.safetensors: ", 0), 0u) << error.what();
    return error.what();
  }
  return "";
}

// The valid file with one piece of its header replaced.
std::string WithHeader(const std::string& from, const std::string& to) {
  std::string header = kHeader;
  const size_t at = header.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  header.replace(at, from.size(), to);
  return SafetensorsBytes(header, std::string(28, 'd'));
}

TEST(Safetensors, ListsTensorsInDataOrderWithFileOffsets) {
  const std::string bytes = ValidFile();
  const auto entries = ParseSafetensors(AsBytes(bytes), "x.safetensors");
  ASSERT_EQ(entries.size(), 4u);
  const size_t data = bytes.size() - 28;
  EXPECT_EQ(entries[0].info.name, "a");
  EXPECT_EQ(entries[0].info.dtype, DType::kF32);
  EXPECT_EQ(entries[0].begin, data);
  EXPECT_EQ(entries[1].info.name, "b");
  EXPECT_EQ(entries[1].info.shape, (Shape{2, 3}));
  EXPECT_EQ(entries[1].end, data + 20);
  EXPECT_EQ(entries[2].info.shape.rank(), 0);
  EXPECT_EQ(entries[3].begin, entries[3].end);
}

TEST(Safetensors, TruncationAtEveryOffsetIsRefused) {
  const std::string bytes = ValidFile();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(Refusal(octavo::testing::CutCopy(bytes, size)), "") << size;
  }
}

TEST(Safetensors, EveryFieldDamagedInTurnIsRefused) {
  const struct {
    const char* from;
    const char* to;
    const char* reason;
  } cases[] = {
      {"{\"__m", " {\"__m", "does not start with '{'"},
      {"\"pt\"", "1", "__metadata__ 'format' is not a string"},
      {"{\"format\":\"pt\"}", "[]", "__metadata__ is not an object"},
      {"\"b\":{", "\"a\":{", "duplicate key 'a'"},
      {"\"dtype\":\"BF16\",", "", "no dtype"},
      {"\"BF16\"", "16", "dtype is not a string"},
      {"\"shape\":[2,3],", "", "no shape"},
      {"[2,3]", "6", "shape is not an array"},
      {"[2,3]", "[2,-3]", "shape holds"},
      {"[2,3]", "[2,3.0]", "shape holds"},
      {"[2,3]", "[2,\"3\"]", "shape holds"},
      {"[2,3]", "[2,4]", "need 16"},
      {"[2,3]", "[4294967296,4294967296]", "overflows"},
      {"[2,3]", "[9223372036854775809,2]", "overflows"},
      {"[2,3]", "[18446744073709551616,2]", "shape holds"},
      {"[0,7]", "[0,18446744073709551615]", "overflows"},
      {"\"F32\"", "\"F16\"", "need 4"},
      {",\"data_offsets\":[8,20]", "", "no data_offsets"},
      {"[8,20]", "20", "data_offsets is not an array"},
      {"[8,20]", "[8]", "data_offsets is not an array"},
      {"[8,20]", "[8,20,20]", "data_offsets is not an array"},
      {"[8,20]", "[20,8]", "in a data area of 28 bytes"},
      {"[8,20]", "[8,9999]", "in a data area of 28 bytes"},
      {"[8,20]", "[-8,4]", "data_offsets holds"},
      {"[8,20]", "[7,19]", "overlap"},
      {"[20,28]", "[12,20]", "overlap"},
      {"\"b\":{\"dtype\":\"BF16\",\"shape\":[2,3],\"data_offsets\":[8,20]},", "", "hole"},
      {"\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}", "\"a\":5",
       "not an object"},
      {"}}", "}", "not valid JSON"},
  };
  for (const auto& c : cases) {
    const std::string refusal = Refusal(WithHeader(c.from, c.to));
    EXPECT_NE(refusal.find(c.reason), std::string::npos)
        << c.from << " -> " << c.to << ": " << refusal;
  }
  EXPECT_NE(Refusal(ValidFile() + "xx").find("the file has"), std::string::npos);
}

TEST(Safetensors, WhatIsValidButNotReadIsUnsupported) {
  EXPECT_NE(Refusal(WithHeader("\"BF16\"", "\"F64\""), ErrorCode::kUnsupported), "");
  EXPECT_NE(Refusal(WithHeader("[2,3]", "[1,1,1,1,2,3]"), ErrorCode::kUnsupported), "");
}

TEST(Safetensors, HeaderLengthsAreRefusedBeforeAllocation) {
  for (const uint64_t length :
       {uint64_t{0}, uint64_t{100'000'001}, uint64_t{1} << 62, ~uint64_t{0}, ~uint64_t{0} - 7}) {
    std::string bytes = ValidFile();
    std::memcpy(bytes.data(), &length, 8);
    EXPECT_NE(Refusal(bytes), "") << length;
  }
  const std::string large = SafetensorsBytes(std::string((32u << 20) + 1, ' '), "");
  EXPECT_NE(Refusal(large, ErrorCode::kResourceExhausted), "");
}

TEST(Safetensors, DamagedBytesNeverEscapeTheirLimits) {
  const std::string bytes = ValidFile();
  for (uint64_t seed = 0; seed < 20000; ++seed) {
    const std::string damaged = octavo::testing::FlipBytes(bytes, seed);
    try {
      for (const auto& entry : ParseSafetensors(AsBytes(damaged), "x")) {
        ASSERT_LE(entry.end, damaged.size());
        ASSERT_EQ(entry.end - entry.begin, static_cast<size_t>(entry.info.shape.num_elements()) *
                                               DTypeSize(entry.info.dtype));
      }
    } catch (const Error&) {
    }
  }
}

TEST(Safetensors, LoadedTensorOutlivesTheFileObject) {
  const std::string path = ::testing::TempDir() + "octavo_loaded.safetensors";
  std::ofstream(path, std::ios::binary) << ValidFile();
  auto file = SafetensorsFile::Open(path);
  const LoadedTensor tensor = SafetensorsFile::Load(file, file->entries()[1]);
  const LoadedTensor empty = SafetensorsFile::Load(file, file->entries()[3]);
  const std::weak_ptr<const SafetensorsFile> watch = file;
  file.reset();
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(tensor.view.size_bytes(), 12u);
  EXPECT_EQ(std::memcmp(tensor.view.data, "dddddddddddd", 12), 0);
  EXPECT_EQ(empty.view.size_bytes(), 0u);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace octavo
