#include "document/mermaid_repetition.h"

#include <string>

#include <gtest/gtest.h>

namespace octavo {
namespace {

std::string Times(int count, const std::string& text) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

TEST(MermaidRepetition, LeavesAnOrdinaryChart) {
  EXPECT_FALSE(IsRepetitiveMermaid("graph TD\nA[\"Start\"] --> B[\"End\"]\nB --> C --> D\nnote"));
  EXPECT_FALSE(IsRepetitiveMermaid(""));
}

TEST(MermaidRepetition, FindsRepeatedLinesInALabel) {
  EXPECT_TRUE(IsRepetitiveMermaid(std::string("A[\"x") + Times(8, "\\nsame") + "\"]"));
  EXPECT_TRUE(IsRepetitiveMermaid(std::string("A[\"x") + Times(8, "<br />same") + "\"]"));
  EXPECT_FALSE(IsRepetitiveMermaid(std::string("A[\"x") + Times(7, "\\nsame") + "\"]"));
  EXPECT_TRUE(IsRepetitiveMermaid(std::string("A[\"x") + Times(20, "\\nsame\\nother") + "\"]"));
}

TEST(MermaidRepetition, FindsOverlongAndRepetitiveNames) {
  EXPECT_TRUE(IsRepetitiveMermaid(Times(129, "1") + " --> B"));
  EXPECT_FALSE(IsRepetitiveMermaid(Times(128, "1") + " --> B"));
  EXPECT_TRUE(IsRepetitiveMermaid(Times(8, "An") + "[\"x\"]"));
  EXPECT_TRUE(IsRepetitiveMermaid(std::string("A --> ") + Times(8, "AB") + " --> C"));
  EXPECT_TRUE(IsRepetitiveMermaid(std::string("A --> ") + Times(9, "x")));
}

TEST(MermaidRepetition, FindsTheSameEdgeOrLabelOfEdges) {
  EXPECT_TRUE(IsRepetitiveMermaid(Times(8, "A -->|x| B(y)\n")));
  EXPECT_FALSE(IsRepetitiveMermaid(Times(7, "A -->|x| B\n")));
  std::string edges;
  for (int i = 0; i < 8; ++i) edges += std::string("N") + std::to_string(i) + " --> M[\"same\"]\n";
  EXPECT_TRUE(IsRepetitiveMermaid(edges));
}

TEST(MermaidRepetition, FindsRepeatedWordsOutsideTheStructure) {
  EXPECT_TRUE(IsRepetitiveMermaid(std::string("graph TD\n") + Times(8, "> top,\n")));
  EXPECT_FALSE(
      IsRepetitiveMermaid(std::string("graph TD\n") + Times(8, "subgraph x\nend\n%% c\n")));
}

}  // namespace
}  // namespace octavo
