#include "cli/calibration_set.h"

#include <gtest/gtest.h>

#include "octavo/error.h"
#include "testing/error_code.h"

namespace octavo {
namespace {

ModelCard LinesOnly() {
  ModelCard card;
  card.knows_every_task = false;
  card.tasks = {"text"};
  return card;
}

TEST(CalibrationSet, BuiltinPagesHaveLines) {
  const CalibrationSet set = SamplesOfBuiltinPages(CalibrationPages(), LinesOnly(), 8);
  EXPECT_EQ(set.pages.size(), CalibrationPages().size());
  EXPECT_EQ(set.samples.size(), 8 * set.pages.size());
  for (const CalibrationSample& sample : set.samples) {
    EXPECT_FALSE(sample.picture.empty());
    EXPECT_EQ(sample.prompt, "\nText Recognition:");
    EXPECT_GT(sample.max_answer_tokens, 0);
  }
  EXPECT_FALSE(SamplesOfBuiltinPages(HeldOutPages(), LinesOnly(), 8).samples.empty());
}

TEST(CalibrationSet, PagesToJudgeByAreNotCalibratedOn) {
  for (const BuiltinPage& page : HeldOutPages()) {
    for (const BuiltinPage& other : CalibrationPages()) EXPECT_NE(page.name, other.name);
  }
}

TEST(CalibrationSet, AModelThatKnowsLayoutIsAskedForItOnce) {
  const CalibrationSet set = SamplesOfBuiltinPages(CalibrationPages(), ModelCard(), 2);
  int layouts = 0;
  for (const CalibrationSample& sample : set.samples) {
    layouts += sample.prompt == "\nLayout Detection:" ? 1 : 0;
  }
  EXPECT_EQ(layouts, 1);
  EXPECT_EQ(set.samples.size(), 2 * set.pages.size() + 1);
}

TEST(CalibrationSet, FilesStandForTheirPages) {
  const std::string folder = std::string(OCTAVO_SOURCE_DIR) + "/samples/";
  const CalibrationSet set =
      SamplesOfFiles({folder + "receipt.png", folder + "notice.png"}, LinesOnly(), 3);
  EXPECT_EQ(set.pages.size(), 2u);
  EXPECT_EQ(set.samples.size(), 6u);
  EXPECT_EQ(testing::ErrorCodeOf([&] { SamplesOfFiles({folder + "absent"}, LinesOnly(), 3); }),
            ErrorCode::kNotFound);
}

}  // namespace
}  // namespace octavo
