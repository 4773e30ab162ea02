#include "evaluate/layout_score.h"

#include <string>

#include <gtest/gtest.h>

#include "base/random.h"
#include "octavo/error.h"

namespace octavo {
namespace {

LayoutBox Box(const char* type, double x0, double y0, double x1, double y1) {
  return {type, {x0, y0, x1, y1}};
}

TEST(LayoutScore, MeasuresOverlap) {
  EXPECT_DOUBLE_EQ(IntersectionOverUnion({0, 0, 1, 1}, {0, 0, 1, 1}), 1);
  EXPECT_DOUBLE_EQ(IntersectionOverUnion({0, 0, 1, 0.5}, {0, 0, 1, 1}), 0.5);
  EXPECT_DOUBLE_EQ(IntersectionOverUnion({0, 0, 0.5, 1}, {0.25, 0, 0.75, 1}), 0.25 / 0.75);
  EXPECT_DOUBLE_EQ(IntersectionOverUnion({0, 0, 0.2, 0.2}, {0.5, 0.5, 1, 1}), 0);
  EXPECT_DOUBLE_EQ(IntersectionOverUnion({0.1, 0.1, 0.1, 0.1}, {0.1, 0.1, 0.1, 0.1}), 0);
}

TEST(LayoutScore, MatchesPlaceAndTypeOnce) {
  const std::vector<LayoutBox> truth = {Box("text", 0, 0, 1, 0.4), Box("table", 0, 0.5, 1, 1)};
  const LayoutCounts same = CompareLayout(truth, truth);
  EXPECT_EQ(same.num_matched, 2);
  EXPECT_EQ(CompareLayout({Box("title", 0, 0, 1, 0.4)}, truth).num_matched, 0);
  // Half of the union is enough, less is not.
  EXPECT_EQ(CompareLayout({Box("text", 0, 0, 0.5, 0.4)}, truth).num_matched, 1);
  EXPECT_EQ(CompareLayout({Box("text", 0, 0, 0.49, 0.4)}, truth).num_matched, 0);
  const LayoutCounts twice = CompareLayout({truth[0], truth[0], truth[0]}, truth);
  EXPECT_EQ(twice.num_matched, 1);
  EXPECT_EQ(twice.num_found, 3);
  EXPECT_EQ(twice.num_true, 2);
}

TEST(LayoutScore, TakesTheBestPairFirst) {
  // The first found box fits both true ones; the second fits only the first true one.
  const std::vector<LayoutBox> truth = {Box("text", 0, 0, 1, 0.5), Box("text", 0, 0.1, 1, 0.6)};
  const std::vector<LayoutBox> found = {Box("text", 0, 0.1, 1, 0.6), Box("text", 0, 0, 1, 0.45)};
  EXPECT_EQ(CompareLayout(found, truth).num_matched, 2);
}

TEST(LayoutTruth, ReadsOnePageOrSeveral) {
  const auto one = ParseLayoutTruth(
      R"([{"type": "text", "bbox": [0, 0.1, 0.5, 1], "angle": 0, "content": "x"}])", "t");
  ASSERT_EQ(one.size(), 1U);
  ASSERT_EQ(one[0].size(), 1U);
  EXPECT_EQ(one[0][0].type, "text");
  EXPECT_EQ(one[0][0].bbox, (std::array<double, 4>{0, 0.1, 0.5, 1}));
  const auto two = ParseLayoutTruth(R"([[], [{"type": "text", "bbox": [0, 0, 1, 1]}]])", "t");
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[1].size(), 1U);
  EXPECT_EQ(ParseLayoutTruth("[]", "t").size(), 1U);
}

TEST(LayoutTruth, RefusesWhatIsNoLayout) {
  for (const char* json :
       {"{}", "3", "[1]", "[{}]", R"([{"type": 1, "bbox": [0,0,1,1]}])", R"([{"type": "a"}])",
        R"([{"type": "a", "bbox": [0,0,1]}])", R"([{"type": "a", "bbox": [0,0,1,1.5]}])",
        R"([{"type": "a", "bbox": [0,0,1,"1"]}])", R"([{"type": "a", "bbox": [0.5,0,0.4,1]}])",
        R"([[], {"type": "a", "bbox": [0,0,1,1]}])", "[", ""}) {
    try {
      ParseLayoutTruth(json, "page.layout.json");
      ADD_FAILURE() << json;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kDataLoss) << json;
      EXPECT_EQ(std::string(error.what()).find("page.layout.json"), 0U) << error.what();
    }
  }
}

TEST(LayoutTruth, SurvivesDamage) {
  const std::string whole = R"([[{"type": "text", "bbox": [0.25, 0.5, 0.75, 1], "angle": 0}], []])";
  Random random(1);
  for (int i = 0; i < 5000; ++i) {
    std::string damaged = whole.substr(0, random.Below(whole.size() + 1));
    if (!damaged.empty() && i % 2 == 0) {
      damaged[random.Below(damaged.size())] = static_cast<char>(random.Below(256));
    }
    try {
      ParseLayoutTruth(damaged, "t");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kDataLoss);
    }
  }
}

}  // namespace
}  // namespace octavo
