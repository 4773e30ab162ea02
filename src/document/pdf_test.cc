#include "document/pdf.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "octavo/error.h"
#include "testing/tiny_pdf.h"

namespace octavo {
namespace {

template <typename F>
ErrorCode CodeOf(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.code();
  }
  ADD_FAILURE() << "no Error";
  return ErrorCode::kIo;
}

class Pdf : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(testing::TempDir()) /
        (std::string("pdf_test_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return (folder_ / name).string();
  }
  std::filesystem::path folder_;
};

TEST_F(Pdf, RendersAPageAtTheResolution) {
  const PdfFile pdf(Write("two pages.pdf", TinyPdf({{360, 720}, {144, 72}})), "");
  EXPECT_EQ(pdf.num_pages(), 2);
  std::vector<std::string> warnings;
  const Image page = pdf.RenderPage(0, 100, &warnings);
  EXPECT_EQ(page.width, 500);
  EXPECT_EQ(page.height, 1000);
  EXPECT_TRUE(warnings.empty());
  // A black square stands at 36 to 72 points from the left and the bottom.
  EXPECT_LT(page.row(1000 - 75)[75 * 3], 30);
  EXPECT_GT(page.row(100)[75 * 3], 225);
  EXPECT_EQ(pdf.RenderPage(1, 36, &warnings).width, 72);
}

TEST_F(Pdf, ClampsHugePages) {
  const PdfFile pdf(Write("huge.pdf", TinyPdf({{14400, 7200}})), "");
  std::vector<std::string> warnings;
  const Image page = pdf.RenderPage(0, 200, &warnings);
  EXPECT_NEAR(page.width, kMaxPageSide, 1);
  EXPECT_NEAR(page.height, kMaxPageSide / 2, 1);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].substr(0, 16), "page_downscaled:");
}

TEST_F(Pdf, RefusesWhatIsNoPdf) {
  const std::string junk = Write("junk.pdf", "%PDF-1.4\njunk");
  EXPECT_EQ(CodeOf([&] { PdfFile(junk, ""); }), ErrorCode::kDataLoss);
  const std::string empty = Write("none.pdf", TinyPdf({}));
  EXPECT_EQ(CodeOf([&] { PdfFile(empty, ""); }), ErrorCode::kDataLoss);
}

TEST_F(Pdf, AsksForThePasswordOfAnEncryptedFile) {
  const std::string path = std::string(OCTAVO_TEST_DATA_DIR) + "/pdf/encrypted.pdf";
  EXPECT_EQ(CodeOf([&] { PdfFile(path, ""); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { PdfFile(path, "wrong"); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(PdfFile(path, "secret").num_pages(), 1);
}

TEST(ParsePageRanges, TakesNumbersRangesAndOpenEnds) {
  EXPECT_EQ(ParsePageRanges("", 3), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(ParsePageRanges("1-2,5", 6), (std::vector<int>{0, 1, 4}));
  EXPECT_EQ(ParsePageRanges("5,1-2,2", 6), (std::vector<int>{0, 1, 4}));
  EXPECT_EQ(ParsePageRanges("4-", 6), (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(ParsePageRanges("-2", 6), (std::vector<int>{0, 1}));
}

TEST(ParsePageRanges, RefusesWhatIsNotThere) {
  for (const char* ranges : {"0", "4", "2-4", "3-2", "x", "1,,2", "1-2-3", "1;2", " 1"}) {
    EXPECT_EQ(CodeOf([&] { ParsePageRanges(ranges, 3); }), ErrorCode::kInvalidArgument) << ranges;
  }
}

}  // namespace
}  // namespace octavo
