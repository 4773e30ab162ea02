#include "document/pdf.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "octavo/error.h"
#include "testing/tiny_pdf.h"
#include "vision/image_codec.h"

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
  static std::string DataPath(const std::string& name) {
    return std::string(OCTAVO_TEST_DATA_DIR) + "/pdf/" + name + ".pdf";
  }
  std::filesystem::path folder_;
};

TEST_F(Pdf, RendersAPageAtTheResolution) {
  const PdfFile pdf(Write("two pages.pdf", TinyPdf({{360, 720}, {144, 72}})), "");
  EXPECT_EQ(pdf.num_pages(), 2);
  std::vector<std::string> warnings;
  const RenderedPage rendered = pdf.RenderPage(0, 100, &warnings);
  const Image& page = rendered.image;
  EXPECT_EQ(rendered.width_pt, 360);
  EXPECT_EQ(rendered.height_pt, 720);
  EXPECT_EQ(page.width, 500);
  EXPECT_EQ(page.height, 1000);
  EXPECT_TRUE(warnings.empty());
  // A black square stands at 36 to 72 points from the left and the bottom.
  EXPECT_LT(page.row(1000 - 75)[75 * 3], 30);
  EXPECT_GT(page.row(100)[75 * 3], 225);
  EXPECT_EQ(pdf.RenderPage(1, 36, &warnings).image.width, 72);
}

TEST_F(Pdf, ClampsHugePages) {
  const PdfFile pdf(Write("huge.pdf", TinyPdf({{14400, 7200}})), "");
  std::vector<std::string> warnings;
  const Image page = pdf.RenderPage(0, 200, &warnings).image;
  EXPECT_NEAR(page.width, kMaxPageSide, 1);
  EXPECT_NEAR(page.height, kMaxPageSide / 2, 1);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].substr(0, 16), "page_downscaled:");
}

TEST_F(Pdf, KeepsMineruSClampForPagesOfUsualShape) {
  EXPECT_EQ(ResolutionOf(612, 792, 200), 200);
  EXPECT_EQ(ResolutionOf(2384, 3370, 200), 3500 * 72.0 / 3370);
  EXPECT_EQ(ResolutionOf(3000, 1000, 200), 3500 * 72.0 / 3000);
}

