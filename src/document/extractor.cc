#include "document/extractor.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "document/crops.h"
#include "document/formula_crops.h"
#include "document/layout_check.h"
#include "document/layout_guard.h"
#include "document/layout_parser.h"
#include "document/line_crops.h"
#include "document/line_scale.h"
#include "document/page_skew.h"
#include "document/page_turn.h"
#include "document/paragraphs.h"
#include "document/picture_cuts.h"
#include "document/post_process.h"
#include "document/request_batch.h"
#include "document/table_pictures.h"
#include "document/white_space.h"
#include "document/whitespace_layout.h"

namespace octavo {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Blocks or lines of one page that are sent at most; a page of small print has some 300.
constexpr size_t kMaxRequests = 3000;

void CheckRequestCount(size_t* count, Page* page) {
  if (*count <= kMaxRequests) return;
  page->warnings.push_back(
      StrCat("too_many_blocks: ", *count, " found, the first ", kMaxRequests, " are read"));
  *count = kMaxRequests;
}

void AddTimings(const std::vector<BatchAnswer>& answers, PageTimings* timings) {
  for (const BatchAnswer& answer : answers) {
    timings->encode_seconds += answer.usage.encode_seconds;
    timings->prefill_seconds += answer.usage.prefill_seconds;
    timings->decode_seconds += answer.usage.decode_seconds;
  }
}

// The text of an answer, or nothing with a warning. Text that the cap cut off stays.
std::optional<std::string> TakeAnswer(const BatchAnswer& answer, const std::string& what,
                                      Page* page) {
  if (!answer.error.empty()) {
    page->warnings.push_back(StrCat("block_failed: ", what, ": ", answer.error));
    return std::nullopt;
  }
  if (answer.finish == FinishReason::kLength) {
    page->warnings.push_back(StrCat("block_truncated: ", what, ": the answer did not end"));
  }
  return answer.text;
}

// A page whose print was taken for something else is not to pass for a blank one.
void WarnIfNothingRead(const InkMap& map, Page* page) {
  constexpr int kMinPrint = 8;  // pixels; less is dirt
  const bool has_text = std::any_of(
      page->blocks.begin(), page->blocks.end(),
      [](const ContentBlock& block) { return block.content && !IsBlank(*block.content); });
  if (has_text) return;
  const std::vector<InkComponent> components = FindComponents(map);
  const bool has_ink =
      std::any_of(components.begin(), components.end(), [](const InkComponent& component) {
        return std::max(component.box.width(), component.box.height()) >= kMinPrint;
      });
  if (!has_ink) return;
  page->warnings.push_back(page->blocks.empty()
                               ? "nothing_read: the page is not blank, but no text was read"
                               : "nothing_read: the page has pictures, but no text was read");
}

// "0.8", to a tenth.
std::string DegreesOf(double slope) {
  constexpr double kDegrees = 57.29577951308232;
  char text[16];
  std::snprintf(text, sizeof text, "%.1f", std::atan(slope) * kDegrees);
  return text;
}

// Pictures that lie in tables. Used in this order: crops, answers into the blocks, TakeFound,
// post-processing, Insert.
class PicturesInTables {
 public:
  // Both outlive this.
  PicturesInTables(const Image& image, Page* page) : image_(image), page_(*page) {
    for (const auto& table : FindTablePictures(page->blocks)) {
      for (const size_t picture : table.second) {
        entries_.push_back({table.first, picture, {PictureCodeText(entries_.size()), {}}});
      }
    }
  }

  // The crop of a block as it is sent; one with codes in it is not reduced.
  Image CropOf(size_t number, double scale) const {
    const ContentBlock& block = page_.blocks[number];
    std::vector<MaskedPicture> masks;
    for (const Entry& entry : entries_) {
      if (entry.table != number) continue;
      masks.push_back({page_.blocks[entry.picture].bbox, entry.code.code});
    }
    if (masks.empty()) return CropOfBlock(image_, block.bbox, block.angle, scale);
    return CropOfTable(image_, block, masks);
  }

