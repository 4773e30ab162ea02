#include "evaluate/teds.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json.h"
#include "evaluate/table_tree.h"

namespace octavo {
namespace {

std::optional<Teds> Score(const std::string& found, const std::string& truth) {
  return ScoreTable(ReadTableTree(found), ReadTableTree(truth));
}

TEST(Teds, EqualsThePublishedDefinition) {
  const std::string path = std::string(OCTAVO_TEST_DATA_DIR) + "/eval/teds/cases.json";
  const nlohmann::json cases = ParseJson(ReadFile(path, size_t{1} << 20), path).at("cases");
  ASSERT_GE(cases.size(), 100U);
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto teds =
        Score(cases[i]["found"].get<std::string>(), cases[i]["truth"].get<std::string>());
    ASSERT_TRUE(teds);
    EXPECT_NEAR(teds->all, cases[i]["teds"].get<double>(), 1e-9) << i;
    EXPECT_NEAR(teds->structure, cases[i]["teds_structure"].get<double>(), 1e-9) << i;
  }
}

TEST(Teds, TellsTextFromStructure) {
  const auto teds =
      Score("<table><tr><td>ab</td></tr></table>", "<table><tr><td>ax</td></tr></table>");
  ASSERT_TRUE(teds);
  EXPECT_DOUBLE_EQ(teds->all, 0.75);
  EXPECT_DOUBLE_EQ(teds->structure, 1);
}

TEST(Teds, GivesNothingForNoTable) {
  EXPECT_EQ(Score("text", "<table><tr><td>a</td></tr></table>")->all, 0);
  EXPECT_EQ(Score("<table></table>", "<table></table>")->all, 1);
}

TEST(Teds, LeavesOutTablesWithoutBound) {
  std::string html = "<table>";
  for (int i = 0; i < 3000; ++i) html += "<tr><td>1</td></tr>";
  EXPECT_FALSE(Score(html, html));
}

}  // namespace
}  // namespace octavo
