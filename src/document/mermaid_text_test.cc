#include "document/mermaid_text.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(MermaidText, MeasuresNames) {
  EXPECT_EQ(MermaidNameLength("A_b-1[x]"), 5u);
  EXPECT_EQ(MermaidNameLength("\xE4\xB8\xAD"
                              "a\xC3\xA4"),
            4u);
  EXPECT_EQ(MermaidNameLength(" A"), 0u);
  EXPECT_EQ(IdentifierLength("_a1-b"), 3u);
  EXPECT_EQ(IdentifierLength("1a"), 0u);
  EXPECT_TRUE(IsIdentifier("Node_1"));
  EXPECT_FALSE(IsIdentifier("Top Layer"));
  EXPECT_FALSE(IsIdentifier(""));
}

TEST(MermaidText, FindsDoubleArrows) {
  EXPECT_EQ(DoubleArrowLength("<--> B"), 4u);
  EXPECT_EQ(DoubleArrowLength("< - -  >"), 8u);
  EXPECT_EQ(DoubleArrowLength("<->"), 0u);
  EXPECT_TRUE(HasDoubleArrow("A <-->B"));
  EXPECT_FALSE(HasDoubleArrow("A < B --> C"));
}

}  // namespace
}  // namespace octavo
