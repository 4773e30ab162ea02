#include "document/table_continuation.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

// Expected values are mineru 3.4.5's.
TEST(TableContinuation, KnowsItsMarks) {
  for (const char* text :
       {"continued", "Table continued", "(Continued) Table 3", "续表", "表3 (续)", "表3（续上表）",
        "Table 2 (cont.)", "Table 2 (cont\u2019d)", "Table 2 \u2026 3continued", "CONTINUED "}) {
    EXPECT_TRUE(IsTableContinuation(text)) << text;
  }
  for (const char* text : {"", "discontinued", "续", "Table 4", "Table 1 continued from page 2",
                           "\u00e9continued", "(续) Table"}) {
    EXPECT_FALSE(IsTableContinuation(text)) << text;
  }
}

}  // namespace
}  // namespace octavo
