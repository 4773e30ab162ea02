#include "document/table_rows.h"

#include <memory>

#include <gtest/gtest.h>

namespace octavo {
namespace {

struct Table {
  explicit Table(const std::string& html)
      : tree(ParseHtml("<table>" + html + "</table>")), rows(*tree) {}
  std::unique_ptr<HtmlNode> tree;
  TableRows rows;
};

std::string Segments(const TableRows& table, size_t row) {
  std::string out;
  for (const RowSegment& segment : table.SegmentsOf(row)) {
    out += segment.text + ":" + std::to_string(segment.begin) + "-" + std::to_string(segment.end) +
           " ";
  }
  return out;
}

TEST(TableRows, PlaceCellsBesideThoseFromAbove) {
  const Table table(
      "<tr><td rowspan=\"2\">a</td><td colspan=\"2\">b</td></tr><tr><td>c</td><td>\xEF\xBC\xA1 "
      "</td></tr>");
  EXPECT_EQ(table.rows.num_columns(), 3);
  EXPECT_EQ(Segments(table.rows, 0), "a:0-1 b:1-3 ");
  EXPECT_EQ(Segments(table.rows, 1), "a:0-1 c:1-2 A:2-3 ");
  EXPECT_EQ(table.rows.columns()[1].effective, 3);
  EXPECT_EQ(table.rows.columns()[1].actual, 2);
}

TEST(TableRows, CountRepeatedHeadersByFormOrByLooks) {
  const Table first("<tr><td>A</td><td>B</td></tr><tr><td>1</td><td>2</td></tr>");
  const Table second("<tr><th>\xEF\xBC\xA1</th><th> B</th></tr><tr><td>3</td><td>4</td></tr>");
  EXPECT_EQ(CountRepeatedHeaders(first.rows, second.rows), 1u);
  const Table wider("<tr><td colspan=\"2\">A</td><td>B</td></tr>");
  EXPECT_EQ(CountRepeatedHeaders(first.rows, wider.rows), 1u);
  const Table other("<tr><td>A</td></tr>");
  EXPECT_EQ(CountRepeatedHeaders(first.rows, other.rows), 0u);
}

TEST(TableRows, ExtendHeadersOverTheirSpans) {
  const Table table("<tr><td rowspan=\"2\">A</td></tr><tr><td rowspan=\"9\">B</td></tr><tr></tr>");
  EXPECT_EQ(ExtendHeadersBySpans(table.rows, 1), 3u);
  EXPECT_EQ(ExtendHeadersBySpans(table.rows, 0), 0u);
}

TEST(TableRows, FitByWidthAndColumnsOrBoundaryRows) {
  const Table two("<tr><td>a</td><td>b</td></tr>");
  const Table three("<tr><td>a</td><td>b</td><td>c</td></tr>");
  const Table mixed("<tr><td>h</td><td>i</td><td>j</td></tr><tr><td>a</td><td>b</td></tr>");
  const Bbox box = {0.1, 0.1, 0.9, 0.5};
  EXPECT_TRUE(FitTogether(two.rows, box, two.rows, box));
  EXPECT_FALSE(FitTogether(two.rows, box, two.rows, {0.1, 0.1, 0.8, 0.5}));
  EXPECT_FALSE(FitTogether(two.rows, box, three.rows, box));
  EXPECT_TRUE(FitTogether(mixed.rows, box, two.rows, box));
}

TEST(TableRows, BoundHugeSpans) {
  std::string html;
  for (int i = 0; i < 300; ++i) {
    html += "<tr><td colspan=\"2000000000\" rowspan=\"2000000000\">a</td><td>b</td></tr>";
  }
  const Table table(html);
  EXPECT_EQ(table.rows.num_columns(), kMaxTableColumns);
}

}  // namespace
}  // namespace octavo
