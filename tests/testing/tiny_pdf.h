// PDF files of a few hundred bytes: white pages with one black square.
#ifndef OCTAVO_TESTS_TESTING_TINY_PDF_H_
#define OCTAVO_TESTS_TESTING_TINY_PDF_H_

#include <string>
#include <utility>
#include <vector>

namespace octavo {

// One page for each (width, height) in points; the square is 36 points wide, 36 from the left and
// the bottom.
inline std::string TinyPdf(const std::vector<std::pair<int, int>>& sizes_pt) {
  std::vector<std::string> objects = {"<</Type/Catalog/Pages 2 0 R>>", ""};
  std::string kids;
  for (const auto& [width, height] : sizes_pt) {
    const std::string content = "36 36 36 36 re f";
    objects.push_back("<</Length " + std::to_string(content.size()) + ">>stream\n" + content +
                      "\nendstream");
    objects.push_back("<</Type/Page/Parent 2 0 R/MediaBox[0 0 " + std::to_string(width) + " " +
                      std::to_string(height) + "]/Contents " + std::to_string(objects.size()) +
                      " 0 R>>");
    kids += std::to_string(objects.size()) + " 0 R ";
  }
  objects[1] = "<</Type/Pages/Count " + std::to_string(sizes_pt.size()) + "/Kids[" + kids + "]>>";
  std::string pdf = "%PDF-1.4\n";
  std::vector<size_t> offsets;
  for (size_t i = 0; i < objects.size(); ++i) {
    offsets.push_back(pdf.size());
    pdf += std::to_string(i + 1) + " 0 obj\n" + objects[i] + "\nendobj\n";
  }
  const size_t xref = pdf.size();
  pdf += "xref\n0 " + std::to_string(objects.size() + 1) + "\n0000000000 65535 f \n";
  for (const size_t offset : offsets) {
    std::string digits = std::to_string(offset);
    digits.insert(0, 10 - digits.size(), '0');
    pdf += digits + " 00000 n \n";
  }
  pdf += "trailer<</Size " + std::to_string(objects.size() + 1) + "/Root 1 0 R>>\nstartxref\n" +
         std::to_string(xref) + "\n%%EOF\n";
  return pdf;
}

}  // namespace octavo

#endif  // OCTAVO_TESTS_TESTING_TINY_PDF_H_
