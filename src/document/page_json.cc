#include "document/page_json.h"

#include "base/json.h"
#include "base/str_cat.h"
#include "octavo/error.h"

namespace octavo {
namespace {

using Json = nlohmann::json;

Json BlockToJson(const ContentBlock& block) {
  Json out = {{"type", block.type}, {"bbox", block.bbox}};
  if (block.angle) out["angle"] = *block.angle;
  if (block.content) out["content"] = *block.content;
  if (block.merge_prev) out["merge_prev"] = true;
  if (block.text_level > 0) out["text_level"] = block.text_level;
  if (!block.img_path.empty()) out["img_path"] = block.img_path;
  if (block.sub_type) out["sub_type"] = *block.sub_type;
  if (!block.cell_merge.empty()) out["cell_merge"] = block.cell_merge;
  return out;
}

ContentBlock BlockFromJson(const Json& json) {
  ContentBlock block;
  block.type = json.at("type").get<std::string>();
  block.bbox = json.at("bbox").get<std::array<double, 4>>();
  if (json.contains("angle")) block.angle = json.at("angle").get<int>();
  if (json.contains("content")) block.content = json.at("content").get<std::string>();
  block.merge_prev = json.value("merge_prev", false);
  block.text_level = json.value("text_level", 0);
  block.img_path = json.value("img_path", "");
  if (json.contains("sub_type")) block.sub_type = json.at("sub_type").get<std::string>();
  if (json.contains("cell_merge")) block.cell_merge = json.at("cell_merge").get<std::vector<int>>();
  return block;
}

}  // namespace

std::string PageToJsonLine(const Page& page) {
  Json out = {{"page", page.index},
              {"width_px", page.width_px},
              {"height_px", page.height_px},
              {"width_pt", page.width_pt},
              {"height_pt", page.height_pt},
              {"layout", page.layout == LayoutSource::kModel ? "model" : "whitespace"},
              {"warnings", page.warnings},
              {"seconds", page.timings.total_seconds},
              {"blocks", Json::array()}};
  for (const ContentBlock& block : page.blocks) out["blocks"].push_back(BlockToJson(block));
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Page PageFromJsonLine(std::string_view line, std::string_view where) {
  const Json json = ParseJson(line, where);
  Page page;
  try {
    page.index = json.at("page").get<int>();
    page.width_px = json.at("width_px").get<int>();
    page.height_px = json.at("height_px").get<int>();
    page.width_pt = json.value("width_pt", 0.0);
    page.height_pt = json.value("height_pt", 0.0);
    page.layout = json.at("layout").get<std::string>() == "model" ? LayoutSource::kModel
                                                                  : LayoutSource::kWhitespace;
    page.warnings = json.at("warnings").get<std::vector<std::string>>();
    page.timings.total_seconds = json.at("seconds").get<double>();
    for (const Json& block : json.at("blocks")) page.blocks.push_back(BlockFromJson(block));
  } catch (const Json::exception&) {
    throw Error(ErrorCode::kDataLoss, StrCat(where, ": not a page of a journal"));
  }
  return page;
}

}  // namespace octavo
