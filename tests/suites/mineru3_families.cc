#include <cstdio>
#include <map>
#include <utility>

#include "document/block_text.h"
#include "document/code_language.h"
#include "document/content_list.h"
#include "document/language_guess.h"
#include "document/markdown.h"
#include "document/markdown_text.h"
#include "document/middle_builder.h"
#include "document/middle_json.h"
#include "document/table_continuation.h"
#include "suites/case_families.h"

namespace octavo {
namespace {

using nlohmann::json;

constexpr char kImagePrefix[] = "images/";

// mineru names a picture after its kind, page and place; so pictures of one place have one name.
void NamePictures(Page* page) {
  for (ContentBlock& block : page->blocks) {
    const bool is_picture = block.type == "image" || block.type == "image_block";
    const std::string kind = is_picture ? "image" : block.type;
    if (kind != "image" && kind != "chart" && kind != "table" && kind != "equation") continue;
    char name[128];
    std::snprintf(name, sizeof name, "@%s-%d-%d-%d-%d-%d.jpg", kind.c_str(), page->index,
                  static_cast<int>(block.bbox[0] * static_cast<int>(page->width_pt)),
                  static_cast<int>(block.bbox[1] * static_cast<int>(page->height_pt)),
                  static_cast<int>(block.bbox[2] * static_cast<int>(page->width_pt)),
                  static_cast<int>(block.bbox[3] * static_cast<int>(page->height_pt)));
    block.img_path = name;
  }
}

std::vector<Page> PagesOf(const json& input) {
  std::vector<Page> pages;
  for (const json& blocks : input.at("pages")) {
    Page page;
    page.index = static_cast<int>(pages.size());
    page.width_pt = input.at("page_size").at(0);
    page.height_pt = input.at("page_size").at(1);
    page.blocks = BlocksFromJson(blocks);
    NamePictures(&page);
    pages.push_back(std::move(page));
  }
  return pages;
}

// Gives every picture the name IMG001.jpg, IMG002.jpg, … in the order in which middle.json has
// them.
json RenamePictures(const nlohmann::ordered_json& outputs) {
  std::string text = outputs.dump();
  std::map<std::string, std::string> names;
  for (size_t begin = text.find("\"@"); begin != std::string::npos;) {
    const size_t end = text.find('"', begin + 1);
    const std::string name = text.substr(begin + 1, end - begin - 1);
    char number[16];
    std::snprintf(number, sizeof number, "IMG%03zu.jpg", names.size() + 1);
    names.emplace(name, number);
    begin = text.find("\"@", end);
  }
  for (const auto& name : names) {
    for (size_t i = text.find(name.first); i != std::string::npos;
         i = text.find(name.first, i + name.second.size())) {
      text.replace(i, name.first.size(), name.second);
    }
  }
  return json::parse(text);
}

json Outputs(const json& input) {
  constexpr MiddleRule kRule = MiddleRule::kReference;
  const std::vector<MiddlePage> middle = BuildMiddle(PagesOf(input), kRule);
  return RenamePictures({{"middle", MiddleToJson(middle)},
                         {"markdown", MiddleToMarkdown(middle, kImagePrefix, kRule)},
                         {"content_list", MiddleToContentList(middle, kImagePrefix, kRule)},
                         {"content_list_v2", MiddleToContentListV2(middle, kImagePrefix, kRule)}});
}

// Types that the reference needs content of.
bool NeedsContent(const std::string& type) {
  return type == "table" || type == "equation" || type == "caption" || type == "footnote";
}

// Sets every null below a key "content" to the empty text.
void FillNullContents(json* value) {
  if (value->is_object() && value->contains("content") && value->at("content").is_null()) {
    (*value)["content"] = "";
  }
  if (value->is_structured()) {
    for (json& item : *value) FillNullContents(&item);
  }
}

// The reference loses the document where a table or formula, or a caption or footnote of no kind,
// has no content. octavo takes the content for empty: the block is there, and all else is as if it
// were.
std::string JudgeWithoutContent(const json& input, const json& answer) {
  json with_empty = input;
  size_t num_empty = 0;
  for (json& page : with_empty.at("pages")) {
    for (json& block : page) {
      if (!block.at("content").is_null() || !NeedsContent(block.at("type"))) continue;
      block["content"] = "";
      ++num_empty;
    }
  }
  if (num_empty == 0) return "the reference fails for a reason that octavo does not know";
  json filled = answer;
  FillNullContents(&filled);
  json expected = Outputs(with_empty);
  FillNullContents(&expected);
  return filled == expected ? "" : "a block without content is not taken for an empty one";
}

template <std::string (*kFunction)(std::string_view)>
json OnText(const json& input) {
  return kFunction(input.at("text").get<std::string>());
}

template <bool (*kFunction)(std::string_view)>
json AskText(const json& input) {
  return kFunction(input.at("text").get<std::string>());
}

json JoinLines(const json& input) {
  const json& value = input.at("block");
  MiddleBlock block;
  block.type = value.at("type").get<std::string>();
  for (const json& line_value : value.at("lines")) {
    MiddleLine line;
    for (const json& span_value : line_value.at("spans")) {
      MiddleSpan span;
      span.type = span_value.at("type").get<std::string>();
      if (span_value.contains("content") && !span_value.at("content").is_null()) {
        span.content = span_value.at("content").get<std::string>();
      }
      line.spans.push_back(std::move(span));
    }
    block.lines.push_back(std::move(line));
  }
  return BlockText(block);
}

CaseFamilies MakeFamilies() {
  CaseFamilies families = {
      {"detect_lang", {OnText<GuessLanguage>, nullptr, true}},
      {"guess_code_language", {OnText<GuessCodeLanguage>, nullptr, true}},
      {"escape_markdown", {OnText<EscapeMarkdown>}},
      {"escape_prefix",
       {[](const json& input) { return json(EscapeMarkdownPrefix(input.at("text"))); }}},
      {"hyphen_at_end", {AskText<EndsWithHyphen>}},
      {"fullwidth_fold", {OnText<FoldFullWidth>}},
      {"table_continuation", {AskText<IsTableContinuation>}},
      {"join_lines", {JoinLines}},
  };
  for (const char* name : {"md_text", "md_title", "md_equation", "md_list", "md_table", "md_image",
                           "md_chart", "md_code", "md_discarded", "page", "merge_text"}) {
    families[name] = {Outputs, JudgeWithoutContent};
  }
  return families;
}

}  // namespace

const CaseFamilies& Mineru3Families() {
  static const CaseFamilies families = MakeFamilies();
  return families;
}

}  // namespace octavo
