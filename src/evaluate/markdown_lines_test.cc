#include "evaluate/markdown_lines.h"

#include <string>

#include <gtest/gtest.h>

namespace octavo {
namespace {

// Non-empty lines joined by "/"; lines of code in braces.
std::string Lines(std::string_view markdown) {
  std::string out;
  for (const MarkdownPiece& piece : RemoveLineMarks(markdown)) {
    std::string line;
    for (const char c : piece.text) {
      if (c != '\n') {
        line += c;
        continue;
      }
      if (line.empty()) continue;
      if (!out.empty()) out += '/';
      out += piece.is_literal ? "{" + line + "}" : line;
      line.clear();
    }
  }
  return out;
}

TEST(MarkdownLines, RemovesMarksAtTheBeginning) {
  EXPECT_EQ(Lines("# A\n\n###### B ##\n####### C\n#D\n# E#"), "A/B/####### C/#D/E#");
  EXPECT_EQ(Lines("- a\n* b\n+ c\n  - d\n-e\n- "), "a/b/c/d/-e");
  EXPECT_EQ(Lines("1. a\n2) b\n10. c\n1.5 d\n1."), "a/b/c/1.5 d/1.");
  EXPECT_EQ(Lines("> a\n>> b\n> - c"), "a/b/c");
  EXPECT_EQ(Lines("a\n\n---\n\nb\n===\n* * *\n--\n"), "a/b/--");
}

TEST(MarkdownLines, KeepsANumberThatOnlyStandsAtTheBeginningOfALine) {
  EXPECT_EQ(Lines("on Saturday,\n20. April it rained"), "on Saturday,/20. April it rained");
  EXPECT_EQ(Lines("before\n1. a\n2. b"), "before/a/b");
  EXPECT_EQ(Lines("1. a\nmore\n2. b"), "a/more/b");
  EXPECT_EQ(Lines("text\n\n7. b"), "text/b");
}

TEST(MarkdownLines, KeepsCodeFormulasAndTables) {
  EXPECT_EQ(Lines("```py\n# a\n- b\n```\n- c"), "{# a}/{- b}/c");
  EXPECT_EQ(Lines("$$\n- x\n+ y\n$$\n- c"), "$$/- x/+ y/$$/c");
  EXPECT_EQ(Lines("$$ 5 $$ 6 $$\n\n- c"), "$$ 5 $$ 6 $$/c");
  EXPECT_EQ(Lines("<table>\n<tr><td>\n- 5\n</td></tr>\n</table>\n- c"),
            "<table>/<tr><td>/- 5/</td></tr>/</table>/c");
}

TEST(MarkdownLines, MakesHtmlOfPipes) {
  EXPECT_EQ(Lines("| a | b<c |\n|---|:-:|\n| 1 | x \\| y |\n|||\n\n- z"),
            "<table><tr><td>a</td><td>b&lt;c</td></tr><tr><td>1</td><td>x | y</td></tr>"
            "<tr><td></td><td></td></tr></table>/z");
  EXPECT_EQ(Lines("a | b\n-|-\nc | d"),
            "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>");
  EXPECT_EQ(Lines("a | b\nc | d"), "a | b/c | d");
}

}  // namespace
}  // namespace octavo
