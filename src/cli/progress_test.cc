#include "cli/progress.h"

#include <memory>

#include <gtest/gtest.h>

namespace octavo {
namespace {

using Seconds = std::chrono::seconds;

class ProgressTest : public testing::Test {
 protected:
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

  ProgressTest() : talk_(std::tmpfile(), std::fclose), events_(std::tmpfile(), std::fclose) {}

  Progress::Streams Streams() {
    Progress::Streams streams;
    streams.talk = talk_.get();
    streams.now = [this] { return now_; };
    return streams;
  }
  static std::string Read(const File& file) {
    std::string text;
    std::rewind(file.get());
    for (int c = std::fgetc(file.get()); c != EOF; c = std::fgetc(file.get())) {
      text += static_cast<char>(c);
    }
    return text;
  }
  static Page PageOf(int index) {
    Page page;
    page.index = index;
    page.timings.total_seconds = 2;
    page.timings.decode_seconds = 1.25;
    return page;
  }

  File talk_;
  File events_;
  std::chrono::steady_clock::time_point now_{};
};

TEST_F(ProgressTest, WritesALineForEachPageWithoutTerminal) {
  Progress progress(Streams(), 1);
  progress.StartDocument("a.pdf", 3, 1);
  Page page = PageOf(1);
  page.warnings = {"odd"};
  progress.FinishPage(page);
  page.index = 2;
  page.error_code = ErrorCode::kDataLoss;
  page.error = "damaged";
  progress.FinishPage(page);
  progress.FinishDocument("out/a.md");
  EXPECT_EQ(Read(talk_),
            "a.pdf: going on after 1 page of an earlier run\n"
            "a.pdf: page 2: odd\n"
            "a.pdf: page 2 (2 of 3), 2.0 s\n"
            "a.pdf: page 3 failed: damaged\n"
            "a.pdf: on 2 pages: odd\n"
            "a.pdf -> out/a.md\n");
}

TEST_F(ProgressTest, TellsAWarningOfEachDocumentAndOnHowManyPages) {
  Progress progress(Streams(), 2);
  const std::string model = "layout: whitespace: the model was not trained for page layout";
  for (const char* name : {"a.pdf", "b.pdf"}) {
    progress.StartDocument(name, 2, 0);
    for (const int index : {0, 1}) {
      Page page = PageOf(index);
      page.warnings = {model};
      if (index == 1 || name[0] == 'a') page.warnings.push_back("odd");
      progress.FinishPage(page);
    }
    progress.FinishDocument(std::string("out/") + name[0] + ".md");
  }
  EXPECT_EQ(Read(talk_), "a.pdf: page 1: " + model +
                             "\n"
                             "a.pdf: page 1: odd\n"
                             "a.pdf: page 1 (1 of 2), 2.0 s\n"
                             "a.pdf: page 2 (2 of 2), 2.0 s\n"
                             "a.pdf: on 2 pages: odd\n"
                             "a.pdf -> out/a.md\n"
                             "b.pdf: page 1 (1 of 2), 2.0 s\n"
                             "b.pdf: page 2: odd\n"
                             "b.pdf: page 2 (2 of 2), 2.0 s\n"
                             "b.pdf -> out/b.md\n");
}

TEST_F(ProgressTest, AFailedPageIsNamedOnceAndHasNoLayout) {
  Progress::Streams streams = Streams();
  streams.events = events_.get();
  Progress progress(streams, 1);
  progress.StartDocument("a.tif", 2, 0);
  Page page = PageOf(1);
  page.error_code = ErrorCode::kDataLoss;
  page.error = "a.tif: page 2: image_corrupt: cut";
  progress.FinishPage(page);
  EXPECT_EQ(Read(talk_), "a.tif: page 2 failed: image_corrupt: cut\n");
  EXPECT_EQ(Read(events_).find("\"layout\""), std::string::npos) << Read(events_);
}

// What a file is called moves no cursor and sets no title.
TEST_F(ProgressTest, WritesNoControlCharacterOfANameToTheTerminal) {
  Progress::Streams streams = Streams();
  streams.events = events_.get();
  Progress progress(streams, 1);
  const std::string name = "a\x1b]0;owned\a\nb.pdf";
  progress.FailDocument(name, Error(ErrorCode::kNotFound, name + ": absent"));
  EXPECT_EQ(Read(talk_), "octavo: not found: a\\x1B]0;owned\\x07\\x0Ab.pdf: absent\n");
  EXPECT_NE(Read(events_).find(R"("input":"a\u001b]0;owned\u0007\nb.pdf")"), std::string::npos)
      << Read(events_);
}

TEST_F(ProgressTest, DrawsABarWithRateAndTimeLeftOnATerminal) {
  Progress::Streams streams = Streams();
  streams.is_terminal = true;
  streams.width = 100;
  {
    Progress progress(streams, 1);
    progress.StartDocument("a.pdf", 4, 0);
    now_ += Seconds(30);
    progress.FinishPage(PageOf(0));
  }
  const std::string text = Read(talk_);
  EXPECT_NE(text.find("] 1/4 pages, 2.0 pages/min, 1:30 left, "), std::string::npos) << text;
  EXPECT_EQ(text.substr(text.size() - 4), "\r\x1b[K");  // nothing is left behind
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST_F(ProgressTest, WritesEventsAsJsonLines) {
  Progress::Streams streams = Streams();
  streams.events = events_.get();
  Progress progress(streams, 2);
  progress.StartDocument("a.pdf", 1, 0);
  progress.FinishPage(PageOf(0));
  progress.FinishDocument("out/a.md");
  progress.FailDocument("b.pdf", Error(ErrorCode::kNotFound, "b.pdf: no such file"));
  progress.Finish(false);
  const std::string text = Read(events_);
  for (const char* line : {R"({"event":"document","input":"a.pdf","pages":1,"pages_kept":0})",
                           R"({"event":"done","input":"a.pdf","result":"out/a.md"})",
                           R"("code":"not found","error":"b.pdf: no such file"})",
                           R"({"event":"end","documents":2,"documents_failed":1,)"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  }
}

TEST_F(ProgressTest, CountsWhatFailedInTheClosingLine) {
  Progress progress(Streams(), 2);
  progress.StartDocument("a.pdf", 2, 0);
  progress.FinishPage(PageOf(0));
  progress.FinishDocument("out/a.md");
  progress.SkipDocument("b.pdf", "out/b.md");
  now_ += Seconds(60);
  progress.Finish(true);
  const std::string text = Read(talk_);
  EXPECT_NE(text.find("1 page of 2 documents in 1:00 (1.0 pages/min), 1 unchanged, at most"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("seconds by stage"), std::string::npos);
  EXPECT_NE(text.find("decode 1.25"), std::string::npos) << text;
}

TEST_F(ProgressTest, CountsPagesToStdoutAndDocumentsThatFailed) {
  Progress::Streams streams = Streams();
  streams.events = events_.get();
  Progress progress(streams, 3);
  progress.StartDocument("a.pdf", 1, 0);
  progress.FinishPage(PageOf(0));
  progress.FinishDocument("-");
  progress.StartDocument("b.png", 1, 0);
  Page page = PageOf(0);
  page.error_code = ErrorCode::kDataLoss;
  page.error = "b.png: cut";
  progress.FinishPage(page);
  progress.GiveUpDocument(Error(ErrorCode::kDataLoss, "b.png: cut"));
  progress.FailDocument("c.pdf", Error(ErrorCode::kNotFound, "c.pdf: absent"));
  now_ += Seconds(60);
  progress.Finish(false);
  const std::string text = Read(talk_);
  EXPECT_EQ(text.substr(0, text.find("2 pages of")),
            "a.pdf: page 1 (1 of 1), 2.0 s\n"
            "b.png: page 1 failed: cut\n"
            "octavo: not found: c.pdf: absent\n");
  EXPECT_NE(text.find("2 pages of 3 documents in 1:00 (2.0 pages/min), 2 failed, 1 page failed"),
            std::string::npos)
      << text;
  EXPECT_NE(Read(events_).find(R"({"event":"end","documents":3,"documents_failed":2,)"),
            std::string::npos);
}

TEST_F(ProgressTest, TimeLeftCountsDocumentsThatAreStillClosed) {
  Progress::Streams streams = Streams();
  streams.is_terminal = true;
  streams.width = 100;
  Progress progress(streams, 4);
  progress.SkipDocument("a.pdf", "out/a.md");
  progress.FailDocument("b.pdf", Error(ErrorCode::kNotFound, "b.pdf: absent"));
  progress.StartDocument("c.pdf", 2, 0);
  now_ += Seconds(10);
  progress.FinishPage(PageOf(0));
  // One page here and two of the fourth document, at ten seconds each.
  EXPECT_NE(Read(talk_).find("document 3/4, 6.0 pages/min, 30 s left"), std::string::npos)
      << Read(talk_);
}

TEST_F(ProgressTest, TakesTheBarAwayForResultsOnTheSameTerminal) {
  Progress::Streams streams = Streams();
  streams.is_terminal = true;
  Progress progress(streams, 1);
  progress.StartDocument("a.pdf", 1, 0);
  progress.EraseBar();
  const std::string text = Read(talk_);
  EXPECT_EQ(text.substr(text.size() - 4), "\r\x1b[K");
}

TEST(DurationText, ChoosesUnits) {
  EXPECT_EQ(DurationText(0.2), "0 s");
  EXPECT_EQ(DurationText(59.4), "59 s");
  EXPECT_EQ(DurationText(187), "3:07");
  EXPECT_EQ(DurationText(7205), "2:00:05");
}

}  // namespace
}  // namespace octavo