  // Cuts out the pictures whose codes came back and drops their blocks; the others stay blocks of
  // their own.
  void TakeFound() {
    std::vector<bool> is_taken(page_.blocks.size(), false);
    for (Entry& entry : entries_) {
      const ContentBlock& table = page_.blocks[entry.table];
      const std::string content = table.content.value_or("");
      if (ReplacePictureCodes(content, {entry.code}) == content) continue;
      Image cut = CropBox(image_, page_.blocks[entry.picture].bbox);
      if (!cut.empty() && table.angle.value_or(0) != 0) {
        cut = RotateCounterClockwise(cut, *table.angle);
      }
      entry.code.source = AddPicture(cut, &page_);
      is_taken[entry.picture] = !entry.code.source.empty();
    }
    std::vector<ContentBlock> kept;
    for (size_t i = 0; i < page_.blocks.size(); ++i) {
      if (!is_taken[i]) kept.push_back(std::move(page_.blocks[i]));
    }
    page_.blocks = std::move(kept);
  }

  // Puts the pictures into the tables' HTML.
  void Insert() {
    std::vector<PictureCode> codes;
    for (const Entry& entry : entries_) {
      if (!entry.code.source.empty()) codes.push_back(entry.code);
    }
    for (ContentBlock& block : page_.blocks) {
      if (block.type == "table" && block.content) {
        block.content = ReplacePictureCodes(*block.content, codes);
      }
    }
  }

 private:
  struct Entry {
    size_t table = 0;  // numbers of blocks before TakeFound
    size_t picture = 0;
    PictureCode code;
  };

  const Image& image_;
  Page& page_;
  std::vector<Entry> entries_;
};

}  // namespace

Extractor::Extractor(Engine& engine, const ModelCard& card, const ParseOptions& options)
    : engine_(engine), card_(card), options_(options) {}

void Extractor::ReadPage(const Image& image, Page* page) const {
  constexpr int kMinSide = 8;
  page->width_px = image.width;
  page->height_px = image.height;
  if (image.width < kMinSide || image.height < kMinSide) {
    page->warnings.push_back(StrCat("image_too_small: ", image.width, " x ", image.height));
    return;
  }
  const InkMap map = FindInk(image);
  const PageInk ink = SortComponents(map);
  using Layout = ParseOptions::Layout;
  const bool asks_model = options_.layout == Layout::kModel ||
                          (options_.layout == Layout::kAuto && card_.Knows(Task::kLayout));
  if (asks_model && ReadByModel(image, map, ink, page)) {
    page->layout = LayoutSource::kModel;
  } else {
    if (options_.layout == Layout::kAuto && !asks_model) {
      page->warnings.push_back("layout: whitespace: the model was not trained for page layout");
    }
    page->layout = LayoutSource::kWhitespace;
    ReadUprightByWhitespace(image, map, ink, page);
  }
  CutPictures(image, page);
}

bool Extractor::ReadByModel(const Image& image, const InkMap& map, const PageInk& ink,
                            Page* page) const {
  const Clock::time_point start = Clock::now();
  RequestBatch batch(engine_, options_.canceller, options_.savings.prune_blank);
  RequestBatch::OnText on_text;
  if (options_.layout == ParseOptions::Layout::kAuto) {
    on_text = [guard = std::make_shared<LayoutGuard>()](std::string_view text) {
      const std::string problem = guard->Add(text);
      if (!problem.empty()) throw Error(ErrorCode::kDataLoss, problem);
    };
  }
  batch.Submit(Task::kLayout, LayoutPicture(image, options_.savings.layout_side), 0,
               std::move(on_text));
  const BatchAnswer answer = batch.WaitAll().front();
  AddTimings({answer}, &page->timings);
  page->timings.layout_seconds += SecondsSince(start);
  LayoutAnswer layout = ParseLayout(answer.text);
  if (options_.layout == ParseOptions::Layout::kAuto) {
    const std::string problem =
        answer.error.empty() ? FindLayoutProblem(layout, answer.finish, map, ink) : answer.error;
    if (!problem.empty()) {
      page->warnings.push_back(
          StrCat("layout: whitespace: the model's layout is unusable (", problem, ")"));
      return false;
    }
  } else {
    ThrowIfAllFailed({answer});
  }
  page->blocks = std::move(layout.blocks);
  ReadBlocks(image, map, ink, page);
  return true;
}

