#include "document/pipe_rows.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

using Row = std::vector<std::string>;

TEST(PipeRows, SplitWithOrWithoutPipesAtTheEnds) {
  for (const PipeRowRule rule : {PipeRowRule::kUnescape, PipeRowRule::kKeepCode}) {
    EXPECT_EQ(SplitPipeRow(" | a | b |", rule), (Row{"a", "b"}));
    EXPECT_EQ(SplitPipeRow("a|b", rule), (Row{"a", "b"}));
    EXPECT_EQ(SplitPipeRow("||", rule), (Row{""}));
    EXPECT_EQ(SplitPipeRow("", rule), (Row{""}));
    EXPECT_EQ(SplitPipeRow("a\\x|b\\", rule), (Row{"a\\x", "b\\"}));
  }
}

TEST(PipeRows, TakeEscapesAndCodeByTheRule) {
  EXPECT_EQ(SplitPipeRow("a \\| b | c", PipeRowRule::kUnescape), (Row{"a | b", "c"}));
  EXPECT_EQ(SplitPipeRow("a \\| b | c", PipeRowRule::kKeepCode), (Row{"a \\| b", "c"}));
  EXPECT_EQ(SplitPipeRow("`a | b` | c", PipeRowRule::kUnescape), (Row{"`a", "b`", "c"}));
  EXPECT_EQ(SplitPipeRow("`a | b` | c", PipeRowRule::kKeepCode), (Row{"`a | b`", "c"}));
  EXPECT_EQ(SplitPipeRow("\\`a | b", PipeRowRule::kKeepCode), (Row{"\\`a", "b"}));
}

TEST(PipeRows, KnowCellsOfSeparators) {
  for (const char* cell : {"---", ":---", "---:", ":----:"}) EXPECT_TRUE(IsSeparatorCell(cell));
  for (const char* cell : {"", ":", "--", ":--:", "- - -", "---x", "::---"}) {
    EXPECT_FALSE(IsSeparatorCell(cell)) << cell;
  }
}

}  // namespace
}  // namespace octavo
