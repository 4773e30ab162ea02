#include "document/html_tree.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

// The tree in one line: name[attributes](children), texts in quotes, comments in exclamation marks.
std::string Outline(const HtmlNode& node) {
  if (node.kind == HtmlNode::Kind::kText) return "'" + node.text + "'";
  if (node.kind == HtmlNode::Kind::kComment) return "!" + node.text + "!";
  std::string out = node.name;
  for (const auto& attribute : node.attributes) {
    out += "[" + attribute.first + "=" + attribute.second + "]";
  }
  out += "(";
  for (const auto& child : node.children) {
    EXPECT_EQ(child->parent, &node);
    out += Outline(*child);
  }
  return out + ")";
}

std::string OutlineOf(const std::string& html) { return Outline(*ParseHtml(html)); }

// The trees are BeautifulSoup 4's with html.parser.
TEST(HtmlTree, IsReadAsBeautifulSoupReadsIt) {
  EXPECT_EQ(OutlineOf("<table><tr><td>a<td>b</tr></table>"), "(table(tr(td('a'td('b')))))");
  EXPECT_EQ(OutlineOf("<table><tr><td>a</b></td></tr>"), "(table(tr(td('a'))))");
  EXPECT_EQ(OutlineOf("<td>x<br>y<br/>z</br></td>"), "(td('x'br()'y'br()'z'))");
  EXPECT_EQ(OutlineOf("<TD COLSPAN=2 rowspan=\"3\" x>q</TD>"),
            "(td[colspan=2][rowspan=3][x=]('q'))");
  EXPECT_EQ(OutlineOf("<td a=1 a=2>q</td>"), "(td[a=2]('q'))");
  EXPECT_EQ(OutlineOf("<td>1 < 2</td>"), "(td('1 < 2'))");
  EXPECT_EQ(OutlineOf("<!-- c --><td>a<!-- d -->b</td>"), "(! c !td('a'! d !'b'))");
  EXPECT_EQ(OutlineOf("<td colspan='2'>\"q\" 's'</td>"), "(td[colspan=2]('\"q\" 's''))");
  EXPECT_EQ(OutlineOf("</td>a<"), "('a<')");
  EXPECT_EQ(OutlineOf("<td"), "('<td')");
  EXPECT_EQ(OutlineOf("<td a=\"x&amp;y\">\xC2\xA0&#39;&#x27;&amp;lt;</td>"),
            "(td[a=x&y]('\xC2\xA0''&lt;'))");
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

TEST(HtmlTree, BoundsTheDepth) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<b>";
  EXPECT_EQ(FindAll(*ParseHtml(deep), {"b"}).size(), 100'000u);
}

}  // namespace
}  // namespace octavo
