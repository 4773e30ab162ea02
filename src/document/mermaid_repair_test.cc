#include "document/mermaid_repair.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

// Expected values are mineru-vl-utils 2.0.7's.
TEST(MermaidRepair, DropsEdgesWithASinglePipe) {
  EXPECT_EQ(DropBrokenMermaidEdges("A -->|ok| B\nG -->n(D)| H\nC --> D\n"),
            "A -->|ok| B\nC --> D\n");
  EXPECT_EQ(DropBrokenMermaidEdges("A -->|x\nB --> \"a|b\""), "B --> \"a|b\"");
}

TEST(MermaidRepair, NamesSubgraphs) {
  EXPECT_EQ(LegalizeMermaidSubgraphs("  subgraph 1) Trigger\nsubgraph A b\nsubgraph B [\"x\"]"),
            "  subgraph sg_1_Trigger[\"1) Trigger\"]\nsubgraph A b\nsubgraph B [\"x\"]");
  EXPECT_EQ(LegalizeMermaidSubgraphs("subgraph !\nsubgraph ?\nsubgraph \"a\""),
            "subgraph sg[\"!\"]\nsubgraph sg_2[\"?\"]\nsubgraph a[\"\\\"a\\\"\"]");
}

TEST(MermaidRepair, NormalizesHeaderArrowsAndLabels) {
  EXPECT_EQ(NormalizeMermaid("```mermaid\ngrapg TD\nA[Go \"x\"] - -> B[Stop]\n```"),
            "```mermaid\ngraph TD\nA[\"Go &quot;x&quot;\"] --> B[\"Stop\"]\n```");
  EXPECT_EQ(NormalizeMermaid("mermaid FlowChar LR\nA < - -> B -- > C -> D"),
            "```mermaid\nflowchart LR\nA <--> B --> C --> D\n```");
  EXPECT_EQ(NormalizeMermaid("a  b [x\ny] c[] d[\"[1]\"] e[\"q\"] subgraph s[t]"),
            "```mermaid\na_b[\"x<br>y\"] c[] d[\"[1]\"] e[\"q\"] subgraph s[t]\n```");
  EXPECT_EQ(NormalizeMermaid("A[open"), "```mermaid\nA[open\n```");
  EXPECT_EQ(NormalizeMermaid(" \n"), "");
}

TEST(MermaidRepair, EmptiesALoop) {
  std::string loop = "graph TD\n";
  for (int i = 0; i < 8; ++i) loop += "A --> B\n";
  EXPECT_EQ(RepairMermaid(loop), "");
}

}  // namespace
}  // namespace octavo
