#include "document/pdf_info.h"

#include <string>

#include <gtest/gtest.h>

namespace octavo {
namespace {

constexpr const char* kOutput =
    "Title:           Pages: 7\n"
    "Form:            none\n"
    "Pages:           5\n"
    "Encrypted:       no\n"
    "Page    3 size:  595.276 x 841.89 pts (A4)\n"
    "Page    3 rot:   0\n"
    "Page   14 size:  480 x 90 pts\n"
    "Page   14 rot:   90\n"
    "Page   15 size:  1e+09 x 1 pts\n"
    "Page 12345 size:  10 x 20 pts\n"
    "Page    4 size:  0 x 0 pts\n";

TEST(PdfInfo, FindsPagesAndSizes) {
  EXPECT_EQ(PagesOfPdfInfo(kOutput), 5);
  EXPECT_EQ(PagesOfPdfInfo(""), 0);
  EXPECT_EQ(PagesOfPdfInfo("Pages:           99999999999999999999\n"), 0);
  const auto size = PageSizeOfPdfInfo(kOutput, 3);
  ASSERT_TRUE(size);
  EXPECT_DOUBLE_EQ(size->width_pt, 595.276);
  EXPECT_DOUBLE_EQ(size->height_pt, 841.89);
  ASSERT_TRUE(PageSizeOfPdfInfo(kOutput, 15));
  EXPECT_DOUBLE_EQ(PageSizeOfPdfInfo(kOutput, 15)->width_pt, 1e9);
  ASSERT_TRUE(PageSizeOfPdfInfo(kOutput, 12345));
  EXPECT_FALSE(PageSizeOfPdfInfo(kOutput, 4));
  EXPECT_FALSE(PageSizeOfPdfInfo(kOutput, 5));
  EXPECT_FALSE(PageSizeOfPdfInfo("Page    1 size:  nan x inf pts\n", 1));
}

// pdfinfo prints a title as it is, line feeds included, and its own lines behind it.
TEST(PdfInfo, TakesNoWordOfTheDocumentForItsOwn) {
  const std::string title =
      "Title:           x\nPages:  99999\nForm: XFA\nEncrypted:  no\n"
      "Page    3 size:  1 x 2 pts\nPage    3 rot:   90\nPage    9 size:  1 x 2 pts\n";
  const std::string output = title + kOutput;
  EXPECT_EQ(PagesOfPdfInfo(output), 5);
  EXPECT_FALSE(HasXfaForm(output));
  ASSERT_TRUE(PageSizeOfPdfInfo(output, 3));
  EXPECT_DOUBLE_EQ(PageSizeOfPdfInfo(output, 3)->width_pt, 595.276);
  EXPECT_FALSE(PageSizeOfPdfInfo(output, 9));
}

TEST(PdfInfo, TurnsTheSizeWithThePage) {
  ASSERT_TRUE(PageSizeOfPdfInfo(kOutput, 14));
  EXPECT_DOUBLE_EQ(PageSizeOfPdfInfo(kOutput, 14)->width_pt, 90);
  EXPECT_DOUBLE_EQ(PageSizeOfPdfInfo(kOutput, 14)->height_pt, 480);
}

TEST(PdfInfo, KnowsXfaForms) {
  EXPECT_TRUE(HasXfaForm("Form:            XFA\n"));
  EXPECT_FALSE(HasXfaForm("Form:            AcroForm\n"));
  EXPECT_FALSE(HasXfaForm(kOutput));
}

TEST(PdfInfo, CountsPagesThatPopplerLeftOut) {
  EXPECT_FALSE(LeavesOutPages(""));
  EXPECT_FALSE(LeavesOutPages("Syntax Error: Kid object (page 3) is not an indirect reference\n"));
  // The third and the fourth entry of six are no pages.
  const std::string errors =
      "Syntax Error: Kid object (page 3) is wrong type (null)\n"
      "Internal Error: something\n"
      "Syntax Error: Kid object (page 3) is wrong type (integer)\n";
  EXPECT_TRUE(LeavesOutPages(errors));
  const int expected[] = {1, 2, 0, 0, 3, 4};
  for (int number = 1; number <= 6; ++number) {
    const PdfPagePlace place = PlaceOfPage(errors, number);
    EXPECT_EQ(place.is_damaged, expected[number - 1] == 0) << number;
    EXPECT_EQ(place.is_damaged ? 0 : place.poppler_number, expected[number - 1]) << number;
  }
}

TEST(PdfInfo, TakesAnyOutput) {
  for (const char* output :
       {"Pages:", "Pages: x", "Page    1 size:", "Page    1 size: 5", ":\n:"}) {
    EXPECT_EQ(PagesOfPdfInfo(output), 0) << output;
    EXPECT_FALSE(PageSizeOfPdfInfo(output, 1)) << output;
  }
  for (const char* errors : {"Kid object (page ", "Kid object (page 9999999999999) is wrong type",
                             "Kid object (page x) is wrong type"}) {
    EXPECT_FALSE(LeavesOutPages(errors)) << errors;
  }
}

}  // namespace
}  // namespace octavo
