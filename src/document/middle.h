// MinerU's middle form of a document: pages of blocks, lines and spans, with boxes in whole points.
// Names and values are those of mineru 3.4.5.
#ifndef OCTAVO_DOCUMENT_MIDDLE_H_
#define OCTAVO_DOCUMENT_MIDDLE_H_

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace octavo {

using PointBox = std::array<int, 4>;  // x0, y0, x1, y1

struct MiddleSpan {
  // "text", "inline_equation", "interline_equation", "image", "table", "chart", "unknown"
  std::string type;
  PointBox bbox = {};
  std::optional<std::string> content = {};  // of tables: their HTML
  std::string image_path = {};              // pictures, tables and display formulas; may be empty
  bool crosses_page = false;                // came over from the next page
};

struct MiddleLine {
  PointBox bbox = {};
  std::vector<MiddleSpan> spans;
};

// A picture inside an image block, in fractions of the block.
struct SubImage {
  std::string type;  // "image", "chart"
  std::array<double, 4> bbox = {};
};

struct MiddleBlock {
  // Blocks with lines: "text", "title", "interline_equation", "image_body", "table_caption", …
  // Blocks with blocks: "image", "table", "chart", "code", "list".
  std::string type;
  PointBox bbox = {};
  int index = 0;  // position in the model's list
  std::optional<int> angle = {};
  std::vector<MiddleLine> lines = {};
  std::vector<MiddleBlock> blocks = {};
  std::string sub_type = {};    // lists, code; pictures where Image Analysis named one
  std::string guess_lang = {};  // code
  std::vector<SubImage> sub_images = {};
  std::vector<int> cell_merge = {};     // tables and their bodies
  std::optional<bool> merge_prev = {};  // text
  int level = 0;                        // titles; 0: not said
  bool is_emptied = false;              // its content went to an earlier block
  bool crosses_page = false;            // footnotes that came over with a table
};

struct MiddlePage {
  int index = 0;  // of the page in the document, from 0
  int width = 0;  // points
  int height = 0;
  std::vector<MiddleBlock> preproc_blocks;    // as the page has them
  std::vector<MiddleBlock> discarded_blocks;  // headers, footers, page numbers, side notes
  std::vector<MiddleBlock> para_blocks;       // joined over columns and pages
};

// "image", "table", "chart" and "code": a body with captions and footnotes.
inline bool IsVisualType(std::string_view type) {
  return type == "image" || type == "table" || type == "chart" || type == "code";
}

// What is done where mineru 3.4.5 loses something.
enum class MiddleRule {
  kKeepText,   // generic captions, "index" and the like keep their text; see middle_builder.h
  kReference,  // as mineru
};

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_MIDDLE_H_
