#include "document/pdf_rescue.h"

#include <string>

#include <gtest/gtest.h>

#include "base/random.h"
#include "testing/deflate.h"
#include "testing/tiny_pdf.h"

namespace octavo {
namespace {

using testing::Deflated;

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Objects 1 (catalog), 2 (tree) and 3 (page) in an object stream, object 4.
std::string StreamedPdf() {
  const std::string objects[] = {"<</Type/Catalog/Pages 2 0 R>>",
                                 "<</Type/Pages/Count 1/Kids[3 0 R]/MediaBox[0 0 9 9]>>",
                                 "<</Type /Page/Parent 2 0 R>>"};
  std::string index;
  std::string bodies;
  for (int i = 0; i < 3; ++i) {
    index += std::to_string(i + 1) + " " + std::to_string(bodies.size()) + " ";
    bodies += objects[i] + " ";
  }
  return "%PDF-1.5\n4 0 obj\n<</Type/ObjStm/N 3/First " + std::to_string(index.size()) +
         "/Filter/FlateDecode/Length 1>>stream\n" + Deflated(index + bodies) +
         "\nendstream\nendobj\n";
}

TEST(PdfRescue, NamesTheCatalogThatIsThere) {
  const std::string pdf = TinyPdf({{100, 100}, {200, 100}});
  const std::string tail = RescuePdfTail(pdf.substr(0, pdf.find("xref")), PdfRescue::kOwnCatalog);
  EXPECT_TRUE(Has(tail, "trailer\n<</Size")) << tail;
  EXPECT_TRUE(Has(tail, "/Root 1 0 R")) << tail;
  EXPECT_FALSE(Has(tail, "/Pages")) << tail;
}

TEST(PdfRescue, GathersPagesInTheOrderOfTheFile) {
  // Objects 4 and 6 are pages; without the catalog and the tree.
  const std::string pdf = TinyPdf({{100, 100}, {200, 100}});
  const std::string bytes = pdf.substr(pdf.find("3 0 obj"));
  EXPECT_EQ(RescuePdfTail(bytes, PdfRescue::kOwnCatalog), "");
  const std::string tail = RescuePdfTail(bytes, PdfRescue::kAllPages);
  EXPECT_TRUE(Has(tail, "7 0 obj\n<</Type/Pages/Count 2/Kids[4 0 R 6 0 R ]>>")) << tail;
  EXPECT_TRUE(Has(tail, "8 0 obj\n<</Type/Catalog/Pages 7 0 R>>")) << tail;
  EXPECT_TRUE(Has(tail, "/Root 8 0 R")) << tail;
}

TEST(PdfRescue, WritesOutObjectStreams) {
  const std::string tail = RescuePdfTail(StreamedPdf(), PdfRescue::kOwnCatalog);
  EXPECT_TRUE(Has(tail, "1 0 obj\n<</Type/Catalog/Pages 2 0 R>>")) << tail;
  EXPECT_TRUE(Has(tail, "3 0 obj\n<</Type /Page/Parent 2 0 R>>")) << tail;
  EXPECT_TRUE(Has(tail, "/Root 1 0 R")) << tail;
}

TEST(PdfRescue, KeepsWhatPagesInherit) {
  const std::string tail = RescuePdfTail(StreamedPdf(), PdfRescue::kAllPages);
  EXPECT_TRUE(Has(tail, "<</Type/Pages/Count 1/MediaBox [0 0 9 9]/Kids[3 0 R ]>>")) << tail;
}

TEST(PdfRescue, TakesOfACutObjectStreamWhatIsWhole) {
  const std::string pdf = StreamedPdf();
  const size_t end = pdf.rfind("\nendstream");
  bool has_page = false;
  bool has_catalog_alone = false;
  for (size_t length = pdf.find("stream\n"); length < end; ++length) {
    const std::string tail = RescuePdfTail(pdf.substr(0, length), PdfRescue::kOwnCatalog);
    has_page = has_page || Has(tail, "3 0 obj");
    has_catalog_alone = has_catalog_alone || (Has(tail, "1 0 obj") && !Has(tail, "2 0 obj"));
    EXPECT_EQ(Has(tail, "1 0 obj"), Has(tail, "1 0 obj\n<</Type/Catalog/Pages 2 0 R>>"));
  }
  EXPECT_FALSE(has_page);  // its end is not there
  EXPECT_TRUE(has_catalog_alone);
}

TEST(PdfRescue, TheLastDefinitionOfAnObjectCounts) {
  const std::string later = StreamedPdf() + "3 0 obj\n<</Type/Page/Rotate 90>>\nendobj\n";
  EXPECT_FALSE(Has(RescuePdfTail(later, PdfRescue::kOwnCatalog), "3 0 obj"));
  const std::string earlier =
      "1 0 obj\n<</Type/Catalog/Pages 9 0 R>>\nendobj\n" + StreamedPdf().substr(9);
  EXPECT_TRUE(Has(RescuePdfTail(earlier, PdfRescue::kOwnCatalog),
                  "1 0 obj\n<</Type/Catalog/Pages 2 0 R>>"));
}

// `num_objects` bodies that begin at 0 and at `length` in turn, so that every other one is all of
// the text: what they hold together is far more than the file.
std::string OverlappingPdf(int num_objects, size_t length) {
  std::string index;
  for (int i = 0; i < num_objects; ++i) {
    index += std::to_string(10 + i) + (i % 2 == 0 ? " 0 " : " " + std::to_string(length) + " ");
  }
  std::string body = "<</Type/Page>>";
  body.resize(length + 20, ' ');
  return "%PDF-1.5\n1 0 obj\n<</Type/ObjStm/N " + std::to_string(num_objects) + "/First " +
         std::to_string(index.size()) + "/Filter/FlateDecode>>stream\n" + Deflated(index + body) +
         "\nendstream\nendobj\n";
}

TEST(PdfRescue, TakesNoByteOfAnObjectStreamTwice) {
  const std::string tail = RescuePdfTail(OverlappingPdf(600, 1 << 20), PdfRescue::kAllPages);
  EXPECT_LT(tail.size(), size_t{3} << 20);
}

TEST(PdfRescue, KeepsNoEndlessValueThatPagesInherit) {
  const std::string pdf = "1 0 obj<</Type/Page>>endobj 2 0 obj<</Type/Pages/MediaBox[/CropBox[" +
                          std::string(size_t{8} << 20, ' ') + "]]>>endobj";
  const std::string tail = RescuePdfTail(pdf, PdfRescue::kAllPages);
  EXPECT_TRUE(Has(tail, "/Kids[1 0 R ]"));
  EXPECT_LT(tail.size(), 1000u);
}

std::string StoredBlock(const std::string& text) {
  const size_t size = text.size();
  std::string block(1, '\0');
  for (const size_t value : {size, ~size}) {
    block += static_cast<char>(value & 255);
    block += static_cast<char>(value >> 8 & 255);
  }
  return block + text;
}

// Object streams, the header of each in the deflated data of the one before, so that all end at the
// same place, behind megabytes of blocks without output.
std::string NestedPdf(int num_streams, size_t num_blocks) {
  const std::string header =
      " 0 obj<</Type/ObjStm/N 1/First 4/Filter/FlateDecode>>stream\n\x78\x01";
  std::string pdf = "%PDF-1.5\n1" + header;
  for (int i = 2; i <= num_streams; ++i) pdf += StoredBlock(std::to_string(i) + header);
  for (size_t i = 0; i < num_blocks; ++i) pdf += StoredBlock("");
  return pdf + "\xFF\nendstream\nendobj\n";
}

// Whether the stream behind them is still read says how much was read before, without a clock.
TEST(PdfRescue, ReadsTheBytesOfNestedObjectStreamsNotOnceForEach) {
  const std::string sound = StreamedPdf();
  EXPECT_TRUE(Has(RescuePdfTail(NestedPdf(1, 2000) + sound, PdfRescue::kOwnCatalog), "/Root 1 0"));
  EXPECT_EQ(RescuePdfTail(NestedPdf(50, 2000) + sound, PdfRescue::kOwnCatalog), "");
}

TEST(PdfRescue, MendsATreeWhoseEntriesAreNoReferences) {
  std::string pdf = TinyPdf({{100, 100}, {200, 100}, {300, 100}});
  EXPECT_EQ(RescuePdfTail(pdf, PdfRescue::kMendedKids), "");
  pdf.replace(pdf.find("6 0 R"), 5, "6");
  const std::string tail = RescuePdfTail(pdf, PdfRescue::kMendedKids);
  EXPECT_TRUE(Has(tail, "2 0 obj\n\n<</Type/Pages/Count 3/Kids[4 0 R 9 0 R 8 0 R ]>>\nendobj"))
      << tail;
  EXPECT_TRUE(Has(tail, "/Root 1 0 R")) << tail;
  pdf.replace(pdf.find("4 0 R 6"), 7, "<</A[1 0 R]>> (x) /N 4 0 R null");
  EXPECT_TRUE(Has(RescuePdfTail(pdf, PdfRescue::kMendedKids),
                  "/Kids[9 0 R 9 0 R 9 0 R 4 0 R 9 0 R 8 0 R ]"));
}

TEST(PdfRescue, LeavesEncryptedAndEmptyFilesAlone) {
  const std::string encrypted =
      "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj trailer<</Encrypt 5 0 R";
  EXPECT_EQ(RescuePdfTail(encrypted, PdfRescue::kOwnCatalog), "");
  for (const char* bytes : {"", "obj", " 0 obj", "1 0 obj", "0 0 obj<</Type/Page>>endobj",
                            "99999999999 0 obj<</Type/Page>>", "1 0 obj<</Type/Pages>>endobj"}) {
    EXPECT_EQ(RescuePdfTail(bytes, PdfRescue::kOwnCatalog), "") << bytes;
    EXPECT_EQ(RescuePdfTail(bytes, PdfRescue::kAllPages), "") << bytes;
  }
}

TEST(PdfRescue, TakesAnyBytes) {
  const std::string pdf = StreamedPdf() + TinyPdf({{100, 100}});
  Random random(7);
  for (int run = 0; run < 3000; ++run) {
    std::string bytes = pdf;
    for (int i = 0; i < 4; ++i)
      bytes[random.Below(bytes.size())] = static_cast<char>(random.Next());
    bytes.resize(random.Below(bytes.size() + 1));
    for (const PdfRescue rescue : {PdfRescue::kOwnCatalog, PdfRescue::kAllPages}) {
      EXPECT_LT(RescuePdfTail(bytes, rescue).size(), 10 * pdf.size() + (size_t{1} << 20));
    }
  }
}

}  // namespace
}  // namespace octavo
