#include "document/pdf_pictures.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace octavo {
namespace {

using Numbers = std::vector<int>;

// A start of a JPEG: a preview in its first segment, then a scan.
const std::string kJpegStart("\xFF\xD8\xFF\xE1\x00\x08\xFF\xD8\xFF\xD9..\xFF\xDA\x00\x02scan", 20);

std::string Picture(int number, const std::string& filter, const std::string& data) {
  return std::to_string(number) +
         " 0 obj\n<</Type/XObject/Subtype/Image/Width 3000/Height 2000/BitsPerComponent 8/Filter/" +
         filter + "/Length " + std::to_string(data.size()) + ">>stream\n" + data +
         "\nendstream\nendobj\n";
}

TEST(PdfPictures, FindsJpegsWithoutAnEnd) {
  const std::string whole = kJpegStart + "\xFF\xD9";
  EXPECT_EQ(FindCutPictures(Picture(7, "DCTDecode", whole)), Numbers{});
  EXPECT_EQ(FindCutPictures(Picture(7, "DCTDecode", whole + "\n")), Numbers{});
  EXPECT_EQ(FindCutPictures(Picture(7, "DCTDecode", kJpegStart)), Numbers{7});
  for (size_t size = 2; size < kJpegStart.size(); ++size) {
    EXPECT_EQ(FindCutPictures(Picture(7, "DCTDecode", kJpegStart.substr(0, size))), Numbers{7})
        << size;
  }
  EXPECT_EQ(FindCutPictures("%PDF-1.7\n" + Picture(12, "DCTDecode", kJpegStart) +
                            Picture(9, "DCTDecode", whole) + Picture(4, "DCTDecode", kJpegStart)),
            (Numbers{4, 12}));
}

TEST(PdfPictures, FindsDeflatedDataThatCannotHoldThePicture) {
  EXPECT_EQ(FindCutPictures(Picture(3, "FlateDecode", std::string(100, 'x'))), Numbers{3});
  EXPECT_EQ(FindCutPictures(Picture(3, "FlateDecode", std::string(6000, 'x'))), Numbers{});
}

TEST(PdfPictures, LooksAtPicturesOnly) {
  EXPECT_EQ(FindCutPictures("5 0 obj\n<</Image 7 0 R>>\nendobj\n6 0 obj\n<</Filter/DCTDecode>>"
                            "stream\n\xFF\xD8\nendstream\nendobj\n"),
            Numbers{});
  EXPECT_EQ(FindCutPictures(Picture(7, "JPXDecode", "x")), Numbers{});
}

TEST(PdfPictures, TakesAnyBytes) {
  const std::string pdf = Picture(7, "DCTDecode", kJpegStart) + Picture(8, "FlateDecode", "x");
  for (size_t size = 0; size <= pdf.size(); ++size) FindCutPictures(pdf.substr(0, size));
  Random random(5);
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = pdf;
    for (int i = 0; i < 4; ++i) {
      damaged[random.Next() % damaged.size()] = static_cast<char>(random.Next());
    }
    EXPECT_LE(FindCutPictures(damaged).size(), 2u);
  }
}

TEST(PdfPictures, ReadsTheListOfPdfImages) {
  EXPECT_EQ(PicturesOfPdfImages(
                "page   num  type   width height color comp bpc  enc interp  object ID x-ppi\n"
                "--------------------------------------------------------------------------\n"
                "   1     0 image    1654  2339  rgb     3   8  jpeg   no         6  0   195\n"
                "   1     1 image      10    10  rgb     3   8  image  no   [inline]     195\n"
                "   1     2 smask    1654  2339  gray    1   8  image  no        14  0   195\n"),
            (Numbers{6, 14}));
  EXPECT_EQ(PicturesOfPdfImages(""), Numbers{});
}

}  // namespace
}  // namespace octavo
