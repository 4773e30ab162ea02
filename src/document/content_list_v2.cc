// MiddleToContentListV2 of content_list.h.
#include <string_view>
#include <utility>

#include "document/block_text.h"
#include "document/content_list.h"
#include "document/markdown.h"
#include "document/middle_builder.h"
#include "document/middle_json.h"
#include "document/text_lines.h"
#include "octavo/document.h"

namespace octavo {
namespace {

using Json = nlohmann::ordered_json;

Json Pieces(const MiddleBlock& block) {
  Json out = Json::array();
  for (const TextPiece& piece : BlockPieces(block)) {
    out.push_back({{"type", piece.type}, {"content", piece.content}});
  }
  return out;
}

// Pieces of all parts of a type, such as "image_caption".
Json PiecesOfParts(const MiddleBlock& block, const std::string& type) {
  Json out = Json::array();
  for (const MiddleBlock& part : block.blocks) {
    if (part.type != type) continue;
    for (Json& piece : Pieces(part)) out.push_back(std::move(piece));
  }
  return out;
}

Json Typed(const std::string& type, Json content) {
  return {{"type", type}, {"content", std::move(content)}};
}

class ItemWriter {
 public:
  explicit ItemWriter(const std::string& image_prefix) : image_prefix_(image_prefix) {}

  Json Write(const MiddleBlock& block) const {
    const std::string& type = block.type;
    if (type == "list") return List(block);
    if (type == "table") return Table(block);
    if (type == "code") return Code(block);
    if (IsVisualType(type)) return Picture(block);
    if (type == "interline_equation") return Equation(block);
    if (type == "title") {
      return Typed("title", {{"title_content", Pieces(block)}, {"level", TitleLevel(block)}});
    }
    if (type == "ref_text") {
      Json items = Json::array({{{"item_type", "text"}, {"item_content", Pieces(block)}}});
      return Typed("list", {{"list_type", "reference_list"}, {"list_items", std::move(items)}});
    }
    if (type == "text" || type == "phonetic") {
      return Typed("paragraph", {{"paragraph_content", Pieces(block)}});
    }
    // "header", "footer", "aside_text", "page_number", "page_footnote"
    const std::string page_type = type.compare(0, 5, "page_") == 0 ? type : "page_" + type;
    return Typed(page_type, {{page_type + "_content", Pieces(block)}});
  }

 private:
  // `always_has_path`: the prefix stands even where there is no picture, as in the reference.
  Json Source(const MiddleSpan* span, bool always_has_path) const {
    const std::string path = span == nullptr ? "" : span->image_path;
    return {{"path", path.empty() && !always_has_path ? "" : image_prefix_ + path}};
  }

  static Json List(const MiddleBlock& list) {
    Json out = Json::array();
    for (const MiddleBlock& item : list.blocks) {
      Json pieces = Pieces(item);
      if (pieces.empty()) continue;
      out.push_back({{"item_type", "text"}, {"item_content", std::move(pieces)}});
    }
    const char* type = list.sub_type == "ref_text" ? "reference_list" : "text_list";
    return Typed("list", {{"list_type", type}, {"list_items", std::move(out)}});
  }

  Json Equation(const MiddleBlock& block) const {
    const MiddleSpan* span = BodySpan(block);
    return Typed("equation_interline",
                 {{"math_content", span == nullptr ? "" : span->content.value_or("")},
                  {"math_type", "latex"},
                  {"image_source", Source(span, true)}});
  }

  Json Table(const MiddleBlock& table) const {
    const MiddleSpan* span = BodySpan(table);
    const std::string html =
        TableMarkup(span == nullptr ? "" : span->content.value_or(""), image_prefix_);
    const int level = CountOf(html, "<table") > 1 ? 2 : 1;
    const bool is_complex = level > 1 || html.find("colspan") != std::string::npos ||
                            html.find("rowspan") != std::string::npos;
    return Typed("table", {{"image_source", Source(span, true)},
                           {"table_caption", PiecesOfParts(table, "table_caption")},
                           {"table_footnote", PiecesOfParts(table, "table_footnote")},
                           {"html", html},
                           {"table_type", is_complex ? "complex_table" : "simple_table"},
                           {"table_nest_level", level}});
  }

  static Json Code(const MiddleBlock& code) {
    Json body = Json::array();
    for (const MiddleBlock& part : code.blocks) {
      if (part.type == "code_body") body = Pieces(part);
    }
    Json captions = PiecesOfParts(code, "code_caption");
    if (code.sub_type == "algorithm") {
      return Typed("algorithm", {{"algorithm_caption", std::move(captions)},
                                 {"algorithm_content", std::move(body)}});
    }
    return Typed("code", {{"code_caption", std::move(captions)},
                          {"code_content", std::move(body)},
                          {"code_language", code.guess_lang}});
  }

  // An image or chart.
  Json Picture(const MiddleBlock& block) const {
    const MiddleSpan* span = BodySpan(block);
    const std::string& type = block.type;
    Json out = Typed(type, {{"image_source", Source(span, false)},
                            {"content", span == nullptr ? "" : span->content.value_or("")},
                            {type + "_caption", PiecesOfParts(block, type + "_caption")},
                            {type + "_footnote", PiecesOfParts(block, type + "_footnote")}});
    if (!block.sub_type.empty()) out["sub_type"] = block.sub_type;
    return out;
  }

  const std::string& image_prefix_;
};

}  // namespace

Json MiddleToContentListV2(const std::vector<MiddlePage>& pages, const std::string& image_prefix,
                           MiddleRule rule) {
  const ItemWriter writer(image_prefix);
  Json list = Json::array();
  for (const MiddlePage& page : pages) {
    Json items = Json::array();
    for (const auto* blocks : {&page.para_blocks, &page.discarded_blocks}) {
      for (const MiddleBlock& block : *blocks) {
        if (rule == MiddleRule::kKeepText && block.is_emptied) continue;
        Json item = writer.Write(block);
        item["bbox"] = BoxInThousandths(block.bbox, page);
        items.push_back(std::move(item));
      }
    }
    list.push_back(std::move(items));
  }
  return list;
}

std::string ToContentListV2Json(const std::vector<Page>& pages, const std::string& image_prefix) {
  return DumpLikeMineru(MiddleToContentListV2(BuildMiddle(pages), image_prefix));
}

}  // namespace octavo
