#include <string>
#include <vector>

#include "cli/test_support.h"

namespace octavo {
namespace {

TEST(Args, BlanksPasswords) {
  std::string words[] = {"octavo",          "parse",   "--password", "secret",
                         "--password=hush", "--pages", "--password"};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  BlankSecrets(static_cast<int>(argv.size()), argv.data());
  EXPECT_EQ(words[3], "******");
  EXPECT_EQ(words[4], "--password=****");
  EXPECT_EQ(words[5], "--pages");
  EXPECT_EQ(words[6], "--password");
}

TEST(Args, AnswersHelpAndVersion) {
  EXPECT_EQ(ExitCodeOf({"--help"}), 0);
  EXPECT_EQ(ExitCodeOf({"parse", "--help"}), 0);
  EXPECT_EQ(ExitCodeOf({"--version"}), 0);
  EXPECT_EQ(ExitCodeOf({}), 0);
}

TEST(Args, NamesTheWordThatIsWrong) {
  const auto complaint = [](const std::vector<const char*>& words) {
    testing::internal::CaptureStderr();
    Parse(words);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(complaint({"foo", "x"}),
            "octavo: no command 'foo'; octavo --help shows the commands\n");
  EXPECT_EQ(
      complaint({"pull", "mineru2.5-pro"}),
      "octavo: no command 'pull' yet: --model names a model's folder; octavo --help shows the "
      "commands\n");
  EXPECT_EQ(complaint({"ask", "x.png"}),
            "octavo: ask: found only 'x.png', expected PICTURE... \"QUESTION\"\n");
}

TEST(Args, RefusesWrongWishes) {
  EXPECT_EQ(ExitCodeOf({"nonsense"}), 2);
  EXPECT_EQ(ExitCodeOf({"pull", "x"}), 2);
  EXPECT_EQ(ExitCodeOf({"nonsense", "parse", "a.pdf", "-o", "out"}), 2);
  EXPECT_EQ(ExitCodeOf({"parse", "a.pdf"}), 2);
  EXPECT_EQ(ExitCodeOf({"parse", "-o", "out"}), 2);
  EXPECT_EQ(ExitCodeOf({"parse", "a.pdf", "-o", "out", "--dpi", "9"}), 2);
  EXPECT_EQ(ExitCodeOf({"parse", "a.pdf", "-o", "out", "--format", "docx"}), 2);
  EXPECT_EQ(ExitCodeOf({"ask", "a.png"}), 2);
  EXPECT_EQ(ExitCodeOf({"bench", "--image", "wide"}), 2);
  EXPECT_EQ(ExitCodeOf({"parse", "a.pdf", "-o", "out", "--nonsense"}), 2);
}

}  // namespace
}  // namespace octavo
