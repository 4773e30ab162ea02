#include "document/html_tree.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

std::string Again(const std::string& html) { return WriteHtml(*ParseHtml(html)); }

// Expected values are BeautifulSoup 4's with html.parser.
TEST(HtmlTree, ComesBackAsBeautifulSoupWritesIt) {
  EXPECT_EQ(Again("<table><tr><td>a<td>b</tr></table>"),
            "<table><tr><td>a<td>b</td></td></tr></table>");
  EXPECT_EQ(Again("<table><tr><td>a</b></td></tr>"), "<table><tr><td>a</td></tr></table>");
  EXPECT_EQ(Again("<td>x<br>y<br/>z</br></td>"), "<td>x<br/>y<br/>z</td>");
  EXPECT_EQ(Again("<TD COLSPAN=2 rowspan=\"3\" x>q</TD>"),
            "<td colspan=\"2\" rowspan=\"3\" x=\"\">q</td>");
  EXPECT_EQ(Again("<td>1 < 2</td>"), "<td>1 &lt; 2</td>");
  EXPECT_EQ(Again("<!-- c --><td>a<!-- d -->b</td>"), "<!-- c --><td>a<!-- d -->b</td>");
  EXPECT_EQ(Again("<td colspan='2'>\"q\" 's'</td>"), "<td colspan=\"2\">\"q\" 's'</td>");
  EXPECT_EQ(Again("</td>a<"), "a&lt;");
  EXPECT_EQ(Again("<td"), "&lt;td");
  EXPECT_EQ(Again("<td a=\"x&amp;y\">\xC2\xA0&#39;&#x27;&amp;lt;</td>"),
            "<td a=\"x&amp;y\">\xC2\xA0''&amp;lt;</td>");
}

TEST(HtmlTree, GivesTextAndElements) {
  const auto tree = ParseHtml("<table><tr><td>a<b>b</b></td><th>&lt;c</th></tr></table>");
  EXPECT_EQ(TextOf(*tree), "ab<c");
  const auto cells = FindAll(*tree, {"td", "th"});
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_TRUE(cells[1]->Is("th"));
}

TEST(HtmlTree, ReadsSpansWithinLimits) {
  const auto tree =
      ParseHtml("<td colspan=\"3\" rowspan=\"-2\"></td><td colspan=\"x\" rowspan=\"99999999999\">");
  EXPECT_EQ(SpanOf(*tree->children[0], "colspan", 100), 3);
  EXPECT_EQ(SpanOf(*tree->children[0], "rowspan", 100), 1);
  EXPECT_EQ(SpanOf(*tree->children[1], "colspan", 100), 1);
  EXPECT_EQ(SpanOf(*tree->children[1], "rowspan", 100), 100);
  EXPECT_EQ(SpanOf(*tree->children[1], "headers", 100), 1);
}

TEST(HtmlTree, MovesNodes) {
  const auto tree = ParseHtml("<tr><td a=\"1\">x</td><td>y</td></tr>");
  HtmlNode* row = tree->children[0].get();
  auto second = Extract(row->children[1].get());
  SetAttribute("colspan", "2", second.get());
  InsertBefore(Clone(*second), row->children[0].get());
  RemoveAttribute("a", row->children[1].get());
  Append(std::move(second), row);
  EXPECT_EQ(WriteHtml(*tree),
            "<tr><td colspan=\"2\">y</td><td>x</td><td colspan=\"2\">y</td></tr>");
}

TEST(HtmlTree, BoundsTheDepth) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<b>";
  EXPECT_EQ(FindAll(*ParseHtml(deep), {"b"}).size(), 100'000u);
}

}  // namespace
}  // namespace octavo
