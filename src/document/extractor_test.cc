#include "document/extractor.h"

#include <gtest/gtest.h>

#include "document/table_pictures.h"
#include "testing/error_code.h"
#include "testing/fake_engine.h"
#include "testing/mineru_cases.h"
#include "testing/printed_page.h"
#include "vision/image_codec.h"

namespace octavo {
namespace {

constexpr char kLayoutPrompt[] = "\nLayout Detection:";

std::string Block(const std::string& coordinates, const std::string& type) {
  return "<|box_start|>" + coordinates + "<|box_end|><|ref_start|>" + type +
         "<|ref_end|><|rotate_up|>\n";
}

class ExtractorTest : public ::testing::Test {
 protected:
  ExtractorTest() : print_(1000, 1000) {
    for (int y = 150; y < 900; y += 40) print_.Line(100, 900, y);
  }

  Page Read(FakeEngine& engine) {
    Page page;
    Extractor(engine, card_, options_).ReadPage(print_.image(), &page);
    return page;
  }

  PrintedPage print_;
  ModelCard card_;
  ParseOptions options_;
};

TEST_F(ExtractorTest, ReadsLayoutThenEveryBlock) {
  FakeEngine engine([](const Request& request) -> FakeEngine::Answer {
    const std::string prompt = FakeEngine::PromptOf(request);
    if (prompt == kLayoutPrompt) {
      EXPECT_EQ(request.pictures[0].width, 1036);
      EXPECT_EQ(request.pictures[0].height, 1036);
      return {Block("100 100 900 180", "title") + Block("100 200 900 500", "table") +
              Block("100 510 900 600", "equation") + Block("100 610 900 900", "image")};
    }
    if (prompt == "\nTable Recognition:") return {"<fcel>a<fcel>b<nl>"};
    if (prompt == "\nFormula Recognition:") return {"E = mc^2"};
    return {"A Title"};
  });
  const Page page = Read(engine);
  EXPECT_EQ(page.layout, LayoutSource::kModel);
  EXPECT_TRUE(page.warnings.empty());
  EXPECT_EQ(Describe(page.blocks),
            "title 0.1 0.1 0.9 0.18 angle 0 [A Title]\n"
            "table 0.1 0.2 0.9 0.5 angle 0 [<table><tr><td>a</td><td>b</td></tr></table>]\n"
            "equation 0.1 0.51 0.9 0.6 angle 0 [\\[\nE = mc^2\n\\]]\n"
            "image 0.1 0.61 0.9 0.9 angle 0 no content\n");
  EXPECT_EQ(engine.requests().size(), 4u);
  EXPECT_DOUBLE_EQ(page.timings.decode_seconds, 4 * 0.5);
  EXPECT_EQ(engine.requests()[1].pictures[0].width, 800);
  EXPECT_EQ(page.pictures.size(), 3u);  // table, formula and image
}

TEST_F(ExtractorTest, SavesWhatItIsAskedTo) {
  const auto answer = [](const Request& request) -> FakeEngine::Answer {
    if (FakeEngine::PromptOf(request) != kLayoutPrompt) return {"words"};
    return {Block("100 100 900 500", "text") + Block("100 510 900 600", "equation") +
            Block("100 610 900 900", "table")};
  };
  FakeEngine plain(answer);
  Read(plain);
  for (const Request& request : plain.requests()) EXPECT_FALSE(request.prune_blank);

  options_.savings = {.prune_blank = true, .layout_side = 560, .line_height_px = 14};
  FakeEngine engine(answer);
  Read(engine);
  ASSERT_EQ(engine.requests().size(), 4u);
  for (const Request& request : engine.requests()) EXPECT_TRUE(request.prune_blank);
  EXPECT_EQ(engine.requests()[0].pictures[0].width, 560);
  EXPECT_EQ(engine.requests()[0].pictures[0].height, 560);
  // The page's lines are some 28 pixels high: text and table are halved, the formula is not.
  const auto widths = [](const FakeEngine& from) {
    std::vector<int> all;
    for (size_t i = 1; i < from.requests().size(); ++i) {
      all.push_back(from.requests()[i].pictures[0].width);
    }
    return all;
  };
  EXPECT_EQ(widths(plain), (std::vector<int>{800, 800, 800}));
  const std::vector<int> reduced = widths(engine);
  EXPECT_NEAR(reduced[0], 400, 60);
  EXPECT_EQ(reduced[1], 800);
  EXPECT_NEAR(reduced[2], 400, 60);
}

TEST_F(ExtractorTest, PutsPicturesIntoTheirTables) {
  FakeEngine engine([](const Request& request) -> FakeEngine::Answer {
    const std::string prompt = FakeEngine::PromptOf(request);
    if (prompt == kLayoutPrompt) {
      return {Block("100 100 900 500", "table") + Block("150 150 300 300", "image") +
              Block("600 150 800 300", "image") + Block("100 510 900 900", "text")};
    }
    if (prompt == "\nTable Recognition:") {
      return {"<fcel>" + PictureCodeText(0) + "<fcel>\\(x\\)<nl>"};
    }
    return {"words"};
  });
  const Page page = Read(engine);
  ASSERT_EQ(page.pictures.size(), 3u);  // the first image, the table, the second image
  EXPECT_EQ(Describe(page.blocks), "table 0.1 0.1 0.9 0.5 angle 0 [<table><tr><td><img src=\"" +
                                       page.pictures[0].name +
                                       "\"/></td><td><eq>x</eq></td></tr></table>]\n"
                                       "image 0.6 0.15 0.8 0.3 angle 0 no content\n"
                                       "text 0.1 0.51 0.9 0.9 angle 0 [words]\n");
}

TEST_F(ExtractorTest, AnalysesPicturesWhenAskedAndAble) {
  FakeEngine engine([](const Request& request) -> FakeEngine::Answer {
    const std::string prompt = FakeEngine::PromptOf(request);
    if (prompt == kLayoutPrompt) {
      return {Block("100 100 900 500", "image") + Block("100 510 900 900", "text")};
    }
    if (prompt != "\nImage Analysis:") return {"words"};
    return {"<|class_start|>logo<|class_end|><|caption_start|>A bird.<|caption_end|>"};
  });
  EXPECT_EQ(Read(engine).blocks[0].content, std::nullopt);
  options_.image_analysis = true;
  const Page page = Read(engine);
  EXPECT_EQ(page.blocks[0].content, "A bird.");
  EXPECT_EQ(page.blocks[0].sub_type, "logo");
  card_.knows_every_task = false;
  card_.tasks = {"layout", "text"};
  EXPECT_EQ(Read(engine).blocks[0].content, std::nullopt);
}

TEST_F(ExtractorTest, ReadsByWhiteSpaceWhenTheLayoutIsJunk) {
  int num_lines = 0;
  FakeEngine engine([&](const Request& request) -> FakeEngine::Answer {
    if (FakeEngine::PromptOf(request) == kLayoutPrompt) return {"nothing of use"};
    EXPECT_EQ(FakeEngine::PromptOf(request), "\nText Recognition:");
    EXPECT_GT(request.sampling.max_new_tokens, 0);
    return {"line " + std::to_string(++num_lines)};
  });
  const Page page = Read(engine);
  EXPECT_EQ(page.layout, LayoutSource::kWhitespace);
  ASSERT_EQ(page.warnings.size(), 1u);
  EXPECT_NE(page.warnings[0].find("layout: whitespace"), std::string::npos);
  EXPECT_EQ(num_lines, 19);
  ASSERT_EQ(page.blocks.size(), 1u);
  EXPECT_EQ(page.blocks[0].content->substr(0, 20), "line 1 line 2 line 3");
}

// A model without an end: the answer is given up long before its context is full.
TEST_F(ExtractorTest, StopsALayoutAnswerThatOnlyRepeats) {
  std::string loop;
  for (int i = 0; i < 1000; ++i) loop += Block("100 100 900 900", "text");
  FakeEngine engine([&](const Request& request) -> FakeEngine::Answer {
    if (FakeEngine::PromptOf(request) == kLayoutPrompt) return {loop};
    EXPECT_FALSE(request.on_token);
    return {"words"};
  });
  const Page page = Read(engine);
  EXPECT_EQ(page.layout, LayoutSource::kWhitespace);
  ASSERT_EQ(page.warnings.size(), 1u);
  EXPECT_NE(page.warnings[0].find("most of the answer is repetition"), std::string::npos);
}

TEST_F(ExtractorTest, DoesNotAskAModelForLayoutThatItNeverLearned) {
  card_.knows_every_task = false;
  card_.tasks = {"text"};
  card_.line_height_px = 28;
  card_.line_max_width_px = 560;
  FakeEngine engine([](const Request& request) -> FakeEngine::Answer {
    EXPECT_NE(FakeEngine::PromptOf(request), kLayoutPrompt);
    EXPECT_EQ(request.pictures[0].height, 28);
    EXPECT_LT(request.pictures[0].width, 700);
    return {"words"};
  });
  const Page page = Read(engine);
  EXPECT_EQ(page.layout, LayoutSource::kWhitespace);
  EXPECT_EQ(engine.requests().size(), 19u * 2);
}

TEST_F(ExtractorTest, StraightensWhatStandsAskew) {
  options_.layout = ParseOptions::Layout::kWhitespace;
  print_ = PrintedPage(1000, 1000);
  for (int y = 150; y < 900; y += 40) print_.Line(100, 900, y, 14, 3, 0.03);
  FakeEngine engine([](const Request& request) -> FakeEngine::Answer {
    EXPECT_LT(request.pictures[0].height, 36);  // 800 pixels of a line go down by 24
    return {"words"};
  });
  const Page page = Read(engine);
  EXPECT_EQ(engine.requests().size(), 19u);
  ASSERT_EQ(page.warnings.size(), 1u);
  EXPECT_EQ(page.warnings[0], "page_straightened: read after a turn by 1.7 degrees");
  ASSERT_EQ(page.blocks.size(), 1u);
  // Where it stands on the page as it is.
  EXPECT_NEAR(page.blocks[0].bbox[0], 0.1, 0.03);
  EXPECT_NEAR(page.blocks[0].bbox[1], 0.13, 0.03);
  EXPECT_NEAR(page.blocks[0].bbox[2], 0.9, 0.03);
  EXPECT_NEAR(page.blocks[0].bbox[3], 0.905, 0.03);
}

TEST_F(ExtractorTest, CutsPicturesOutOfTheStraightPage) {
  options_.layout = ParseOptions::Layout::kWhitespace;
  print_ = PrintedPage(1000, 1000);
  for (int y = 150; y < 500; y += 40) print_.Line(100, 900, y, 14, 3, 0.03);
  for (int x = 300; x < 700; ++x) {
    const int y = 560 + (x - 300) * 3 / 100;
    print_.Fill(x, y, x + 1, y + 200, 20);
  }
  FakeEngine engine([](const Request&) -> FakeEngine::Answer { return {"words"}; });
  const Page page = Read(engine);
  ASSERT_EQ(page.pictures.size(), 1u);
  const Image cut = DecodeImage(std::as_bytes(std::span(page.pictures[0].jpeg_bytes)), "cut");
  EXPECT_NEAR(cut.height, 200, 6);  // on the page as it is the box is 212 high
  EXPECT_NEAR(cut.width, 400, 12);
}

// A page with a formula between lines of text: short, in the middle, with a raised letter.
class FormulaPageTest : public ExtractorTest {
 protected:
  FormulaPageTest() {
    print_ = PrintedPage(1000, 1000);
    for (int y = 150; y < 400; y += 40) print_.Line(100, 900, y);
    print_.Line(450, 500, 460);
    print_.Fill(502, 430, 512, 442, 20);
    for (int y = 520; y < 900; y += 40) print_.Line(100, 900, y);
    options_.layout = ParseOptions::Layout::kWhitespace;
  }
  // Lines are words, but for the formula's.
  static FakeEngine::Answer AnswerOf(const Request& request, const std::string& formula) {
    if (FakeEngine::PromptOf(request) == "\nFormula Recognition:") return {formula};
    return {request.pictures[0].width < 300 ? "a = b2" : "words of a line"};
  }
  const ContentBlock* FormulaOf(const Page& page) const {
    for (const ContentBlock& block : page.blocks) {
      if (block.type == "equation") return &block;
    }
    return nullptr;
  }
};

TEST_F(FormulaPageTest, ReadsTheFormulasThatWhiteSpaceFinds) {
  FakeEngine engine([](const Request& request) { return AnswerOf(request, "a = b^{2}"); });
  const Page page = Read(engine);
  ASSERT_NE(FormulaOf(page), nullptr);
  EXPECT_EQ(FormulaOf(page)->content, "\\[\na = b^{2}\n\\]");
  const Request asked = engine.requests().back();
  EXPECT_EQ(FakeEngine::PromptOf(asked), "\nFormula Recognition:");
  EXPECT_GT(asked.sampling.max_new_tokens, 0);
  EXPECT_EQ(page.pictures.size(), 1u);
}

TEST_F(FormulaPageTest, KeepsAPictureOfWhatTheModelDoesNotKnow) {
  FakeEngine engine([](const Request& request) { return AnswerOf(request, "a = b^{2}"); });
  card_.knows_every_task = false;
  card_.tasks = {"text"};
  const Page page = Read(engine);
  ASSERT_NE(FormulaOf(page), nullptr);
  EXPECT_EQ(FormulaOf(page)->content, std::nullopt);
  for (const Request& request : engine.requests()) {
    EXPECT_EQ(FakeEngine::PromptOf(request), "\nText Recognition:");
  }
}

TEST_F(FormulaPageTest, KeepsAPictureOfWhatIsNotRead) {
  const FakeEngine::Answer answers[] = {
      {" "},
      {" [Non-Text]\n"},
      {"a = a = a =", FinishReason::kLength},
      {"", FinishReason::kStop, Error(ErrorCode::kDataLoss, "out of luck")},
  };
  for (const FakeEngine::Answer& answer : answers) {
    FakeEngine engine([&](const Request& request) {
      return FakeEngine::PromptOf(request) == "\nFormula Recognition:" ? answer
                                                                       : AnswerOf(request, "");
    });
    const Page page = Read(engine);
    ASSERT_NE(FormulaOf(page), nullptr) << answer.text;
    EXPECT_EQ(FormulaOf(page)->content, std::nullopt) << answer.text;
    EXPECT_EQ(page.pictures.size(), 1u) << answer.text;
    const bool has_failed = answer.error || answer.finish == FinishReason::kLength;
    EXPECT_EQ(page.warnings.size(), has_failed ? 1u : 0u) << answer.text;
  }
}

TEST_F(FormulaPageTest, CanBeCancelledWhileFormulasAreRead) {
  Canceller canceller;
  options_.canceller = &canceller;
  FakeEngine engine([&](const Request& request) -> FakeEngine::Answer {
    if (FakeEngine::PromptOf(request) != "\nFormula Recognition:") return AnswerOf(request, "");
    canceller.Cancel();
    FakeEngine::Answer answer;
    answer.hangs = true;
    return answer;
  });
  EXPECT_EQ(testing::ErrorCodeOf([&] { Read(engine); }), ErrorCode::kCancelled);
}

TEST_F(FormulaPageTest, ReadsFormulasOfDarkPagesDarkOnLight) {
  for (uint8_t& value : print_.image().pixels) value = static_cast<uint8_t>(255 - value);
  FakeEngine engine([](const Request& request) { return AnswerOf(request, "a = b^{2}"); });
  const Page page = Read(engine);
  ASSERT_NE(FormulaOf(page), nullptr);
  EXPECT_TRUE(FormulaOf(page)->content.has_value());
  EXPECT_GT(engine.requests().back().pictures[0].rgb[0], 200);
}

TEST_F(ExtractorTest, FollowsTheModelWhenForced) {
  options_.layout = ParseOptions::Layout::kModel;
  FakeEngine engine([](const Request&) -> FakeEngine::Answer { return {"junk"}; });
  const Page page = Read(engine);
  EXPECT_EQ(page.layout, LayoutSource::kModel);
  EXPECT_TRUE(page.blocks.empty());
  EXPECT_EQ(engine.requests().size(), 1u);
}

TEST_F(ExtractorTest, NeverAsksForLayoutWithWhitespaceChosen) {
  options_.layout = ParseOptions::Layout::kWhitespace;
  FakeEngine engine([](const Request&) -> FakeEngine::Answer { return {"x"}; });
  const Page page = Read(engine);
  EXPECT_EQ(engine.requests().size(), 19u);
  EXPECT_TRUE(page.warnings.empty());
}

TEST_F(ExtractorTest, ReportsBlocksThatFailOrDoNotEnd) {
  FakeEngine engine([](const Request& request) -> FakeEngine::Answer {
    const std::string prompt = FakeEngine::PromptOf(request);
    if (prompt == kLayoutPrompt) {
      return {Block("100 100 900 500", "text") + Block("100 500 900 950", "table")};
    }
    FakeEngine::Answer answer{"cut off", FinishReason::kLength};
    if (prompt == "\nTable Recognition:") answer.error = Error(ErrorCode::kDataLoss, "not finite");
    return answer;
  });
  const Page page = Read(engine);
  ASSERT_EQ(page.warnings.size(), 2u);
  EXPECT_EQ(page.warnings[0].substr(0, 16), "block_truncated:");
  EXPECT_EQ(page.warnings[1].substr(0, 13), "block_failed:");
  EXPECT_EQ(page.blocks[0].content, "cut off");
  EXPECT_EQ(page.blocks[1].content, std::nullopt);
}

TEST_F(ExtractorTest, APageOfWhichNothingCouldBeReadIsAnError) {
  using Layout = ParseOptions::Layout;
  for (const Layout layout : {Layout::kModel, Layout::kWhitespace, Layout::kAuto}) {
    options_.layout = layout;
    FakeEngine engine([](const Request&) -> FakeEngine::Answer {
      FakeEngine::Answer answer;
      answer.error = Error(ErrorCode::kDataLoss, "not finite");
      return answer;
    });
    try {
      Read(engine);
      FAIL() << static_cast<int>(layout);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kDataLoss);
    }
  }
}

TEST_F(ExtractorTest, SaysSoWhereThereIsInkButNoText) {
  options_.layout = ParseOptions::Layout::kWhitespace;
  FakeEngine engine([](const Request&) -> FakeEngine::Answer { return {""}; });
  const Page unread = Read(engine);
  ASSERT_EQ(unread.warnings.size(), 1u);
  EXPECT_EQ(unread.warnings[0], "nothing_read: the page is not blank, but no text was read");
  print_ = PrintedPage(1000, 1000);
  print_.Fill(300, 300, 700, 700, 60);
  const Page photograph = Read(engine);
  ASSERT_EQ(photograph.warnings.size(), 1u);
  EXPECT_EQ(photograph.warnings[0].substr(0, 13), "nothing_read:");
  print_ = PrintedPage(1000, 1000);
  print_.Fill(300, 300, 302, 302, 0);  // dirt
  EXPECT_TRUE(Read(engine).warnings.empty());
}

TEST_F(ExtractorTest, GivesAnEmptyPageForBlankAndTinyPictures) {
  FakeEngine engine([](const Request&) -> FakeEngine::Answer { return {""}; });
  for (const Image& image : {Image(1, 1), Image(300, 400), Image(300, 400, 0)}) {
    Page page;
    Extractor(engine, card_, options_).ReadPage(image, &page);
    EXPECT_TRUE(page.blocks.empty());
    EXPECT_EQ(page.width_px, image.width);
  }
}

}  // namespace
}  // namespace octavo
