#include "evaluate/html_scan.h"

#include <string>

#include <gtest/gtest.h>

namespace octavo {
namespace {

std::string TagAt(std::string_view text, size_t at = 0) {
  const auto tag = ReadHtmlTag(text, at);
  if (!tag) return "none";
  return (tag->is_closing ? "/" : "") + tag->name + "|" + std::string(tag->attributes) + "|" +
         std::to_string(tag->num_bytes);
}

TEST(HtmlScan, ReadsTags) {
  EXPECT_EQ(TagAt("<td>"), "td||4");
  EXPECT_EQ(TagAt("x</TD >", 1), "/td| |6");
  EXPECT_EQ(TagAt("<td colspan=\"2\">"), "td| colspan=\"2\"|16");
  EXPECT_EQ(TagAt("<br/>"), "br|/|5");
  EXPECT_EQ(TagAt("<img src='a b' alt width = 3 />"), "img| src='a b' alt width = 3 /|31");
  EXPECT_EQ(TagAt("<td data-x:y.z=_>"), "td| data-x:y.z=_|17");
  EXPECT_EQ(TagAt("<td title=\"a > b\">x"), "td| title=\"a > b\"|18");
  EXPECT_EQ(TagAt("<!-- a > b -->x"), "!||14");
  EXPECT_EQ(TagAt("<!DOCTYPE html>"), "!||15");
}

TEST(HtmlScan, TakesALessThanSignForText) {
  for (const char* text :
       {"<", "< b", "<3", "<=", "<b", "</", "</ b>", "<!", "<!3>", "<x@y.org>"}) {
    EXPECT_EQ(TagAt(text), "none") << text;
  }
  // In Markdown, where the ">" is another one's.
  for (const char* text :
       {"<nettle/nettle-meta.h') and p->name", "<b and c, d>", "<i << 2; x > y", "<stdio.h>",
        "<td colspan=>", "<td colspan=\"2>", "<td a/b>", "<td =2>"}) {
    EXPECT_FALSE(ReadInlineHtmlTag(text, 0)) << text;
  }
  EXPECT_TRUE(ReadInlineHtmlTag("<img src='a b' alt width = 3 />", 0));
  EXPECT_TRUE(ReadInlineHtmlTag("<!-- a, b -->", 0));
  // In HTML, where models write such things.
  EXPECT_EQ(TagAt("<td rowspan=\"2\"colspan=\"3\">"), "td| rowspan=\"2\"colspan=\"3\"|27");
  EXPECT_EQ(TagAt("<td valign=top,>"), "td| valign=top,|16");
  EXPECT_EQ(TagAt("<b " + std::string(5000, 'x') + ">"), "none");
}

TEST(HtmlScan, DecodesReferences) {
  EXPECT_EQ(DecodeEntities("a &amp; b &lt;c&gt; &#65;&#x42; &ndash; &quot;"),
            "a & b <c> AB \u2013 \"");
  EXPECT_EQ(DecodeEntities("R&D; &; &#; &#x; &#xD800; &#1114112; &nosuch; &"),
            "R&D; &; &#; &#x; &#xD800; &#1114112; &nosuch; &");
  EXPECT_EQ(DecodeEntities(EscapeForHtml("a<b & c&lt;d")), "a<b & c&lt;d");
}

TEST(HtmlScan, ReadsSpans) {
  EXPECT_EQ(SpanOf(" colspan=\"3\" rowspan=2", "colspan"), 3);
  EXPECT_EQ(SpanOf(" colspan=\"3\" rowspan=2", "rowspan"), 2);
  EXPECT_EQ(SpanOf(" COLSPAN = '4'", "colspan"), 4);
  EXPECT_EQ(SpanOf("", "colspan"), 1);
  EXPECT_EQ(SpanOf(" colspan=x", "colspan"), 1);
  EXPECT_EQ(SpanOf(" colspan=0", "colspan"), 1);
  EXPECT_EQ(SpanOf(" colspan=99999999999999999999", "colspan"), 1000);
}

}  // namespace
}  // namespace octavo
