// Documents: PDF or picture in; blocks, Markdown and JSON out.
#ifndef OCTAVO_DOCUMENT_H_
#define OCTAVO_DOCUMENT_H_

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "octavo/engine.h"
#include "octavo/error.h"

namespace octavo {

// A piece of a page. Field names and values are MinerU's.
struct ContentBlock {
  std::string type;                    // "text", "title", "table", "equation", "image", …
  std::array<double, 4> bbox{};        // x0, y0, x1, y1 as fractions of the page
  std::optional<int> angle;            // 0, 90, 180, 270; absent: not said
  std::optional<std::string> content;  // Markdown text, HTML table, LaTeX; absent: not extracted
  bool merge_prev = false;             // continues the previous text block
};

enum class LayoutSource { kModel, kWhitespace };

struct Page {
  int index = 0;     // from 0
  int width_px = 0;  // of the page picture
  int height_px = 0;
  std::vector<ContentBlock> blocks;  // in reading order
  LayoutSource layout = LayoutSource::kModel;
  std::vector<std::string> warnings;
  double seconds = 0;
};

struct ParseOptions {
  // Changes results.
  enum class Layout { kAuto, kModel, kWhitespace };
  Layout layout = Layout::kAuto;  // auto: the model's, white space where that is unusable
  int dpi = 200;                  // of PDF pages; 36 to 600
  std::string pages;              // "1-3,7"; empty: all
  std::string password;
};

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_H_
