#include "cli/calibration_set.h"

#include <algorithm>

#include "base/file.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "cli/input_files.h"
#include "document/crops.h"
#include "document/ink_components.h"
#include "document/ink_map.h"
#include "document/line_crops.h"
#include "document/pdf.h"
#include "document/prompts.h"
#include "document/whitespace_layout.h"
#include "octavo/error.h"
#include "vision/image_codec.h"

namespace octavo {
namespace {

constexpr size_t kMaxPages = 64;
constexpr int kPdfDpi = 200;
constexpr int kMaxLayoutTokens = 256;
constexpr int kMaxLineTokens = 96;

void AddPage(const Image& page, const std::string& name, const ModelCard& card, int max_lines,
             CalibrationSet* set) {
  set->pages.push_back(name);
  if (set->pages.size() == 1 && card.Knows(Task::kLayout)) {
    set->samples.push_back(
        {LayoutPicture(page), std::string(TaskPrompt(Task::kLayout)), kMaxLayoutTokens});
  }
  const InkMap map = FindInk(page);
  const WhitespaceLayout layout = FindLines(SortComponents(map));
  const std::vector<LinePiece> pieces = CutLines(layout, card, map.width, map.height);
  const size_t count = std::min(pieces.size(), static_cast<size_t>(max_lines));
  for (size_t i = 0; i < count; ++i) {
    Image crop = CropOfLine(page, pieces[i * pieces.size() / count], map, card);
    if (crop.empty()) continue;
    const int most = std::min(MaxTokensOfLine(crop), kMaxLineTokens);
    set->samples.push_back({std::move(crop), std::string(TaskPrompt(Task::kText)), most});
  }
}

Image ReadPage(const std::filesystem::path& path, const std::string& name) {
  const std::string bytes = ReadFile(path, kMaxPictureFileBytes);
  if (bytes.starts_with("%PDF")) {
    std::vector<std::string> warnings;  // what is lost of a page is no matter here
    return PdfFile(path.string(), "").RenderPage(0, kPdfDpi, &warnings).image;
  }
  return DecodeImage(std::as_bytes(std::span(bytes)), name);
}

}  // namespace

CalibrationSet SamplesOfBuiltinPages(std::span<const BuiltinPage> pages, const ModelCard& card,
                                     int max_lines) {
  CalibrationSet set;
  for (const BuiltinPage& page : pages) {
    const std::string name(page.name);
    AddPage(DecodeImage(page.png, name), name, card, max_lines, &set);
  }
  return set;
}

CalibrationSet SamplesOfFiles(const std::vector<std::string>& paths, const ModelCard& card,
                              int max_lines) {
  const FoundInputs found = FindInputFiles(paths);
  if (!found.problems.empty()) throw found.problems[0].error;
  CalibrationSet set;
  for (const InputFile& file : found.files) {
    if (set.pages.size() == kMaxPages) break;
    const std::string name = PrintableName(file.path.string(), 400);
    if (file.is_stdin) {
      throw Error(ErrorCode::kInvalidArgument, "calibration pages are files, not standard input");
    }
    AddPage(ReadPage(file.path, name), name, card, max_lines, &set);
  }
  if (set.samples.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat("calibration pages: nothing to read on ", set.pages.size(), " pages"));
  }
  return set;
}

}  // namespace octavo
