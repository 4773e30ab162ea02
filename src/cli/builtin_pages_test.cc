#include "cli/builtin_pages.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/str_cat.h"

namespace octavo {
namespace {

TEST(BuiltinPages, AreTheSamplesByteForByte) {
  for (const auto pages : {CalibrationPages(), HeldOutPages()}) {
    EXPECT_EQ(pages.size(), 3u);
    for (const BuiltinPage& page : pages) {
      const std::string file = ReadFile(StrCat(OCTAVO_SOURCE_DIR, "/samples/", page.name), 1 << 20);
      EXPECT_EQ(std::string(reinterpret_cast<const char*>(page.png.data()), page.png.size()), file);
    }
  }
}

}  // namespace
}  // namespace octavo
