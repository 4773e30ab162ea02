#include "document/lists.h"

#include <string>

#include <gtest/gtest.h>

namespace octavo {
namespace {

// A paragraph of lines 30 pixels high below `y`.
ListItem Item(const char* text, int y, int num_lines = 1, bool is_hanging = false, int x0 = 100) {
  return {ListMarkOf(text), {x0, y, 900, y + 30 * num_lines}, num_lines, is_hanging, false};
}

std::string Lists(const std::vector<ListItem>& paragraphs) {
  std::string out;
  for (const ListRun& run : FindLists(paragraphs, 20)) {
    out += std::to_string(run.begin) + "-" + std::to_string(run.end) + " ";
  }
  return out;
}

TEST(ListMarks, KnowsBulletsNumbersAndLetters) {
  for (const char* text : {"- a", "* a", "• a", "1. a", "12) a", "(a) b", "[12] Ref", "a) b"}) {
    EXPECT_TRUE(StartsWithListMark(text)) << text;
  }
  for (const char* text :
       {"", "-5", "a b", "1990 was", "A. Smith", "1.5 kg", "(see a)", "-", "["}) {
    EXPECT_FALSE(StartsWithListMark(text)) << text;
  }
  EXPECT_EQ(ListMarkOf("12) a").number, 12);
  EXPECT_EQ(ListMarkOf("12) a").closing, ')');
  EXPECT_EQ(ListMarkOf("(b) a").kind, ListMark::Kind::kLetter);
}

TEST(Lists, AreNeighboursWithMarks) {
  EXPECT_EQ(Lists({Item("a", 0), Item("1. b", 40), Item("2. c", 80), Item("d", 120)}), "1-3 ");
  EXPECT_EQ(Lists({Item("- a", 0), Item("- b", 40)}), "0-2 ");
}

TEST(Lists, EndWhereTheNumbersBeginAnew) {
  EXPECT_EQ(Lists({Item("1. a", 0), Item("2. b", 40), Item("1. c", 80), Item("2. d", 120)}),
            "0-2 2-4 ");
  // A list inside a list.
  EXPECT_EQ(Lists({Item("1. a", 0), Item("1. b", 40, 1, false, 150), Item("2. c", 80)}), "0-3 ");
  EXPECT_EQ(Lists({Item("1. a", 0), Item("(1) b", 40), Item("2. c", 80)}), "0-3 ");
}

TEST(Lists, EndAtAParagraphWhoseLinesDoNotHang) {
  EXPECT_EQ(Lists({Item("3. A sentence.", 0, 4), Item("1. a", 150, 2, true), Item("2. b", 220)}),
            "1-3 ");
  EXPECT_EQ(Lists({Item("1. a", 0, 2, true), Item("2. A sentence.", 70, 4)}), "0-1 ");
  EXPECT_EQ(Lists({Item("1. a", 0, 2), Item("2. b", 70, 3)}), "0-2 ");
}

TEST(Lists, EndWithTheColumn) {
  EXPECT_EQ(Lists({Item("1. a", 800), Item("2. b", 840), Item("3. c", 0), Item("4. d", 40)}),
            "0-2 2-4 ");
}

TEST(Lists, HaveOneItemIfItsMarkOrItsLinesSaySo) {
  EXPECT_EQ(Lists({Item("2. A sentence.", 0)}), "");
  EXPECT_EQ(Lists({Item("2. An item", 0, 2, true)}), "0-1 ");
  ListItem printed = Item("- a", 0);
  EXPECT_EQ(Lists({printed}), "");
  printed.has_print_mark = true;
  EXPECT_EQ(Lists({printed}), "0-1 ");
}

}  // namespace
}  // namespace octavo
