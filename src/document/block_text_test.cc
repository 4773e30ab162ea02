#include "document/block_text.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

MiddleSpan Span(const char* type, const std::string& content) {
  MiddleSpan span;
  span.type = type;
  span.content = content;
  return span;
}
MiddleSpan Text(const std::string& content) { return Span("text", content); }
MiddleSpan Formula(const std::string& content) { return Span("inline_equation", content); }

MiddleBlock BlockOf(std::vector<std::vector<MiddleSpan>> lines, const char* type = "text") {
  MiddleBlock block;
  block.type = type;
  for (auto& spans : lines) block.lines.push_back({{}, std::move(spans)});
  return block;
}

std::string Pieces(const MiddleBlock& block) {
  std::string out;
  for (const TextPiece& piece : BlockPieces(block)) out += piece.type + "[" + piece.content + "]";
  return out;
}

// Expected values are mineru 3.4.5's.
TEST(BlockText, JoinsWesternLinesWithABlank) {
  EXPECT_EQ(BlockText(BlockOf({{Text("Let "), Formula("x"), Text(", then")}, {Text("it holds.")}})),
            "Let $x$ , then it holds.");
  EXPECT_EQ(BlockText(BlockOf({{Text("a")}, {Text("")}, {Text("b")}})), "a b");
  EXPECT_EQ(BlockText(BlockOf({{Text("so "), Span("interline_equation", "a=b")}, {Text("after")}})),
            "so $$\na=b\n$$after");
}

TEST(BlockText, JoinsCjkLinesWithoutOne) {
  EXPECT_EQ(BlockText(BlockOf({{Text("当"), Formula("x"), Text("增大时")}, {Text("函数单调。")}})),
            "当 $x$ 增大时函数单调。");
  EXPECT_EQ(BlockText(BlockOf({{Text("已知"), Formula("x")}, {Text("是实数。")}})),
            "已知 $x$ 是实数。");
}

TEST(BlockText, TakesHyphensOutBeforeSmallLetters) {
  EXPECT_EQ(BlockText(BlockOf({{Text("The boat is un-")}, {Text("usual today.")}})),
            "The boat is unusual today.");
  EXPECT_EQ(BlockText(BlockOf({{Text("un\u00AD")}, {Text("usual")}})), "unusual");
  EXPECT_EQ(BlockText(BlockOf({{Text("It is Anglo-")}, {Text("Saxon work.")}})),
            "It is Anglo-Saxon work.");
  EXPECT_EQ(BlockText(BlockOf({{Text("It is non-")}, {Formula("x")}})), "It is non-$x$");
}

TEST(BlockText, EscapesTextButNoCode) {
  EXPECT_EQ(BlockText(BlockOf({{Text("# a_b \uff21"), Formula("a*b")}})), "\\# a\\_b A $a*b$");
  EXPECT_EQ(BlockText(BlockOf({{Text("# x")}}), false), "# x");
  EXPECT_EQ(BlockText(BlockOf({{Text("a_b")}}, "code_body")), "a_b");
}

TEST(BlockText, GivesPiecesWithoutEscapes) {
  EXPECT_EQ(Pieces(BlockOf({{Text("a_b "), Formula("x"), Text(" c-")}, {Text("d")}})),
            "text[a_b  ]equation_inline[x]text[ cd]");
  EXPECT_EQ(Pieces(BlockOf({{Text("p")}}, "phonetic")), "phonetic[p]");
  EXPECT_EQ(Pieces(BlockOf({{Text(" ")}})), "");
}

TEST(BlockText, WritesAlgorithmsAsHtml) {
  EXPECT_EQ(AlgorithmHtml(
                BlockOf({{Text("return <y> & \"z\" "), Formula("x"), Formula("y")}}, "code_body")),
            "<div class=\"mineru-algorithm\" style=\"white-space: pre-wrap; "
            "font-family:monospace;\">\nreturn &lt;y&gt; &amp; \"z\" $x$ $y$\n</div>");
  EXPECT_EQ(AlgorithmHtml(BlockOf({{Text(" ")}}, "code_body")), "");
}

TEST(BlockText, FencesCodeLongerThanWhatItHolds) {
  const MiddleBlock code = BlockOf({{Text("a\n```\nb")}}, "code_body");
  EXPECT_EQ(FencedCode(code, "txt", MiddleRule::kKeepText), "````txt\na\n```\nb\n````");
  EXPECT_EQ(FencedCode(code, "txt", MiddleRule::kReference), "```txt\na\n```\nb\n```");
}

TEST(BlockText, PreparesTablesForMarkdown) {
  EXPECT_EQ(TableMarkup("<td><eq>x_1 &lt; 2</eq></td><td>&lt;</td>", "images/"),
            "<td> $x_1 < 2$ </td><td>&lt;</td>");
  EXPECT_EQ(TableMarkup("<img src=\"a.jpg\"/><img src=\"data:x\"/><img src=\"\"/>", "images/"),
            "<img src=\"images/a.jpg\"/><img src=\"data:x\"/><img src=\"\"/>");
  EXPECT_EQ(TableMarkup("<eq>a<b</eq><eq>open", ""), " $a<b$ <eq>open");
}

}  // namespace
}  // namespace octavo
