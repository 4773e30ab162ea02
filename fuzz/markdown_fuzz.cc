// Pages of blocks as Markdown, content lists and middle.json. The input is a JSON array of pages of
// blocks as in model.json, or, where it is no JSON, words that become the content of a block of
// each type. Nothing may be thrown.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "octavo/document.h"
#include "octavo/error.h"

namespace octavo {
namespace {

constexpr const char* kTypes[] = {
    "text",          "title",          "table",       "equation",  "code",        "algorithm",
    "ref_text",      "index",          "phonetic",    "list",      "list_item",   "table_caption",
    "image_caption", "table_footnote", "caption",     "footnote",  "header",      "page_number",
    "image",         "chart",          "image_block", "doc_title", "code_caption"};

// Fields of another form are passed over.
ContentBlock BlockFromJson(const nlohmann::json& value) {
  ContentBlock block{"text", {0.1, 0.1, 0.9, 0.2}, 0};
  if (!value.is_object()) return block;
  const auto& type = value.value("type", nlohmann::json());
  if (type.is_string()) block.type = type.get<std::string>();
  const auto& content = value.value("content", nlohmann::json());
  if (content.is_string()) block.content = content.get<std::string>();
  const auto& bbox = value.value("bbox", nlohmann::json());
  for (size_t i = 0; bbox.is_array() && i < bbox.size() && i < 4; ++i) {
    if (bbox[i].is_number()) block.bbox[i] = bbox[i].get<double>();
  }
  const auto& merge_prev = value.value("merge_prev", nlohmann::json());
  block.merge_prev = merge_prev.is_boolean() && merge_prev.get<bool>();
  return block;
}

std::vector<Page> PagesFrom(std::string_view text) {
  std::vector<Page> pages;
  try {
    for (const nlohmann::json& blocks : ParseJson(text, "input")) {
      Page page;
      if (!blocks.is_array()) continue;
      for (const nlohmann::json& block : blocks) page.blocks.push_back(BlockFromJson(block));
      pages.push_back(std::move(page));
    }
  } catch (const Error&) {
    Page page;
    double top = 0;
    for (const char* type : kTypes) {
      page.blocks.push_back({type, {0.1, top, 0.9, top + 0.04}, 0, std::string(text)});
      page.blocks.back().merge_prev = true;
      page.blocks.back().img_path = "a.jpg";
      top += 0.04;
    }
    pages = {page, page};
  }
  return pages;
}

}  // namespace
}  // namespace octavo

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto pages = octavo::PagesFrom(std::string_view(reinterpret_cast<const char*>(data), size));
  octavo::ToMarkdown(pages);
  octavo::ToContentListJson(pages);
  octavo::ToContentListV2Json(pages);
  octavo::ToMiddleJson(pages);
  octavo::ToModelJson(pages);
  return 0;
}
