#include <gtest/gtest.h>

#include "document/content_list.h"
#include "octavo/document.h"

namespace octavo {
namespace {

nlohmann::json ItemsOf(std::vector<ContentBlock> blocks) {
  Page page;
  page.width_pt = 600;
  page.height_pt = 800;
  page.blocks = std::move(blocks);
  return nlohmann::json::parse(ToContentListV2Json({page})).at(0);
}

// Forms are mineru 3.4.5's.
TEST(ContentListV2, HasAnArrayPerPage) {
  EXPECT_EQ(ToContentListV2Json({}), "[]\n");
  EXPECT_EQ(ToContentListV2Json({Page(), Page()}), "[\n    [],\n    []\n]\n");
}

TEST(ContentListV2, TypesTextAndTitles) {
  const auto items = ItemsOf({{"title", {0, 0, 1, 0.1}, 0, "On \\(p\\)"},
                              {"text", {0, 0.1, 1, 0.2}, 0, "a"},
                              {"header", {0, 0, 1, 0.05}, 0, "h"},
                              {"page_number", {0, 0.9, 1, 1}, 0, "3"}});
  EXPECT_EQ(items[0].dump(),
            R"({"bbox":[0,0,1000,100],"content":{"level":1,"title_content":[{"content":"On  ",)"
            R"("type":"text"},{"content":"p","type":"equation_inline"}]},"type":"title"})");
  EXPECT_EQ(items[1].at("type"), "paragraph");
  EXPECT_EQ(items[2].at("content").begin().key(), "page_header_content");
  EXPECT_EQ(items[3].at("content").begin().key(), "page_number_content");
}

TEST(ContentListV2, TypesTablesByTheirForm) {
  const auto items = ItemsOf({{"table", {0, 0, 1, 0.1}, 0, "<table></table>"},
                              {"table", {0, 0.2, 1, 0.3}, 0, "<td colspan=\"2\">"},
                              {"table", {0, 0.4, 1, 0.5}, 0, "<table><table>"}});
  EXPECT_EQ(items[0].at("content").at("table_type"), "simple_table");
  EXPECT_EQ(items[1].at("content").at("table_type"), "complex_table");
  EXPECT_EQ(items[2].at("content").at("table_nest_level"), 2);
}

TEST(ContentListV2, TypesListsCodeAndFormulas) {
  const auto items = ItemsOf({{"list", {0, 0, 1, 0.1}, 0},
                              {"ref_text", {0, 0, 1, 0.1}, 0, "[1] A"},
                              {"ref_text", {0, 0.2, 1, 0.3}, 0, "[2] B"},
                              {"code", {0, 0.4, 1, 0.5}, 0, "x"},
                              {"equation", {0, 0.6, 1, 0.7}, 0, "\\[\na\n\\]"}});
  EXPECT_EQ(items[0].at("content").at("list_type"), "reference_list");
  EXPECT_EQ(items[1].at("content").at("list_items").size(), 1u);
  EXPECT_EQ(items[2].at("content").at("code_language"), "txt");
  EXPECT_EQ(items[3].at("content").at("math_content"), "a");
}

}  // namespace
}  // namespace octavo
