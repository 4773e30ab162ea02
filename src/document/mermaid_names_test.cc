#include <gtest/gtest.h>

#include "document/mermaid_repair.h"

namespace octavo {
namespace {

// Expected values are mineru-vl-utils 2.0.7's.
TEST(MermaidNames, GivesWordsANameAndALabelOnce) {
  EXPECT_EQ(LegalizeMermaidNames("graph LR\nTop Layer --> C\nC --> Top Layer\n"),
            "graph LR\n  TopLayer[\"Top Layer\"] --> C\n  C --> TopLayer\n");
  EXPECT_EQ(LegalizeMermaidNames("1st oPTION --> \xE4\xB8\xAD"),
            "  n1stOption[\"1st oPTION\"] --> node[\"\xE4\xB8\xAD\"]");
}

TEST(MermaidNames, KeepsNamesApart) {
  EXPECT_EQ(LegalizeMermaidNames("TopLayer[x]\nTop Layer --> top-Layer"),
            "TopLayer[x]\n  TopLayer2[\"Top Layer\"] --> topLayer[\"top-Layer\"]");
}

TEST(MermaidNames, CleansLabelsOfEdges) {
  EXPECT_EQ(LegalizeMermaidNames("A -->|yes (1)| B; B --> C;"), "  A -->|yes 1| B; B --> C;");
  EXPECT_EQ(LegalizeMermaidNames("A -->| a  (b | B C"), "  A -->|a b| BC[\"B C\"]");
}

TEST(MermaidNames, LeavesOtherLines) {
  EXPECT_EQ(LegalizeMermaidNames("A <--> B C"), "A <--> B C");
  EXPECT_EQ(LegalizeMermaidNames("%% a b --> c"), "%% a b --> c");
  EXPECT_EQ(LegalizeMermaidNames("A[\"x --> y\"] --> B"), "  A[\"x --> y\"] --> B");
  EXPECT_EQ(LegalizeMermaidNames(""), "");
}

}  // namespace
}  // namespace octavo
