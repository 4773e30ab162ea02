#include "document/middle_json.h"

#include <gtest/gtest.h>

#include "octavo/document.h"

namespace octavo {
namespace {

TEST(MiddleJson, HasMinerusNames) {
  Page page;
  page.index = 1;
  page.width_pt = 600;
  page.height_pt = 800;
  page.blocks = {{"title", {0.1, 0.05, 0.9, 0.1}, 0, "T"},
                 {"table", {0.1, 0.1, 0.9, 0.4}, std::nullopt, "<table></table>"},
                 {"header", {0.1, 0.0, 0.9, 0.04}, 0, "h"}};
  page.blocks[0].text_level = 2;
  page.blocks[1].img_path = "t.jpg";
  page.blocks[1].cell_merge = {1};
  const auto json = nlohmann::json::parse(ToMiddleJson({page}));
  EXPECT_EQ(json.at("_backend"), "vlm");
  const auto& info = json.at("pdf_info").at(0);
  EXPECT_EQ(info.at("page_idx"), 1);
  EXPECT_EQ(info.at("page_size"), nlohmann::json({600, 800}));
  EXPECT_EQ(info.at("discarded_blocks").size(), 1u);
  EXPECT_EQ(info.at("para_blocks"), info.at("preproc_blocks"));
  EXPECT_EQ(
      info.at("preproc_blocks").at(0).dump(),
      R"({"angle":0,"bbox":[60,40,540,80],"index":0,"level":2,"lines":[{"bbox":[60,40,540,80],)"
      R"("spans":[{"bbox":[60,40,540,80],"content":"T","type":"text"}]}],"type":"title"})");
  EXPECT_EQ(info.at("preproc_blocks").at(1).dump(),
            R"({"bbox":[60,80,540,320],"blocks":[{"angle":null,"bbox":[60,80,540,320],)"
            R"("cell_merge":[1],"index":1,"lines":[{"bbox":[60,80,540,320],"spans":[{)"
            R"("bbox":[60,80,540,320],"html":"<table></table>","image_path":"t.jpg",)"
            R"("type":"table"}]}],"type":"table_body"}],"cell_merge":[1],"index":1,)"
            R"("type":"table"})");
}

TEST(MiddleJson, IsDumpedAsMineruDoes) {
  EXPECT_EQ(DumpLikeMineru({{"a", "\u00e4\xFF"}}), "{\n    \"a\": \"\u00e4\uFFFD\"\n}\n");
}

}  // namespace
}  // namespace octavo