TEST_F(Pdf, GivesLongPagesTheirResolutionWithinThePixels) {
  EXPECT_EQ(ResolutionOf(226, 3000, 200), 200);
  EXPECT_EQ(ResolutionOf(5000, 226, 200), 200);
  const double strip = ResolutionOf(200, 30000, 200);
  EXPECT_GT(strip, 100);
  EXPECT_NEAR(200 * 30000 * strip * strip / 72 / 72, double{kMaxPageSide} * kMaxPageSide, 1);
  EXPECT_LE(ResolutionOf(1e9, 1, 200) * 1e9 / 72, kMaxLongPageSide + 1);
  const PdfFile pdf(Write("receipt.pdf", TinyPdf({{226, 3000}})), "");
  std::vector<std::string> warnings;
  const Image page = pdf.RenderPage(0, 200, &warnings).image;
  EXPECT_EQ(page.width, 628);
  EXPECT_EQ(page.height, 8334);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(Pdf, WarnsOfAPageWhosePictureIsCut) {
  const std::string jpeg = EncodeJpeg(Image(200, 100, 90), 75);
  const auto pdf = [](const std::string& data) {
    return "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n"
           "2 0 obj\n<</Type/Pages/Count 1/Kids[3 0 R]>>\nendobj\n"
           "3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R"
           "/Resources<</XObject<</X 5 0 R>>>>>>\nendobj\n"
           "4 0 obj\n<</Length 27>>stream\nq 200 0 0 100 0 0 cm /X Do Q\nendstream\nendobj\n"
           "5 0 obj\n<</Type/XObject/Subtype/Image/Width 200/Height 100/ColorSpace/DeviceRGB"
           "/BitsPerComponent 8/Filter/DCTDecode/Length " +
           std::to_string(data.size()) + ">>stream\n" + data +
           "\nendstream\nendobj\ntrailer<</Size 6/Root 1 0 R>>\nstartxref\n0\n%%EOF\n";
  };
  for (const bool is_cut : {false, true}) {
    const std::string data = is_cut ? jpeg.substr(0, jpeg.size() - 60) : jpeg;
    std::vector<std::string> warnings;
    PdfFile::FromBytes(pdf(data), "scan", "").RenderPage(0, 72, &warnings);
    const auto is_told = [](const std::string& w) { return w.substr(0, 12) == "picture_cut:"; };
    EXPECT_EQ(std::any_of(warnings.begin(), warnings.end(), is_told), is_cut);
  }
}

TEST_F(Pdf, RefusesWhatIsNoPdf) {
  const std::string junk = Write("junk.pdf", "%PDF-1.4\njunk");
  EXPECT_EQ(CodeOf([&] { PdfFile(junk, ""); }), ErrorCode::kDataLoss);
  const std::string empty = Write("none.pdf", TinyPdf({}));
  EXPECT_EQ(CodeOf([&] { PdfFile(empty, ""); }), ErrorCode::kDataLoss);
}

TEST_F(Pdf, AsksForThePasswordOfAnEncryptedFile) {
  for (const char* cipher :
       {"encrypted", "rc4_40", "rc4_128", "aes_128", "aes_256", "aes_256_r5"}) {
    const std::string path = DataPath(cipher);
    EXPECT_EQ(CodeOf([&] { PdfFile(path, ""); }), ErrorCode::kInvalidArgument) << cipher;
    EXPECT_EQ(CodeOf([&] { PdfFile(path, "wrong"); }), ErrorCode::kInvalidArgument) << cipher;
    const PdfFile pdf(path, "secret");
    EXPECT_EQ(pdf.num_pages(), 1) << cipher;
    std::vector<std::string> warnings;
    EXPECT_GT(pdf.RenderPage(0, 72, &warnings).image.width, 0) << cipher;
    EXPECT_TRUE(warnings.empty()) << cipher << ": " << warnings.front();
  }
  EXPECT_EQ(PdfFile(DataPath("aes_256_words"), "a secret \u00e4\u4e2d").num_pages(), 1);
}

TEST_F(Pdf, OpensWithoutAPasswordWhatOnlyTheOwnerLocked) {
  EXPECT_EQ(PdfFile(DataPath("owner_only"), "").num_pages(), 1);
  EXPECT_EQ(PdfFile(DataPath("owner_only"), "of another file").num_pages(), 1);
}

TEST_F(Pdf, ReadsBytesAsItReadsFiles) {
  const std::string bytes = TinyPdf({{360, 720}});
  std::vector<std::string> warnings;
  const Image of_bytes = PdfFile::FromBytes(bytes, "stdin", "").RenderPage(0, 72, &warnings).image;
  const Image of_file = PdfFile(Write("a.pdf", bytes), "").RenderPage(0, 72, &warnings).image;
  EXPECT_EQ(of_bytes.width, 360);
  EXPECT_TRUE(of_bytes.pixels == of_file.pixels);
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(CodeOf([&] { PdfFile::FromBytes("%PDF-1.4\njunk", "stdin", ""); }),
            ErrorCode::kDataLoss);
}

// Neither the table of objects nor the trailer is left; then the tree of pages is gone, too.
TEST_F(Pdf, RepairsWhatWasCutOff) {
  const std::string bytes = TinyPdf({{360, 720}, {144, 72}});
  const auto sizes = [&](const std::string& part) {
    const PdfFile pdf = PdfFile::FromBytes(part, "part", "");
    std::string text;
    for (int i = 0; i < pdf.num_pages(); ++i) {
      std::vector<std::string> warnings;
      const Image page = pdf.RenderPage(i, 72, &warnings).image;
      text += std::to_string(page.width) + "x" + std::to_string(page.height) + " ";
      EXPECT_EQ(warnings.size(), 1u);
      EXPECT_EQ(warnings.at(0).substr(0, 13), "pdf_repaired:");
    }
    return text;
  };
  EXPECT_EQ(sizes(bytes.substr(0, bytes.find("xref"))), "360x720 144x72 ");
  EXPECT_EQ(sizes("%PDF-1.4\n" +
                  bytes.substr(bytes.find("3 0 obj"), bytes.find("xref") - bytes.find("3 0 obj"))),
            "360x720 144x72 ");
  EXPECT_EQ(CodeOf([&] { PdfFile::FromBytes(bytes.substr(0, 30), "part", ""); }),
            ErrorCode::kDataLoss);
}

TEST_F(Pdf, ADamagedPageFailsAndTheOthersKeepTheirNumbers) {
  const PdfFile sound(DataPath("lines"), "");
  for (const char* name : {"page3_absent", "page3_number"}) {
    const PdfFile pdf(DataPath(name), "");
    EXPECT_EQ(pdf.num_pages(), 5);
    for (int i = 0; i < 5; ++i) {
      std::vector<std::string> warnings;
      if (i == 2) {
        EXPECT_EQ(CodeOf([&] { pdf.RenderPage(i, 72, &warnings); }), ErrorCode::kDataLoss) << name;
      } else {
        EXPECT_TRUE(pdf.RenderPage(i, 72, &warnings).image.pixels ==
                    sound.RenderPage(i, 72, &warnings).image.pixels)
            << name << i;
      }
    }
  }
}

TEST_F(Pdf, CountsThePagesOfAFileWhoseTitleNamesAnotherNumber) {
  EXPECT_EQ(PdfFile(DataPath("title_pages"), "").num_pages(), 5);
}

TEST_F(Pdf, WarnsOfFormsThatAreMadeByAProgram) {
  std::vector<std::string> warnings;
  PdfFile(DataPath("xfa"), "").RenderPage(0, 72, &warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].substr(0, 16), "xfa_unsupported:");
}

}  // namespace
}  // namespace octavo
