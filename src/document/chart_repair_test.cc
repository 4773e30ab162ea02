#include "document/chart_repair.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

constexpr char kTable[] = "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |";

// Expected values are mineru-vl-utils 2.0.7's.
TEST(ChartRepair, LeavesATableWithoutRepetition) {
  EXPECT_EQ(RepairChart(kTable), kTable);
  EXPECT_EQ(RepairChart("A: 40%, B: 60%"), "A: 40%, B: 60%");
  EXPECT_EQ(RepairChart(""), "");
}

TEST(ChartRepair, ExtractsTheTableFromALoop) {
  EXPECT_EQ(RepairChart(std::string(kTable) + "\n\n\n\n\n\nand so on"), kTable);
  EXPECT_EQ(RepairChart("words words words words words words words words\n" + std::string(kTable)),
            kTable);
  EXPECT_EQ(RepairChart("|a|b|\n|---|---|\n|1|2|\n|aaaaaaaaaaaaaaaaaaaaaaaa|x|"),
            "| a | b |\n| --- | --- |\n| 1 | 2 |\n| aaaaaaaaaaaaaaaaaaaaaaaa | x |");
}

TEST(ChartRepair, DropsNoisyRows) {
  std::string noisy;
  for (int i = 0; i < 9; ++i) noisy += "same;";
  EXPECT_EQ(RepairChart("|a|b|\n|---|---|\n|1|2|\n|" + noisy + "|x|\n|3|4|"),
            "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |");
}

TEST(ChartRepair, GivesATableWithoutSeparatorOne) {
  EXPECT_EQ(RepairChart("a \\| b\n1 | 2\n"), "| a | b |\n| --- | --- |\n| 1 | 2 |");
}

TEST(ChartRepair, KeepsALoopWithoutTable) {
  const std::string loop = "no no no no no no no no";
  EXPECT_EQ(RepairChart(loop), loop);
}

TEST(ChartRepair, TakesTheLargestOfSeveral) {
  EXPECT_EQ(RepairChart("|a|b|\n|---|---|\n|1|2|\n\n|c|d|\n|---|---|\n|1|2|\n|1|2|\n|1|2|"),
            "| c | d |\n| --- | --- |\n| 1 | 2 |\n| 1 | 2 |\n| 1 | 2 |");
}

}  // namespace
}  // namespace octavo
