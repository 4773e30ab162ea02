// ToMiddleJson of octavo/document.h and middle_json.h.
#include "document/middle_json.h"

#include <string_view>
#include <utility>

#include "document/middle_builder.h"
#include "octavo/document.h"

namespace octavo {
namespace {

using Json = nlohmann::ordered_json;

// The version whose form this is.
constexpr const char* kFormVersion = "3.4.5";

Json SpanToJson(const MiddleSpan& span) {
  Json out = {{"bbox", span.bbox}, {"type", span.type}};
  const bool is_picture = span.type == "image" || span.type == "chart";
  if (span.type == "table") {
    out["html"] = span.content.value_or("");
  } else if (span.content) {
    out["content"] = *span.content;
  } else if (!is_picture) {
    out["content"] = nullptr;
  }
  if (is_picture || span.type == "table" || span.type == "interline_equation") {
    out["image_path"] = span.image_path;
  }
  if (span.crosses_page) out["cross_page"] = true;
  return out;
}

Json LinesToJson(const std::vector<MiddleLine>& lines) {
  Json out = Json::array();
  for (const MiddleLine& line : lines) {
    Json spans = Json::array();
    for (const MiddleSpan& span : line.spans) spans.push_back(SpanToJson(span));
    out.push_back({{"bbox", line.bbox}, {"spans", std::move(spans)}});
  }
  return out;
}

Json BlockToJson(const MiddleBlock& block);

Json BlocksToJson(const std::vector<MiddleBlock>& blocks) {
  Json out = Json::array();
  for (const MiddleBlock& block : blocks) out.push_back(BlockToJson(block));
  return out;
}

Json VisualToJson(const MiddleBlock& block) {
  Json out = {{"type", block.type},
              {"bbox", block.bbox},
              {"blocks", BlocksToJson(block.blocks)},
              {"index", block.index}};
  if (!block.sub_type.empty()) out["sub_type"] = block.sub_type;
  if (!block.guess_lang.empty()) out["guess_lang"] = block.guess_lang;
  if (!block.sub_images.empty()) {
    Json& images = out["sub_images"] = Json::array();
    for (const SubImage& image : block.sub_images) {
      images.push_back({{"type", image.type}, {"bbox", image.bbox}});
    }
  }
  return out;
}

Json BlockToJson(const MiddleBlock& block) {
  Json out;
  if (IsVisualType(block.type)) {
    out = VisualToJson(block);
  } else {
    out = {{"bbox", block.bbox}, {"type", block.type}};
    out["angle"] = block.angle ? Json(*block.angle) : Json(nullptr);
    if (block.type == "list") {
      out["index"] = block.index;
      out["blocks"] = BlocksToJson(block.blocks);
      out["sub_type"] = block.sub_type;
    } else {
      out["lines"] = LinesToJson(block.lines);
      out["index"] = block.index;
      if (block.level > 0) out["level"] = block.level;
    }
  }
  if (!block.cell_merge.empty()) out["cell_merge"] = block.cell_merge;
  if (block.merge_prev) out["merge_prev"] = *block.merge_prev;
  if (block.is_emptied) out["lines_deleted"] = true;
  if (block.crosses_page) out["cross_page"] = true;
  return out;
}

}  // namespace

Json MiddleToJson(const std::vector<MiddlePage>& pages) {
  Json info = Json::array();
  for (const MiddlePage& page : pages) {
    info.push_back({{"preproc_blocks", BlocksToJson(page.preproc_blocks)},
                    {"discarded_blocks", BlocksToJson(page.discarded_blocks)},
                    {"page_size", {page.width, page.height}},
                    {"page_idx", page.index},
                    {"para_blocks", BlocksToJson(page.para_blocks)}});
  }
  return {{"pdf_info", std::move(info)}, {"_backend", "vlm"}, {"_version_name", kFormVersion}};
}

std::string DumpLikeMineru(const Json& json) {
  return json.dump(4, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string ToMiddleJson(const std::vector<Page>& pages) {
  return DumpLikeMineru(MiddleToJson(BuildMiddle(pages)));
}

}  // namespace octavo
