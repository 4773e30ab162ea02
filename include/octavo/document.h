// Documents: PDF or picture in; blocks, Markdown and JSON out.
//
//   auto engine = octavo::Engine::Load({.model_dir = "models/octavo-nano"});
//   octavo::ParseOptions options;
//   octavo::Document document("report.pdf", options);
//   std::vector<octavo::Page> pages;
//   octavo::ParsePages(*engine, document, document.page_indices(), options,
//                      [&](octavo::Page page) { pages.push_back(std::move(page)); });
//   std::cout << octavo::ToMarkdown(pages);
#ifndef OCTAVO_DOCUMENT_H_
#define OCTAVO_DOCUMENT_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "octavo/engine.h"
#include "octavo/error.h"

namespace octavo {

// A piece of a page. Field names and values are MinerU's.
struct ContentBlock {
  std::string type;                 // "text", "title", "table", "equation", "image", …
  std::array<double, 4> bbox = {};  // x0, y0, x1, y1 as fractions of the page
  std::optional<int> angle = {};    // 0, 90, 180, 270; absent: not said
  std::optional<std::string> content =
      {};                     // Markdown text, HTML table, LaTeX; absent: not extracted
  bool merge_prev = false;    // continues the previous text block
  int text_level = 0;         // titles: 1 to 4; 0: not said
  std::string img_path = {};  // file name of the cut-out picture; empty: none
  std::optional<std::string> sub_type = {};  // pictures: what Image Analysis calls them
  // Tables: 1 for a column that goes on from the page before. Never filled by ParsePages yet, which
  // does not join tables over pages; filled where blocks are made of others' results.
  std::vector<int> cell_merge = {};
};

// A block's pixels, for the folder of pictures beside the Markdown.
struct CutPicture {
  std::string name;        // "a1b2….jpg"
  std::string jpeg_bytes;  // the whole file
};

enum class LayoutSource { kModel, kWhitespace };

// Seconds of one page by stage. Stages of pages in flight overlap.
struct PageTimings {
  double render_seconds = 0;  // decode the picture or render the PDF page
  double layout_seconds = 0;
  double recognize_seconds = 0;
  double total_seconds = 0;
  // Within layout and recognition: sums over the page's requests, which run together.
  double encode_seconds = 0;   // pictures
  double prefill_seconds = 0;  // prompts
  double decode_seconds = 0;   // answers
};

struct Page {
  int index = 0;     // from 0
  int width_px = 0;  // of the page picture
  int height_px = 0;
  double width_pt = 0;  // of the page in points; 0: of a picture at 200 dpi, as MinerU takes it
  double height_pt = 0;
  std::vector<ContentBlock> blocks;  // in reading order
  std::vector<CutPicture> pictures;
  LayoutSource layout = LayoutSource::kModel;
  std::vector<std::string> warnings;
  PageTimings timings;
  // Set when the page could not be read; blocks are then empty.
  std::optional<ErrorCode> error_code;
  std::string error;
};

// Ends work that is under way. Safe from any thread; not from a signal handler.
class Canceller {
 public:
  Canceller();
  ~Canceller();
  void Cancel();
  bool cancelled() const;

  // Runs `action` when Cancel is called (at once if it was). Returns a handle for RemoveAction,
  // after which the action does not run and is not running. Actions must not call this object.
  int AddAction(std::function<void()> action);
  void RemoveAction(int handle);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Work that is not done. Each changes results; how much, `octavo eval` says of the model in use.
struct Savings {
  bool prune_blank = false;  // Request::prune_blank, of all pictures
  int layout_side = 1036;    // of the square layout picture, 280 to 1036
  // Crops of text and tables whose lines are higher are reduced to this, ascenders and descenders
  // included: 12 to 200; 0: none is.
  int line_height_px = 0;
  bool operator==(const Savings&) const = default;
};

struct ParseOptions {
  // Changes results.
  enum class Layout { kAuto, kModel, kWhitespace };
  Layout layout = Layout::kAuto;  // auto: the model's, white space where that is unusable
  int dpi = 200;                  // of PDF pages; 36 to 600
  std::string pages;              // "1-3,7" of these it has; empty: all
  std::string password;           // of an encrypted PDF
  bool image_analysis = false;    // asks a model that knows how about pictures and charts
  Savings savings = {};
  // Changes speed and memory only.
  int pages_in_flight = 2;         // 1 to 64; pages worked on at once
  Canceller* canceller = nullptr;  // may be null; outlives the call
};

// An opened PDF or picture (PNG, JPEG, WebP, TIFF, GIF, BMP). Const and safe from any thread.
class Document {
 public:
  // Sniffs and checks the file; renders nothing. Throws kNotFound, kDataLoss, kUnsupported,
  // kInvalidArgument (password missing or wrong, options.pages malformed or none of them there),
  // kResourceExhausted, kIo.
  Document(const std::string& path, const ParseOptions& options);
  // The same of the bytes of a file, as from standard input. `name` stands for it in messages.
  static Document FromBytes(std::string bytes, const std::string& name,
                            const ParseOptions& options);
  ~Document();
  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;

  int num_pages() const;                         // of the whole file
  const std::vector<int>& page_indices() const;  // what options.pages chooses, ascending, from 0
  bool lacks_pages() const;                      // options.pages names some that are not there

 private:
  friend struct DocumentAccess;
  struct Impl;
  explicit Document(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Reads the pages and hands each to on_page, in the order asked for, on the calling thread. A page
// that fails is handed over with its error; the others go on. A page that was cancelled is not
// handed over. Throws what on_page throws, and before the first page kInvalidArgument (an index out
// of range), kDataLoss, kIo (the card of the model, octavo.json, is damaged or cannot be read).
void ParsePages(Engine& engine, const Document& document, const std::vector<int>& page_indices,
                const ParseOptions& options, const std::function<void(Page)>& on_page);

// Markdown of the pages, with pictures as `image_prefix` + name. Ends with a line feed unless
// empty.
std::string ToMarkdown(const std::vector<Page>& pages, const std::string& image_prefix = "images/");

// MinerU's content_list.json: a flat list in reading order. UTF-8, indented by 4.
std::string ToContentListJson(const std::vector<Page>& pages,
                              const std::string& image_prefix = "images/");

// MinerU's content_list_v2.json: a list per page of typed items. UTF-8, indented by 4.
std::string ToContentListV2Json(const std::vector<Page>& pages,
                                const std::string& image_prefix = "images/");

// MinerU's middle.json: pages of blocks, lines and spans, boxes in points. UTF-8, indented by 4.
std::string ToMiddleJson(const std::vector<Page>& pages);

// MinerU's model.json: a list per page of blocks. UTF-8, indented by 4.
std::string ToModelJson(const std::vector<Page>& pages);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_H_
