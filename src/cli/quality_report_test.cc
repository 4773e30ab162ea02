#include "cli/quality_report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace octavo {
namespace {

TEST(QualityReport, CountsTokensThatAgree) {
  QualityReport report;
  EXPECT_EQ(report.Agreement(), 0.0);
  CountAgreement({{{1}, {5, 6, 7}}, {{1}, {8}}}, {{5, 0, 7}, {8}}, &report);
  EXPECT_EQ(report.num_tokens, 4);
  EXPECT_EQ(report.num_agreeing, 3);
  EXPECT_EQ(report.Agreement(), 0.75);
}

TEST(QualityReport, DeviationsAreRelativeToTheSource) {
  const float before[4] = {3, 4, 0, 0};
  const float after[4] = {3, 4, 0, 1};
  InputCollector source({"a", "b", "c"}, 10);
  InputCollector changed({"a", "b", "c"}, 10);
  source.Take("a", {before, 2, 2});
  changed.Take("a", {after, 2, 2});
  source.Take("b", {before, 1, 4});
  changed.Take("b", {before, 1, 4});
  source.Take("c", {before, 1, 4});
  const auto deviations = StageDeviations({"b", "a", "c"}, source, changed);
  ASSERT_EQ(deviations.size(), 2u);
  EXPECT_EQ(deviations[0].first, "b");
  EXPECT_EQ(deviations[0].second, 0.0);
  EXPECT_DOUBLE_EQ(deviations[1].second, 0.2);
}

TEST(QualityReport, JsonHasEveryFigure) {
  QualityReport report;
  report.pages = {"a.png"};
  report.num_tokens = 4;
  report.num_agreeing = 3;
  report.stages = {{"lm.norm", 0.5}};
  auto json = QualityJson(report);
  EXPECT_EQ(json["token_agreement"], 0.75);
  EXPECT_TRUE(json["teds"].is_null());
  EXPECT_EQ(json["stages"][0]["deviation"], 0.5);
  report.teds = 0.9;
  EXPECT_EQ(QualityJson(report)["teds"], 0.9);
}

}  // namespace
}  // namespace octavo
