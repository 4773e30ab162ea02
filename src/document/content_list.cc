#include "document/content_list.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "document/block_text.h"
#include "document/markdown.h"
#include "document/middle_builder.h"
#include "document/middle_json.h"
#include "document/white_space.h"
#include "octavo/document.h"

namespace octavo {
namespace {

using Json = nlohmann::ordered_json;

class ItemWriter {
 public:
  ItemWriter(const std::string& image_prefix, MiddleRule rule)
      : image_prefix_(image_prefix), rule_(rule) {}

  Json Write(const MiddleBlock& block) const {
    if (block.type == "list") return List(block);
    if (block.type == "table") return Table(block);
    if (block.type == "code") return Code(block);
    if (IsVisualType(block.type)) return Picture(block);
    if (block.type == "interline_equation") {
      const MiddleSpan* span = BodySpan(block);
      if (rule_ == MiddleRule::kKeepText && span != nullptr &&
          IsBlank(span->content.value_or(""))) {
        return {{"type", "equation"},
                {"img_path", PathOf(span)},
                {"text", ""},
                {"text_format", "latex"}};
      }
      return {{"type", "equation"}, {"text", BlockText(block)}, {"text_format", "latex"}};
    }
    if (block.type == "title") {
      return {{"type", "text"}, {"text", BlockText(block)}, {"text_level", TitleLevel(block)}};
    }
    return {{"type", block.type}, {"text", BlockText(block)}};
  }

 private:
  std::string PathOf(const MiddleSpan* span) const {
    return span == nullptr || span->image_path.empty() ? "" : image_prefix_ + span->image_path;
  }

  // Words of the parts of a type, such as "image_caption".
  static Json Parts(const MiddleBlock& block, const std::string& type) {
    Json out = Json::array();
    for (const MiddleBlock& part : block.blocks) {
      if (part.type == type) out.push_back(BlockText(part));
    }
    return out;
  }

  static Json List(const MiddleBlock& list) {
    Json items = Json::array();
    for (const MiddleBlock& item : list.blocks) {
      std::string text = BlockText(item, false);
      if (!IsBlank(text)) items.push_back(std::move(text));
    }
    return {{"type", "list"}, {"sub_type", list.sub_type}, {"list_items", std::move(items)}};
  }

  Json Table(const MiddleBlock& table) const {
    const MiddleSpan* span = BodySpan(table);
    Json out = {{"type", "table"},
                {"img_path", PathOf(span)},
                {"table_caption", Parts(table, "table_caption")},
                {"table_footnote", Parts(table, "table_footnote")}};
    const std::string html = span == nullptr ? "" : span->content.value_or("");
    if (!html.empty()) out["table_body"] = TableMarkup(html, image_prefix_);
    return out;
  }

  Json Code(const MiddleBlock& code) const {
    Json out = {{"type", "code"},
                {"sub_type", code.sub_type},
                {"code_caption", Parts(code, "code_caption")}};
    for (const MiddleBlock& part : code.blocks) {
      if (part.type == "code_body") out["code_body"] = CodeMarkdown(code, part, rule_);
    }
    return out;
  }

  // An image or chart.
  Json Picture(const MiddleBlock& block) const {
    const MiddleSpan* span = BodySpan(block);
    const std::string& type = block.type;
    Json out = {{"type", type},
                {"img_path", PathOf(span)},
                {type + "_caption", Parts(block, type + "_caption")},
                {type + "_footnote", Parts(block, type + "_footnote")},
                {"content", span == nullptr ? "" : span->content.value_or("")}};
    if (!block.sub_type.empty()) out["sub_type"] = block.sub_type;
    return out;
  }

  const std::string& image_prefix_;
  MiddleRule rule_;
};

}  // namespace

const MiddleSpan* BodySpan(const MiddleBlock& block) {
  for (const MiddleBlock& part : block.blocks) {
    const std::string_view type = part.type;
    if (type.size() < 5 || type.substr(type.size() - 5) != "_body") continue;
    if (const MiddleSpan* span = BodySpan(part)) return span;
  }
  for (const MiddleLine& line : block.lines) {
    if (!line.spans.empty()) return &line.spans.front();
  }
  return nullptr;
}

Json BoxInThousandths(const PointBox& box, const MiddlePage& page) {
  Json out = Json::array();
  for (size_t i = 0; i < box.size(); ++i) {
    const int size = std::max(1, i % 2 == 0 ? page.width : page.height);
    out.push_back(static_cast<int>(box[i] * 1000.0 / size));
  }
  return out;
}

Json MiddleToContentList(const std::vector<MiddlePage>& pages, const std::string& image_prefix,
                         MiddleRule rule) {
  const ItemWriter writer(image_prefix, rule);
  Json list = Json::array();
  for (const MiddlePage& page : pages) {
    for (const auto* blocks : {&page.para_blocks, &page.discarded_blocks}) {
      for (const MiddleBlock& block : *blocks) {
        if (rule == MiddleRule::kKeepText && block.is_emptied) continue;
        Json item = writer.Write(block);
        item["bbox"] = BoxInThousandths(block.bbox, page);
        item["page_idx"] = page.index;
        list.push_back(std::move(item));
      }
    }
  }
  return list;
}

std::string ToContentListJson(const std::vector<Page>& pages, const std::string& image_prefix) {
  return DumpLikeMineru(MiddleToContentList(BuildMiddle(pages), image_prefix));
}

}  // namespace octavo
