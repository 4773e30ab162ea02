#include "document/language_guess.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(LanguageGuess, TellsScriptsApart) {
  EXPECT_EQ(GuessLanguage(""), "");
  EXPECT_EQ(GuessLanguage("今日は良い天気ですね"), "ja");
  EXPECT_EQ(GuessLanguage("这个是中文测试。"), "zh");
  EXPECT_EQ(GuessLanguage("오늘은  날씨가 좋습니다."), "ko");
  EXPECT_EQ(GuessLanguage("Привет, как дела?"), "ru");
  EXPECT_EQ(GuessLanguage("E = mc"), "en");
  EXPECT_EQ(GuessLanguage("1 2 3"), "en");
}

TEST(LanguageGuess, WeighsIdeographsAgainstLetters) {
  EXPECT_EQ(GuessLanguage("A 混合 text 内容 with both"), "zh");
  EXPECT_EQ(GuessLanguage("表1 Results"), "zh");
  EXPECT_EQ(GuessLanguage("表1 Results of the experiments on data"), "en");
}

TEST(LanguageGuess, GoesByMarksWhereThereAreNoLetters) {
  EXPECT_EQ(GuessLanguage("※ 1"), "zh");
  EXPECT_EQ(GuessLanguage("「3」、4"), "zh");
  EXPECT_EQ(GuessLanguage("※ see below"), "en");
  EXPECT_EQ(GuessLanguage("★ → 1"), "en");
}

TEST(LanguageGuess, TellsLatinLanguagesByTheirWords) {
  EXPECT_EQ(GuessLanguage("Hello there my friend"), "en");
  EXPECT_EQ(GuessLanguage("Bonjour tout le monde"), "fr");
  EXPECT_EQ(GuessLanguage("Der Hund und die Katze"), "de");
}

TEST(LanguageGuess, KnowsWhatIsJoinedWithoutBlanks) {
  EXPECT_TRUE(IsCjkLanguage("zh") && IsCjkLanguage("ja") && IsCjkLanguage("ko"));
  EXPECT_FALSE(IsCjkLanguage("en") || IsCjkLanguage(""));
}

}  // namespace
}  // namespace octavo
