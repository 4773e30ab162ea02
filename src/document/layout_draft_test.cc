#include "document/layout_draft.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "document/layout_parser.h"

namespace octavo {
namespace {

constexpr std::string_view kAnswer =
    "<|box_start|>100 101 900 200<|box_end|><|ref_start|>title<|ref_end|><|rotate_up|>\n"
    "<|box_start|>102 220 898 400<|box_end|><|ref_start|>table_caption<|ref_end|><|rotate_up|>\n"
    "<|box_start|>103 420 897 700<|box_end|><|ref_start|>table<|ref_end|><|rotate_up|>\n"
    "<|box_start|>104 720 896 990<|box_end|><|ref_start|>chart<|ref_end|><|rotate_up|>";

TEST(LayoutDraft, ForcesWhatHasNoChoice) {
  EXPECT_EQ(ForcedLayoutText(""), "<|box_start|>");
  EXPECT_EQ(ForcedLayoutText("<|box_start|>"), "");
  EXPECT_EQ(ForcedLayoutText("<|box_start|>10"), "");
  EXPECT_EQ(ForcedLayoutText("<|box_start|>100"), " ");
  EXPECT_EQ(ForcedLayoutText("<|box_start|>100 "), "");
  EXPECT_EQ(ForcedLayoutText("<|box_start|>100 200 300"), " ");
  EXPECT_EQ(ForcedLayoutText("<|box_start|>100 200 300 400"), "<|box_end|><|ref_start|>");
  EXPECT_EQ(ForcedLayoutText("<|box_start|>100 200 300 400<|box_end|>"), "<|ref_start|>");
  const std::string named = "<|box_start|>100 200 300 400<|box_end|><|ref_start|>";
  EXPECT_EQ(ForcedLayoutText(named), "");
  EXPECT_EQ(ForcedLayoutText(named + "table"), "") << "or table_caption, or table_footnote";
  EXPECT_EQ(ForcedLayoutText(named + "tit"), "le<|ref_end|><|rotate_up|>\n<|box_start|>");
  EXPECT_EQ(ForcedLayoutText(named + "title<|ref_end|>"), "<|rotate_up|>\n<|box_start|>");
  EXPECT_EQ(ForcedLayoutText(named + "title<|ref_end|><|rotate_left|>"), "\n<|box_start|>");
  EXPECT_EQ(ForcedLayoutText(named + "title<|ref_end|><|rotate_up|>\n"), "<|box_start|>");
}

TEST(LayoutDraft, SaysNothingOfWhatIsNotInTheGrammar) {
  for (const char* answer :
       {"words", "<|box_start|>1x0", "<|box_start|>100,", "<|box_start|>1000",
        "<|box_start|>100 200 300 400 500", "<|box_start|>100 200 300 40x<|box_end|>",
        "<|box_start|>100 200 300 400<|ref_start|>",
        "<|box_start|>100 200 300 400<|box_end|><|ref_start|>nonsense",
        "<|box_start|>100 200 300 400<|box_end|><|ref_start|>title<|ref_end|>words"}) {
    EXPECT_EQ(ForcedLayoutText(answer), "") << answer;
  }
  EXPECT_EQ(ForcedLayoutText("<|box_start|>100" + std::string(100000, '1')), "");
}

// At every place of a real answer what is forced is what comes, but for the last block's end.
TEST(LayoutDraft, IsRightAllOverAnAnswer) {
  ASSERT_EQ(ParseLayout(kAnswer).blocks.size(), 4u);
  size_t num_forced = 0;
  for (size_t i = 0; i < kAnswer.size();) {
    const std::string forced = ForcedLayoutText(kAnswer.substr(0, i));
    const std::string_view rest = kAnswer.substr(i, forced.size());
    EXPECT_TRUE(forced.starts_with(rest)) << kAnswer.substr(0, i) << " | " << forced;
    num_forced += rest.size();
    i += std::max<size_t>(rest.size(), 1);
  }
  EXPECT_GT(num_forced, kAnswer.size() * 3 / 4) << "of characters: most stand in the signs";
}

// Whatever bytes: no crash, and nothing long.
TEST(LayoutDraft, SurvivesDamage) {
  for (size_t i = 0; i < kAnswer.size(); ++i) {
    for (const char c : {'\0', '\xFF', '<', '|', ' ', '\n'}) {
      std::string damaged(kAnswer);
      damaged[i] = c;
      for (size_t end = i; end <= std::min(damaged.size(), i + 90); ++end) {
        EXPECT_LE(ForcedLayoutText(std::string_view(damaged).substr(0, end)).size(), 64u);
      }
    }
  }
}

}  // namespace
}  // namespace octavo
