#include "document/crops.h"

#include <gtest/gtest.h>

#include "testing/mineru_cases.h"

namespace octavo {
namespace {

TEST(Crops, HasTheReferencesSizeForEveryCase) {
  for (const CropResizeCase& c : ReadCropResizeCases()) {
    const CropSize size = SizeOfCrop(c.width, c.height);
    EXPECT_EQ(size.width, c.expected_width) << c.name;
    EXPECT_EQ(size.height, c.expected_height) << c.name;
  }
  // Further values of the same function, run with the reference.
  EXPECT_EQ(SizeOfCrop(1401, 28).height, 29);
  EXPECT_EQ(SizeOfCrop(1000, 27).width, 1038);
}

TEST(Crops, AScaleReducesWhatIsSentAfterTheTurn) {
  const Image page(1000, 500, 200);
  const std::array<double, 4> box = {0.1, 0.2, 0.5, 0.6};  // 400 x 200
  const Image half = CropOfBlock(page, box, 0, 0.5);
  EXPECT_EQ(half.width, 200);
  EXPECT_EQ(half.height, 100);
  const Image turned = CropOfBlock(page, box, 90, 0.5);
  EXPECT_EQ(turned.width, 100);
  EXPECT_EQ(turned.height, 200);
  const Image whole = CropOfBlock(page, box, 0);
  EXPECT_EQ(whole.width, 400);
  EXPECT_EQ(CropOfBlock(page, box, 0, 1.0).pixels, whole.pixels);
  // Never below the side that the reference enlarges to.
  EXPECT_EQ(CropOfBlock(page, {0, 0, 1, 0.1}, 0, 0.1).height, 28);
}

TEST(Crops, TheLayoutPictureIsASquareOfTheSideThatIsAskedFor) {
  const Image page(600, 900, 200);
  EXPECT_EQ(LayoutPicture(page).width, 1036);
  EXPECT_EQ(LayoutPicture(page).height, 1036);
  EXPECT_EQ(LayoutPicture(page, 728).width, 728);
  EXPECT_EQ(LayoutPicture(page, 728).height, 728);
}

TEST(Crops, PlansTheReferencesRequestsForEveryCase) {
  const auto cases = ReadRequestsCases();
  ASSERT_GE(cases.size(), 12u);
  for (const RequestsCase& c : cases) {
    const Image page(c.page_width, c.page_height, 200);
    std::vector<ContentBlock> blocks = c.blocks;
    std::vector<RequestsCase::Request> requests;
    for (const BlockRequest& r : PlanRequests(&blocks, {c.image_analysis, c.not_extract})) {
      const ContentBlock& block = blocks[r.block];
      const Image crop = CropOfBlock(page, block.bbox, block.angle);
      if (crop.empty()) continue;
      std::string sampling = r.task == Task::kText ? "[default]" : std::string(TaskName(r.task));
      if (block.type == "chart") sampling = "chart";
      requests.push_back(
          {r.block, std::string(TaskPrompt(r.task)), sampling, crop.width, crop.height});
    }
    EXPECT_EQ(requests, c.expected) << c.name;
    std::vector<std::string> types;
    for (const ContentBlock& block : blocks) types.push_back(block.type);
    EXPECT_EQ(types, c.expected_types) << c.name;
  }
}

TEST(Crops, TurnsATextThatRunsToTheRightUpright) {
  Image page(100, 100);
  page.row(10)[20 * 3] = 0;  // one dark value near the top left of the box
  // The box begins at that pixel; a counter-clockwise quarter turn takes its top left corner to
  // the bottom left.
  const Image crop = CropOfBlock(page, {0.2, 0.1, 0.6, 0.8}, 90);
  ASSERT_EQ(crop.width, 70);
  ASSERT_EQ(crop.height, 40);
  EXPECT_EQ(crop.row(39)[0], 0);
}

TEST(Crops, PadsWithWhiteAroundTheMiddle) {
  const Image padded = PadAndEnlarge(Image(3000, 40, 0));
  ASSERT_EQ(padded.height, 60);
  EXPECT_EQ(padded.row(9)[0], 255);
  EXPECT_EQ(padded.row(10)[0], 0);
  EXPECT_EQ(padded.row(49)[0], 0);
  EXPECT_EQ(padded.row(50)[0], 255);
}

TEST(Crops, StretchesThePageForTheLayoutStep) {
  const Image picture = LayoutPicture(Image(300, 500, 7));
  EXPECT_EQ(picture.width, 1036);
  EXPECT_EQ(picture.height, 1036);
  EXPECT_EQ(picture.row(500)[1500], 7);
}

}  // namespace
}  // namespace octavo
