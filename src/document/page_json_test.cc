#include "document/page_json.h"

#include <gtest/gtest.h>

#include "octavo/error.h"
#include "testing/mineru_cases.h"

namespace octavo {
namespace {

TEST(PageJson, ComesBackAsItWas) {
  Page page;
  page.index = 4;
  page.width_px = 1240;
  page.height_px = 1754;
  page.layout = LayoutSource::kWhitespace;
  page.warnings = {"a \"warning\""};
  page.timings.total_seconds = 1.5;
  page.blocks = {{"title", {0.1, 0.2, 0.3, 1.0 / 3}, 90, "line\nline \u00e4"}, {"image"}};
  page.blocks[0].text_level = 2;
  page.blocks[0].merge_prev = true;
  page.blocks[1].img_path = "x.jpg";
  page.blocks[1].sub_type = "logo";
  page.blocks[1].cell_merge = {0, 1};
  page.width_pt = 595.28;
  const std::string line = PageToJsonLine(page);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const Page back = PageFromJsonLine(line, "journal");
  EXPECT_EQ(back.index, 4);
  EXPECT_EQ(back.width_px, 1240);
  EXPECT_EQ(back.layout, LayoutSource::kWhitespace);
  EXPECT_EQ(back.warnings, page.warnings);
  EXPECT_EQ(Describe(back.blocks), Describe(page.blocks));
  EXPECT_EQ(back.blocks[0].bbox, page.blocks[0].bbox);
  EXPECT_EQ(back.blocks[0].text_level, 2);
  EXPECT_EQ(back.blocks[1].img_path, "x.jpg");
  EXPECT_EQ(back.blocks[1].sub_type, "logo");
  EXPECT_EQ(back.blocks[1].cell_merge, (std::vector<int>{0, 1}));
  EXPECT_EQ(back.width_pt, 595.28);
  EXPECT_EQ(PageToJsonLine(back), line);
}

TEST(PageJson, RefusesEveryCutLine) {
  Page page;
  page.blocks = {{"text", {0, 0, 1, 1}, 0, "words"}};
  const std::string line = PageToJsonLine(page);
  for (size_t length = 0; length < line.size(); ++length) {
    EXPECT_THROW(PageFromJsonLine(line.substr(0, length), "journal"), Error) << length;
  }
  EXPECT_THROW(PageFromJsonLine("{}", "journal"), Error);
  EXPECT_THROW(PageFromJsonLine("[1]", "journal"), Error);
}

}  // namespace
}  // namespace octavo