void Extractor::ReadBlocks(const Image& image, const InkMap& map, const PageInk& ink,
                           Page* page) const {
  const Clock::time_point start = Clock::now();
  const RequestOptions request_options{options_.image_analysis && card_.Knows(Task::kImage), {}};
  const std::vector<BlockRequest> planned = PlanRequests(&page->blocks, request_options);
  size_t count = planned.size();
  CheckRequestCount(&count, page);
  PicturesInTables in_tables(image, page);
  RequestBatch batch(engine_, options_.canceller, options_.savings.prune_blank);
  std::vector<size_t> sent;
  for (size_t i = 0; i < count; ++i) {
    const ContentBlock& block = page->blocks[planned[i].block];
    // The small signs of formulas and pictures are not measured by the line.
    const bool is_reduced = options_.savings.line_height_px > 0 &&
                            (planned[i].task == Task::kText || planned[i].task == Task::kTable);
    const double scale = is_reduced
                             ? ScaleForLineHeight(map, ink, block.bbox, block.angle.value_or(0),
                                                  options_.savings.line_height_px)
                             : 1.0;
    Image crop = in_tables.CropOf(planned[i].block, scale);
    if (crop.empty()) continue;
    batch.Submit(planned[i].task, std::move(crop));
    sent.push_back(planned[i].block);
  }
  const std::vector<BatchAnswer> answers = batch.WaitAll();
  AddTimings(answers, &page->timings);
  ThrowIfAllFailed(answers);
  for (size_t i = 0; i < sent.size(); ++i) {
    ContentBlock& block = page->blocks[sent[i]];
    block.content =
        TakeAnswer(answers[i], StrCat("block ", sent[i] + 1, " (", block.type, ")"), page);
  }
  in_tables.TakeFound();
  PostProcessOptions options;
  options.table_formula_eq_wrap = true;
  page->blocks = PostProcess(std::move(page->blocks), options);
  in_tables.Insert();
  page->timings.recognize_seconds += SecondsSince(start);
}

// White space is cut into lines from left to right: a page that stands otherwise is turned first,
// and its blocks are put back where they were.
void Extractor::ReadUprightByWhitespace(const Image& image, const InkMap& map, const PageInk& ink,
                                        Page* page) const {
  const int angle = FindPageTurn(ink);
  if (angle == 0) {
    ReadStraightByWhitespace(image, map, ink, page);
    return;
  }
  page->warnings.push_back(StrCat("page_turned: read after a turn by ", angle, " degrees"));
  const Image upright = RotateCounterClockwise(image, angle, [this] { ThrowIfCancelled(); });
  const InkMap upright_map = FindInk(upright);
  ReadStraightByWhitespace(upright, upright_map, SortComponents(upright_map), page);
  for (ContentBlock& block : page->blocks) {
    block.bbox = BoxBeforeTurn(block.bbox, angle);
    block.angle = angle;
  }
}

void Extractor::ReadStraightByWhitespace(const Image& image, const InkMap& map, const PageInk& ink,
                                         Page* page) const {
  const Clock::time_point start = Clock::now();
  const double slope = FindPageSkew(ink, map.width, map.height);
  if (slope == 0) {
    ReadByWhitespace(image, map, ink, page);
    return;
  }
  page->warnings.push_back(
      StrCat("page_straightened: read after a turn by ", DegreesOf(slope), " degrees"));
  const uint8_t paper = map.is_inverted ? 0 : 255;
  const Image straight = Straighten(image, slope, paper, [this] { ThrowIfCancelled(); });
  const InkMap straight_map = FindInk(straight);
  const PageInk straight_ink = SortComponents(straight_map);
  page->timings.layout_seconds += SecondsSince(start);
  ReadByWhitespace(straight, straight_map, straight_ink, page);
  CutPictures(straight, page);  // as they are read, without their neighbours
  for (ContentBlock& block : page->blocks) {
    block.bbox = BoxBeforeStraightening(block.bbox, slope, image.width, image.height);
  }
}

