#include "evaluate/table_tree.h"

#include <string>

#include <gtest/gtest.h>

namespace octavo {
namespace {

// "(R(abc)(d))": rows and cells in brackets, ASCII text, "?" for a tag; then the elements.
std::string Shape(std::string_view html) {
  const TableTree tree = ReadTableTree(html);
  std::string out;
  for (const TableNode& node : tree.nodes) {
    if (node.kind == TableNode::Kind::kTable) out += "T";
    if (node.kind == TableNode::Kind::kRow) out += "R";
    if (node.kind == TableNode::Kind::kCell) {
      out += "[";
      for (const char32_t c : node.content) out += c < 128 ? static_cast<char>(c) : '?';
      if (node.colspan > 1) out += " c" + std::to_string(node.colspan);
      if (node.rowspan > 1) out += " r" + std::to_string(node.rowspan);
      out += "]";
    }
    out += std::to_string(node.leftmost) + " ";
  }
  return out + "= " + std::to_string(tree.num_elements);
}

TEST(TableTree, ReadsRowsAndCells) {
  EXPECT_EQ(Shape("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>"),
            "[a]0 [b]1 R0 [c]3 R3 T0 = 5");
  EXPECT_EQ(Shape("<table><tr></tr><tr><td colspan=2 rowspan='3'></td></tr></table>"),
            "R0 [ c2 r3]1 R1 T0 = 3");
  EXPECT_EQ(Shape("<table></table>"), "T0 = 0");
  EXPECT_EQ(Shape("no table <td>"), "= 0");
}

TEST(TableTree, MakesHeadsAndBodiesEqual) {
  EXPECT_EQ(Shape("<table border=1><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr>"
                  "</tbody></table>"),
            Shape("<table><tr><td>a</td></tr><tr><td>b</td></tr></table>"));
}

TEST(TableTree, ClosesWhatIsLeftOpen) {
  const std::string closed =
      Shape("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>");
  EXPECT_EQ(Shape("<table><tr><td>a<td>b<tr><td>c"), closed);
  EXPECT_EQ(Shape("x<table>y<td>a</td>z<td>b</td></tr>w<tr><td>c</table>v<td>d"), closed);
}

TEST(TableTree, ReadsWhatStandsInCells) {
  EXPECT_EQ(Shape("<table><tr><td> a &amp;\n b </td></tr></table>"), "[a & b]0 R0 T0 = 2");
  EXPECT_EQ(Shape("<table><tr><td><b>x</b> y<br>z</td></tr></table>"), "[?x? y??z]0 R0 T0 = 4");
  EXPECT_EQ(Shape("<table><tr><td>x</b><i><b>y</i>z<u>w</td></tr></table>"),
            "[x??y??z?w?]0 R0 T0 = 5");
  EXPECT_EQ(Shape("<table><tr><td><table><tr><td>i</td></tr></table></td></tr></table>"),
            "[???i???]0 R0 T0 = 5");
}

TEST(TableTree, StopsAtABound) {
  std::string html = "<table>";
  for (int i = 0; i < 150'000; ++i) html += "<tr>";
  EXPECT_LE(ReadTableTree(html).num_elements, 100'001);
}

}  // namespace
}  // namespace octavo
