#include "cli/layout_name.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(LayoutName, NamesTheThreeWays) {
  EXPECT_EQ(LayoutOfName("auto"), ParseOptions::Layout::kAuto);
  EXPECT_EQ(LayoutOfName("model"), ParseOptions::Layout::kModel);
  EXPECT_EQ(LayoutOfName("whitespace"), ParseOptions::Layout::kWhitespace);
}

}  // namespace
}  // namespace octavo
