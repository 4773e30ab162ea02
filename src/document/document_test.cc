#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "octavo/document.h"
#include "testing/fake_engine.h"
#include "testing/printed_page.h"
#include "testing/tiny_pdf.h"
#include "vision/image_codec.h"

namespace octavo {
namespace {

class DocumentTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("document_test_") +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return (folder_ / name).string();
  }
  static std::string PrintedPng() {
    PrintedPage page(800, 400);
    for (int y = 100; y < 350; y += 40) page.Line(60, 740, y);
    return EncodePng(page.image());
  }
  std::filesystem::path folder_;
  ParseOptions options_;
};

FakeEngine::Answer Words(const Request& request) {
  if (FakeEngine::PromptOf(request) == "\nLayout Detection:") {
    return {"<|box_start|>000 000 1000 1000<|box_end|><|ref_start|>text<|ref_end|><|rotate_up|>"};
  }
  return {"words of " + std::to_string(request.pictures[0].width)};
}

TEST_F(DocumentTest, ReadsAPictureWhateverItsName) {
  const Document document(Write("scan.pdf", PrintedPng()), options_);
  EXPECT_EQ(document.num_pages(), 1);
  FakeEngine engine(Words);
  std::vector<Page> pages;
  ParsePages(engine, document, document.page_indices(), options_,
             [&](Page page) { pages.push_back(std::move(page)); });
  ASSERT_EQ(pages.size(), 1u);
  EXPECT_EQ(ToMarkdown(pages), "words of 800\n");
}

// Whoever opened it reads it, though its file is cut meanwhile.
TEST_F(DocumentTest, ReadsAPictureAsItWasWhenItWasOpened) {
  const std::string path = Write("scan.png", PrintedPng());
  const Document document(path, options_);
  std::filesystem::resize_file(path, 100);
  FakeEngine engine(Words);
  std::vector<Page> pages;
  ParsePages(engine, document, {0}, options_, [&](Page page) { pages.push_back(std::move(page)); });
  ASSERT_EQ(pages.size(), 1u);
  EXPECT_EQ(pages[0].error, "");
  EXPECT_EQ(ToMarkdown(pages), "words of 800\n");
}

TEST_F(DocumentTest, LeavesOutPagesThatAreNotThere) {
  const std::string path = Write("two.pdf", TinyPdf({{100, 100}, {200, 100}}));
  options_.pages = "2-5";
  const Document part(path, options_);
  EXPECT_EQ(part.page_indices(), std::vector<int>{1});
  EXPECT_TRUE(part.lacks_pages());
  options_.pages = "2-";
  EXPECT_FALSE(Document(path, options_).lacks_pages());
}

TEST_F(DocumentTest, TakesAPictureForAPictureWhateverItSpeaksOf) {
  // A PPM's comment stands in its head; a PDF may stand behind other words.
  const std::string ppm = "P6 # made from %PDF-1.7 file\n2 1 255\n" + std::string(6, '\x7F');
  EXPECT_EQ(Document(Write("note.pdf", ppm), options_).num_pages(), 1);
  const std::string pdf = "HTTP/1.1 200 OK\r\n\r\n" + TinyPdf({{100, 100}, {200, 100}});
  EXPECT_EQ(Document(Write("behind.pdf", pdf), options_).num_pages(), 2);
}

TEST_F(DocumentTest, HandsOverPdfPagesInOrder) {
  const std::vector<std::pair<int, int>> sizes = {{100, 100}, {200, 100}, {300, 100}, {400, 100}};
  options_.dpi = 72;
  options_.pages = "1,3-4";
  options_.pages_in_flight = 3;
  const Document document(Write("four.pdf", TinyPdf(sizes)), options_);
  EXPECT_EQ(document.num_pages(), 4);
  FakeEngine engine(Words);
  std::string seen;
  ParsePages(engine, document, document.page_indices(), options_, [&](Page page) {
    seen += std::to_string(page.index) + ":" + std::to_string(page.width_px) + " ";
  });
  EXPECT_EQ(seen, "0:100 2:300 3:400 ");
}

TEST_F(DocumentTest, ReportsADamagedPictureAsAFailedPage) {
  const std::string png = PrintedPng();
  const Document document(Write("cut.png", png.substr(0, png.size() / 2)), options_);
  FakeEngine engine(Words);
  int num_failed = 0;
  ParsePages(engine, document, {0}, options_, [&](Page page) {
    num_failed += page.error_code == ErrorCode::kDataLoss ? 1 : 0;
    EXPECT_TRUE(page.blocks.empty());
    EXPECT_FALSE(page.error.empty());
  });
  EXPECT_EQ(num_failed, 1);
}

TEST_F(DocumentTest, RefusesWhatIsNoDocument) {
  const auto code_of = [&](const std::string& path) {
    try {
      const Document document(path, options_);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::kCancelled;
  };
  EXPECT_EQ(code_of(Write("empty.pdf", "")), ErrorCode::kDataLoss);
  EXPECT_EQ(code_of(Write("page.pdf", "<!DOCTYPE html><p>x</p>")), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of(Write("text.png", "hello")), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of((folder_ / "absent.pdf").string()), ErrorCode::kNotFound);
  options_.dpi = 10;
  EXPECT_EQ(code_of(Write("scan.png", PrintedPng())), ErrorCode::kInvalidArgument);
  options_.dpi = 200;
  options_.pages = "2";
  EXPECT_EQ(code_of(Write("scan.png", PrintedPng())), ErrorCode::kInvalidArgument);
}

TEST_F(DocumentTest, StopsWhenCancelledAndLosesNoFinishedPage) {
  options_.dpi = 72;
  Canceller canceller;
  options_.canceller = &canceller;
  options_.pages_in_flight = 2;
  const Document document(Write("three.pdf", TinyPdf({{100, 100}, {200, 100}, {300, 100}})),
                          options_);
  FakeEngine engine([](const Request& request) {
    FakeEngine::Answer answer = Words(request);
    answer.hangs = request.pictures[0].width == 200;
    return answer;
  });
  int num_pages = 0;
  ParsePages(engine, document, document.page_indices(), options_, [&](Page page) {
    EXPECT_EQ(page.index, 0);
    ++num_pages;
    canceller.Cancel();
  });
  EXPECT_EQ(num_pages, 1);
}

TEST_F(DocumentTest, PassesOnWhatTheConsumerThrows) {
  options_.dpi = 72;
  const Document document(Write("two.pdf", TinyPdf({{100, 100}, {200, 100}})), options_);
  FakeEngine engine(Words);
  EXPECT_THROW(ParsePages(engine, document, document.page_indices(), options_,
                          [](const Page&) { throw Error(ErrorCode::kIo, "disk full"); }),
               Error);
  EXPECT_THROW(ParsePages(engine, document, {7}, options_, [](const Page&) {}), Error);
}

}  // namespace
}  // namespace octavo
