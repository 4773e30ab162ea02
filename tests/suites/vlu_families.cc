#include <utility>

#include "document/block.h"
#include "document/cell_merge.h"
#include "document/crops.h"
#include "document/layout_parser.h"
#include "document/otsl.h"
#include "document/post_process.h"
#include "document/repair_equation.h"
#include "document/repair_left_right.h"
#include "document/table_pictures.h"
#include "suites/case_families.h"
#include "suites/simple_markdown.h"

namespace octavo {
namespace {

using nlohmann::json;

std::string Raw(const json& input) { return input.at("raw").get<std::string>(); }

PostProcessOptions OptionsOf(const json& input) {
  PostProcessOptions options;
  options.otsl_rule = OtslRule::kReference;
  options.table_formula_eq_wrap = input.value("enable_table_formula_eq_wrap", false);
  options.simple = input.value("simple_post_process", false);
  options.abandon_list = input.value("abandon_list", false);
  options.abandon_paratext = input.value("abandon_paratext", false);
  return options;
}

json PostProcessOne(const std::string& type, const std::string& content, const Bbox& box,
                    const json& input) {
  return BlocksToJson(PostProcess({{type, box, 0, content}}, OptionsOf(input)));
}

// Content of the only block.
json ContentOfOne(const std::string& type, const json& input) {
  const json blocks = PostProcessOne(type, Raw(input), {0.1, 0.1, 0.9, 0.2}, input);
  return blocks.empty() ? blocks : blocks[0].at("content");
}

template <std::string (*kFunction)(std::string_view)>
json OnRaw(const json& input) {
  return kFunction(Raw(input));
}

json Requests(const json& input) {
  const Image page(input.at("page_width"), input.at("page_height"), 200);
  std::vector<ContentBlock> blocks = BlocksFromJson(input.at("blocks"));
  RequestOptions options{input.at("image_analysis"), {}};
  const auto skipped = input.find("not_extract_list");
  if (skipped != input.end() && !skipped->is_null()) {
    options.not_extract = skipped->get<std::vector<std::string>>();
  }
  json requests = json::array();
  for (const BlockRequest& request : PlanRequests(&blocks, options)) {
    const ContentBlock& block = blocks[request.block];
    const Image crop = CropOfBlock(page, block.bbox, block.angle);
    if (crop.empty()) continue;
    std::string sampling(TaskName(request.task));
    if (request.task == Task::kText) sampling = "[default]";
    if (block.type == "chart") sampling = "chart";
    requests.push_back({{"block", request.block},
                        {"prompt", TaskPrompt(request.task)},
                        {"sampling", sampling},
                        {"width", crop.width},
                        {"height", crop.height}});
  }
  json types = json::array();
  for (const ContentBlock& block : blocks) types.push_back(block.type);
  return {{"blocks_left", std::move(types)}, {"requests", std::move(requests)}};
}

json TableImageTokens(const json& input) {
  std::vector<PictureCode> codes;
  for (const auto& item : input.at("token_map").items()) {
    codes.push_back({item.key(), item.value().get<std::string>()});
  }
  if (input.at("content").is_null()) return nullptr;
  return ReplacePictureCodes(input.at("content").get<std::string>(), codes);
}

json TableImageMap(const json& input) {
  json answer = json::object();
  for (const auto& table : FindTablePictures(BlocksFromJson(input.at("blocks")))) {
    answer[std::to_string(table.first)] = table.second;
  }
  return answer;
}

json CrossPagePrompt(const json& input) {
  std::vector<std::vector<ContentBlock>> pages;
  for (const json& page : input.at("pages")) pages.push_back(BlocksFromJson(page));
  json prompts = json::array();
  for (const CellMergeQuestion& question : FindCellMergeQuestions(pages)) {
    prompts.push_back(question.prompt);
    pages[question.page][question.block].cell_merge =
        ReadCellMergeAnswer(question, input.at("answer").get<std::string>());
  }
  json blocks = json::array();
  for (const auto& page : pages) blocks.push_back(BlocksToJson(page));
  return {{"prompts", std::move(prompts)}, {"pages", std::move(blocks)}};
}

json CropResize(const json& input) {
  const CropSize size = SizeOfCrop(input.at("width"), input.at("height"));
  return {{"width", size.width}, {"height", size.height}};
}

CaseFamilies MakeFamilies() {
  return {
      {"layout", {[](const json& input) { return BlocksToJson(ParseLayout(Raw(input)).blocks); }}},
      {"otsl",
       {[](const json& input) { return json(OtslToHtml(Raw(input), OtslRule::kReference)); }}},
      {"table_block", {[](const json& input) {
         return PostProcessOne("table", input.at("content"), {0.1, 0.1, 0.9, 0.5}, input);
       }}},
      {"equation", {[](const json& input) { return ContentOfOne("equation", input); }}},
      {"eq_delimiters", {OnRaw<FixEquationDelimiters>}},
      {"eq_left_right", {OnRaw<MatchLeftRight>}},
      {"eq_double_subscript", {OnRaw<FixDoubleSubscript>}},
      {"eq_eqqcolon", {OnRaw<FixColonRelations>}},
      {"eq_big", {OnRaw<FixBigDelimiters>}},
      {"eq_less", {OnRaw<SpaceAfterLess>}},
      {"eq_braces", {OnRaw<FixUnbalancedBraces>}},
      {"text", {[](const json& input) { return ContentOfOne("text", input); }}},
      {"image_analysis", {[](const json& input) {
         return PostProcessOne(input.at("type"), Raw(input), {0.1, 0.1, 0.9, 0.5}, input);
       }}},
      {"page_post", {[](const json& input) {
         return BlocksToJson(PostProcess(BlocksFromJson(input.at("blocks")), OptionsOf(input)));
       }}},
      {"requests", {Requests}},
      {"crop_resize", {CropResize}},
      {"simple_markdown", {[](const json& input) {
         return json(SimpleMarkdown(BlocksFromJson(input.at("blocks"))));
       }}},
      {"table_image_tokens", {TableImageTokens}},
      {"table_image_map", {TableImageMap}},
      {"cross_page_prompt", {CrossPagePrompt}},
  };
}

}  // namespace

const CaseFamilies& VluFamilies() {
  static const CaseFamilies families = MakeFamilies();
  return families;
}

std::vector<ContentBlock> BlocksFromJson(const json& blocks) {
  std::vector<ContentBlock> out;
  for (const json& value : blocks) {
    ContentBlock block;
    block.type = value.at("type").get<std::string>();
    block.bbox = value.at("bbox").get<Bbox>();
    const auto get = [&](const char* key) { return value.contains(key) ? value.at(key) : json(); };
    if (!get("angle").is_null()) block.angle = get("angle").get<int>();
    if (!get("content").is_null()) block.content = get("content").get<std::string>();
    if (!get("sub_type").is_null()) block.sub_type = get("sub_type").get<std::string>();
    if (!get("cell_merge").is_null()) block.cell_merge = get("cell_merge").get<std::vector<int>>();
    block.merge_prev = value.value("merge_prev", false);
    out.push_back(std::move(block));
  }
  return out;
}

json BlocksToJson(const std::vector<ContentBlock>& blocks) {
  json out = json::array();
  for (const ContentBlock& block : blocks) {
    json value = {{"type", block.type}, {"bbox", block.bbox}};
    value["angle"] = block.angle ? json(*block.angle) : json();
    value["content"] = block.content ? json(*block.content) : json();
    if (block.type == "text") value["merge_prev"] = block.merge_prev;
    if (block.sub_type) value["sub_type"] = *block.sub_type;
    if (!block.cell_merge.empty()) value["cell_merge"] = block.cell_merge;
    out.push_back(std::move(value));
  }
  return out;
}

}  // namespace octavo
