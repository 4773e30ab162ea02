#include "tensor/dtype.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(DType, NamesAndSizesAreThoseOfSafetensors) {
  const struct {
    const char* name;
    DType dtype;
    size_t size_bytes;
  } rows[] = {
      {"F32", DType::kF32, 4},        {"F16", DType::kF16, 2},        {"BF16", DType::kBF16, 2},
      {"I64", DType::kI64, 8},        {"I32", DType::kI32, 4},        {"I16", DType::kI16, 2},
      {"I8", DType::kI8, 1},          {"U8", DType::kU8, 1},          {"BOOL", DType::kBool, 1},
      {"F8_E4M3", DType::kF8E4M3, 1}, {"F8_E5M2", DType::kF8E5M2, 1},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(ParseDType(row.name), row.dtype) << row.name;
    EXPECT_EQ(DTypeName(row.dtype), row.name);
    EXPECT_EQ(DTypeSize(row.dtype), row.size_bytes) << row.name;
  }
}

TEST(DType, UnknownNamesAreNone) {
  for (const char* name : {"", "f32", "F3", "F322", "F64", "BF16 "}) {
    EXPECT_FALSE(ParseDType(name)) << name;
  }
}

}  // namespace
}  // namespace octavo
