// ToContentListJson and ToModelJson of octavo/document.h: MinerU's names and forms.
// Source: mineru 3.4.5, vlm_middle_json_mkcontent.py; mineru-vl-utils 2.0.7, structs.py.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "document/block.h"
#include "document/code_text.h"
#include "document/markdown_text.h"
#include "document/page_structure.h"
#include "octavo/document.h"

namespace octavo {
namespace {

using Json = nlohmann::ordered_json;

// MinerU writes JSON with ensure_ascii=False and indent=4.
std::string Dump(const Json& value) {
  return value.dump(4, ' ', false, Json::error_handler_t::replace) + "\n";
}

class ItemWriter {
 public:
  ItemWriter(const Page& page, const std::string& image_prefix)
      : page_(page), image_prefix_(image_prefix) {}

  Json Write(const PageItem& item) const {
    Json out = Body(item);
    Json bbox = Json::array();
    for (const double edge : page_.blocks[item.block].bbox) {
      bbox.push_back(static_cast<int>(edge * 1000));
    }
    out["bbox"] = std::move(bbox);
    out["page_idx"] = page_.index;
    return out;
  }

 private:
  const ContentBlock& block(size_t i) const { return page_.blocks[i]; }
  std::string_view content(size_t i) const {
    return block(i).content ? std::string_view(*block(i).content) : std::string_view();
  }
  std::string ImagePath(size_t i) const {
    return block(i).img_path.empty() ? "" : image_prefix_ + block(i).img_path;
  }

  Json Body(const PageItem& item) const {
    if (item.kind == PageItem::Kind::kList) return List(item);
    if (item.kind == PageItem::Kind::kVisual) return Visual(item);
    const std::string& type = block(item.block).type;
    if (item.kind == PageItem::Kind::kDiscarded) {
      return {{"type", type}, {"text", MarkdownText(content(item.block))}};
    }
    if (type == "equation") {
      return {{"type", type},
              {"text", MarkdownEquation(content(item.block))},
              {"text_format", "latex"}};
    }
    if (type == "title" || type == "doc_title" || type == "paragraph_title") {
      return {{"type", "text"},
              {"text", MarkdownTitle(content(item.block))},
              {"text_level", std::clamp(block(item.block).text_level, 1, 4)}};
    }
    const bool keeps_type = type == "ref_text" || type == "phonetic";
    return {{"type", keeps_type ? type : "text"},
            {"text", EscapeMarkdownPrefix(MarkdownText(content(item.block)))}};
  }

  Json List(const PageItem& item) const {
    Json items = Json::array();
    size_t num_references = 0;
    for (const size_t i : item.members) {
      items.push_back(MarkdownText(content(i)));
      num_references += block(i).type == "ref_text" ? 1 : 0;
    }
    const bool is_references = 2 * num_references > item.members.size();
    return {{"type", "list"},
            {"sub_type", is_references ? "ref_text" : "text"},
            {"list_items", std::move(items)}};
  }

  Json Visual(const PageItem& item) const {
    const std::string& type = block(item.block).type;
    Json captions = Json::array();
    Json footnotes = Json::array();
    for (const size_t i : item.members) {
      if (i == item.block) continue;
      (IsCaptionType(block(i).type) ? captions : footnotes).push_back(MarkdownText(content(i)));
    }
    if (type == "table") {
      return {{"type", "table"},
              {"img_path", ImagePath(item.block)},
              {"table_caption", std::move(captions)},
              {"table_footnote", std::move(footnotes)},
              {"table_body", content(item.block)}};
    }
    if (type == "code" || type == "algorithm") {
      const std::string_view text = content(item.block);
      return {{"type", "code"},
              {"sub_type", type},
              {"code_caption", std::move(captions)},
              {"code_body", type == "code" ? FenceCode(text) : AlgorithmHtml(text)}};
    }
    if (type == "chart") {
      return {{"type", "chart"},
              {"img_path", ImagePath(item.block)},
              {"content", content(item.block)},
              {"chart_caption", std::move(captions)},
              {"chart_footnote", std::move(footnotes)}};
    }
    return {{"type", "image"},
            {"img_path", ImagePath(item.block)},
            {"image_caption", std::move(captions)},
            {"image_footnote", std::move(footnotes)},
            {"content", content(item.block)}};
  }

  const Page& page_;
  const std::string& image_prefix_;
};

}  // namespace

std::string ToContentListJson(const std::vector<Page>& pages, const std::string& image_prefix) {
  Json list = Json::array();
  for (const Page& page : pages) {
    const ItemWriter writer(page, image_prefix);
    for (const PageItem& item : FindStructure(page.blocks)) list.push_back(writer.Write(item));
  }
  return Dump(list);
}

std::string ToModelJson(const std::vector<Page>& pages) {
  Json list = Json::array();
  for (const Page& page : pages) {
    Json blocks = Json::array();
    for (const ContentBlock& block : page.blocks) {
      Json out = {{"type", block.type}, {"bbox", block.bbox}};
      out["angle"] = block.angle ? Json(*block.angle) : Json(nullptr);
      out["content"] = block.content ? Json(*block.content) : Json(nullptr);
      if (block.type == "text") out["merge_prev"] = block.merge_prev;
      if (page.layout == LayoutSource::kWhitespace) out["layout"] = "whitespace";
      blocks.push_back(std::move(out));
    }
    list.push_back(std::move(blocks));
  }
  return Dump(list);
}

}  // namespace octavo