void Extractor::ThrowIfCancelled() const {
  if (options_.canceller != nullptr && options_.canceller->cancelled()) {
    throw Error(ErrorCode::kCancelled, "reading the page was cancelled");
  }
}

void Extractor::ReadByWhitespace(const Image& image, const InkMap& map, const PageInk& ink,
                                 Page* page) const {
  const Clock::time_point layout_start = Clock::now();
  const WhitespaceLayout layout = FindLines(ink);
  const std::vector<LinePiece> pieces = CutLines(layout, card_, map.width, map.height);
  page->timings.layout_seconds += SecondsSince(layout_start);

  const Clock::time_point start = Clock::now();
  size_t count = pieces.size();
  CheckRequestCount(&count, page);
  RequestBatch batch(engine_, options_.canceller, options_.savings.prune_blank);
  std::vector<size_t> sent;
  for (size_t i = 0; i < count; ++i) {
    Image crop = CropOfLine(image, pieces[i], map, card_);
    if (crop.empty()) continue;
    const int max_new_tokens = MaxTokensOfLine(crop);
    batch.Submit(Task::kText, std::move(crop), max_new_tokens);
    sent.push_back(i);
  }
  const std::vector<BatchAnswer> answers = batch.WaitAll();
  AddTimings(answers, &page->timings);
  ThrowIfAllFailed(answers);
  std::vector<CellTexts> texts;
  for (const LayoutLine& line : layout.lines) texts.emplace_back(line.cells.size());
  for (size_t i = 0; i < sent.size(); ++i) {
    const LinePiece& piece = pieces[sent[i]];
    const std::optional<std::string> answer =
        TakeAnswer(answers[i], StrCat("line ", piece.line + 1), page);
    if (!answer || IsBlank(*answer)) continue;
    std::string& text = texts[piece.line][piece.cell];
    if (!text.empty()) text += ' ';
    text += TrimSpace(*answer);
  }
  page->blocks = GroupParagraphs(layout, texts, map.width, map.height);
  if (card_.Knows(Task::kEquation)) ReadFoundFormulas(image, map, ink, page);
  WarnIfNothingRead(map, page);
  page->timings.recognize_seconds += SecondsSince(start);
}

// What was read of a formula line by line is nonsense, and only shows that it is none of text. One
// of which nothing useful is answered stays a picture; that no formula is answered does not undo
// the text around them.
void Extractor::ReadFoundFormulas(const Image& image, const InkMap& map, const PageInk& ink,
                                  Page* page) const {
  RequestBatch batch(engine_, options_.canceller, options_.savings.prune_blank);
  std::vector<size_t> sent;
  for (size_t i = 0; i < page->blocks.size(); ++i) {
    if (page->blocks[i].type != "equation") continue;
    FormulaCrop crop = CropOfFormula(image, page->blocks[i].bbox, map, ink.unit, card_);
    if (crop.picture.empty()) continue;
    batch.Submit(Task::kEquation, std::move(crop.picture), crop.max_new_tokens);
    sent.push_back(i);
  }
  const std::vector<BatchAnswer> answers = batch.WaitAll();
  AddTimings(answers, &page->timings);
  for (size_t i = 0; i < sent.size(); ++i) {
    ContentBlock read = page->blocks[sent[i]];
    read.content = TakeAnswer(answers[i], StrCat("block ", sent[i] + 1, " (equation)"), page);
    const bool is_cut = answers[i].finish == FinishReason::kLength;
    if (!read.content || is_cut || IsBlank(*read.content) || IsNonText(read)) continue;
    page->blocks[sent[i]] = PostProcess({std::move(read)}).at(0);
  }
}

}  // namespace octavo
