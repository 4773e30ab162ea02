#include <string>

#include <gtest/gtest.h>

#include "octavo/document.h"

namespace octavo {
namespace {

TEST(ContentList, HasMinerusNamesOrderAndBoxes) {
  Page page;
  page.index = 2;
  page.blocks = {{"page_number", {0.48, 0.97, 0.52, 0.99}, 0, "12"},
                 {"title", {0.1, 0.05, 0.9, 0.1}, 0, "A \"quoted\" Title"},
                 {"table", {0.1, 0.1, 0.9, 0.4}, 0, "<table></table>"},
                 {"table_caption", {0.1, 0.41, 0.9, 0.44}, 0, "Table 1"}};
  page.blocks[2].img_path = "t.jpg";
  EXPECT_EQ(ToContentListJson({page}), R"([
    {
        "type": "text",
        "text": "A \"quoted\" Title",
        "text_level": 1,
        "bbox": [
            100,
            50,
            900,
            100
        ],
        "page_idx": 2
    },
    {
        "type": "table",
        "img_path": "images/t.jpg",
        "table_caption": [
            "Table 1"
        ],
        "table_footnote": [],
        "table_body": "<table></table>",
        "bbox": [
            100,
            100,
            900,
            400
        ],
        "page_idx": 2
    },
    {
        "type": "page_number",
        "text": "12",
        "bbox": [
            480,
            970,
            520,
            990
        ],
        "page_idx": 2
    }
]
)");
}

TEST(ContentList, WritesEquationsListsImagesAndCode) {
  Page page;
  page.blocks = {
      {"equation", {0, 0, 1, 0.1}, 0, "\\[\na\n\\]"},   {"list", {0, 0.2, 1, 0.4}, 0},
      {"ref_text", {0, 0.2, 1, 0.3}, 0, "[1] A"},       {"image", {0, 0.5, 1, 0.6}, 0},
      {"image_footnote", {0, 0.61, 1, 0.65}, 0, "own"}, {"code", {0, 0.7, 1, 0.8}, 0, "x"}};
  const std::string json = ToContentListJson({page});
  for (const char* part :
       {"\"text\": \"$$\\na\\n$$\",\n        \"text_format\": \"latex\"",
        "\"sub_type\": \"ref_text\",\n        \"list_items\": [\n            \"[1] A\"",
        "\"image_footnote\": [\n            \"own\"", "\"code_body\": \"```txt\\nx\\n```\""}) {
    EXPECT_NE(json.find(part), std::string::npos) << part << "\n" << json;
  }
}

TEST(ContentList, NamesThePictureOfAFormulaThatWasNotRead) {
  Page page;
  page.blocks = {{"equation", {0, 0, 1, 0.1}, 0}};
  page.blocks[0].img_path = "p1.jpg";
  const std::string json = ToContentListJson({page}, "p/");
  EXPECT_NE(json.find("\"img_path\": \"p/p1.jpg\",\n        \"text\": \"\""), std::string::npos)
      << json;
}

}  // namespace
}  // namespace octavo
