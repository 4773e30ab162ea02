#include "octavo/error.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace octavo {
namespace {

struct Row {
  ErrorCode code;
  int exit_code;
  int http_status;
};
constexpr Row kTable[] = {
    {ErrorCode::kInvalidArgument, 2, 400},   {ErrorCode::kNotFound, 3, 404},
    {ErrorCode::kDataLoss, 4, 422},          {ErrorCode::kUnsupported, 5, 422},
    {ErrorCode::kResourceExhausted, 6, 503}, {ErrorCode::kIo, 7, 500},
    {ErrorCode::kCancelled, 130, 499},
};

TEST(Error, CodesMapToExitCodesAndHttpStatusesOfTheTable) {
  for (const Row& row : kTable) {
    EXPECT_EQ(ExitCode(row.code), row.exit_code) << ErrorCodeName(row.code);
    EXPECT_EQ(HttpStatus(row.code), row.http_status) << ErrorCodeName(row.code);
  }
}

TEST(Error, NamesOfCodesDiffer) {
  std::set<std::string> names;
  for (const Row& row : kTable) names.insert(ErrorCodeName(row.code));
  EXPECT_EQ(names.size(), std::size(kTable));
}

TEST(Error, CarriesCodeAndMessage) {
  const Error error(ErrorCode::kDataLoss, "x.bin: 3 bytes, expected 4");
  EXPECT_EQ(error.code(), ErrorCode::kDataLoss);
  EXPECT_STREQ(error.what(), "x.bin: 3 bytes, expected 4");
}

}  // namespace
}  // namespace octavo
