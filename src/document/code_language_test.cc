#include "document/code_language.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(CodeLanguage, IsGuessedFromMarks) {
  EXPECT_EQ(GuessCodeLanguage("def f(x):\n    return x + 1\n\nprint(f(2))\n"), "python");
  EXPECT_EQ(GuessCodeLanguage("SELECT name FROM boats WHERE id = 3;"), "sql");
  EXPECT_EQ(GuessCodeLanguage("<html><body><p>x</p></body></html>"), "html");
  EXPECT_EQ(GuessCodeLanguage("public class A { public static void main(String[] a) { "
                              "System.out.println(1); } }"),
            "java");
  EXPECT_EQ(GuessCodeLanguage("function f(a) { return a * 2; }\nconsole.log(f(2));"), "javascript");
  EXPECT_EQ(GuessCodeLanguage("#include <stdio.h>\nint main(void) { printf(\"x\"); }"), "c");
}

TEST(CodeLanguage, IsTextWhereLittleIsSaid) {
  for (const char* code : {"", "x", "x = 1", "print(1)", "a_b * c `d` $e"}) {
    EXPECT_EQ(GuessCodeLanguage(code), "txt") << code;
  }
}

TEST(CodeLanguage, IsReadFromTheFence) {
  EXPECT_EQ(FenceLanguage("```python\nx\n```"), "python");
  EXPECT_EQ(FenceLanguage("```\nx"), "");
  EXPECT_EQ(FenceLanguage("```a b\nx"), "");
  EXPECT_EQ(FenceLanguage("x\n```python"), "");
}

// Expected values are mineru 3.4.5's.
TEST(CodeLanguage, LeavesTheCodeWithoutFence) {
  EXPECT_EQ(StripCodeFence("```python\nprint(1)\n```"), "print(1)");
  EXPECT_EQ(StripCodeFence("a\n```\nb\n```"), "a\n```\nb");
  EXPECT_EQ(StripCodeFence("```\n  a\n b"), "a\n b");
  EXPECT_EQ(StripCodeFence("```"), "");
  EXPECT_EQ(StripCodeFence(""), "");
}

}  // namespace
}  // namespace octavo
