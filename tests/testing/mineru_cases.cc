#include "testing/mineru_cases.h"

#include <sstream>

#include "base/file.h"
#include "base/json.h"

namespace octavo {
namespace {

using nlohmann::json;

json ReadFamily(const std::string& family) {
  const std::string path = std::string(OCTAVO_TEST_DATA_DIR) + "/mineru/vlu/" + family + ".json";
  return ParseJson(ReadFile(path, size_t{1} << 24), path).at("cases");
}

ContentBlock ToBlock(const json& value) {
  ContentBlock block;
  block.type = value.at("type");
  for (size_t i = 0; i < 4; ++i) block.bbox[i] = value.at("bbox").at(i);
  if (!value.at("angle").is_null()) block.angle = value.at("angle").get<int>();
  if (!value.at("content").is_null()) block.content = value.at("content").get<std::string>();
  block.merge_prev = value.value("merge_prev", false);
  return block;
}

std::vector<ContentBlock> ToBlocks(const json& values) {
  std::vector<ContentBlock> blocks;
  for (const json& value : values) blocks.push_back(ToBlock(value));
  return blocks;
}

}  // namespace

std::vector<TextCase> ReadTextCases(const std::string& family) {
  std::vector<TextCase> cases;
  for (const json& c : ReadFamily(family)) {
    TextCase text_case{c.at("name"), c.at("input").at("raw"), {}, {}};
    const json& expected = c.at("expected");
    if (expected.is_string()) text_case.expected = expected.get<std::string>();
    if (expected.is_array()) text_case.expected_blocks = ToBlocks(expected);
    cases.push_back(std::move(text_case));
  }
  return cases;
}

std::vector<BlocksCase> ReadBlocksCases(const std::string& family) {
  std::vector<BlocksCase> cases;
  for (const json& c : ReadFamily(family)) {
    const json& input = c.at("input");
    BlocksCase out;
    out.name = c.at("name");
    if (input.contains("blocks")) {
      out.blocks = ToBlocks(input.at("blocks"));
    } else {
      out.blocks = {{"table", {0.1, 0.1, 0.9, 0.5}, 0, input.at("content").get<std::string>()}};
    }
    out.simple = input.value("simple_post_process", false);
    out.abandon_list = input.value("abandon_list", false);
    out.abandon_paratext = input.value("abandon_paratext", false);
    out.table_formula_eq_wrap = input.value("enable_table_formula_eq_wrap", false);
    out.expected = ToBlocks(c.at("expected"));
    cases.push_back(std::move(out));
  }
  return cases;
}

std::vector<CropResizeCase> ReadCropResizeCases() {
  std::vector<CropResizeCase> cases;
  for (const json& c : ReadFamily("crop_resize")) {
    const json& input = c.at("input");
    const json& expected = c.at("expected");
    cases.push_back({c.at("name"), input.at("width"), input.at("height"), expected.at("width"),
                     expected.at("height")});
  }
  return cases;
}

std::vector<RequestsCase> ReadRequestsCases() {
  std::vector<RequestsCase> cases;
  for (const json& c : ReadFamily("requests")) {
    const json& input = c.at("input");
    RequestsCase out;
    out.name = c.at("name");
    out.page_width = input.at("page_width");
    out.page_height = input.at("page_height");
    out.blocks = ToBlocks(input.at("blocks"));
    out.image_analysis = input.at("image_analysis");
    if (input.contains("not_extract_list") && !input.at("not_extract_list").is_null()) {
      out.not_extract = input.at("not_extract_list").get<std::vector<std::string>>();
    }
    out.expected_types = c.at("expected").at("blocks_left").get<std::vector<std::string>>();
    for (const json& request : c.at("expected").at("requests")) {
      out.expected.push_back({request.at("block"), request.at("prompt"), request.at("sampling"),
                              request.at("width"), request.at("height")});
    }
    cases.push_back(std::move(out));
  }
  return cases;
}

std::string Describe(const std::vector<ContentBlock>& blocks) {
  std::ostringstream out;
  for (const ContentBlock& block : blocks) {
    out << block.type;
    for (const double edge : block.bbox) out << ' ' << edge;
    out << " angle " << (block.angle ? std::to_string(*block.angle) : "none");
    if (block.merge_prev) out << " merge_prev";
    out << (block.content ? " [" + *block.content + "]" : " no content") << '\n';
  }
  return out.str();
}

}  // namespace octavo
