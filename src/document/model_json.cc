// ToModelJson of octavo/document.h. Source of the form: mineru-vl-utils 2.0.7, structs.py.
#include <utility>

#include <nlohmann/json.hpp>

#include "document/middle_json.h"
#include "octavo/document.h"

namespace octavo {

using Json = nlohmann::ordered_json;

std::string ToModelJson(const std::vector<Page>& pages) {
  Json list = Json::array();
  for (const Page& page : pages) {
    Json blocks = Json::array();
    for (const ContentBlock& block : page.blocks) {
      Json out = {{"type", block.type}, {"bbox", block.bbox}};
      out["angle"] = block.angle ? Json(*block.angle) : Json(nullptr);
      out["content"] = block.content ? Json(*block.content) : Json(nullptr);
      if (block.type == "text") out["merge_prev"] = block.merge_prev;
      if (block.sub_type) out["sub_type"] = *block.sub_type;
      if (!block.cell_merge.empty()) out["cell_merge"] = block.cell_merge;
      if (page.layout == LayoutSource::kWhitespace) out["layout"] = "whitespace";
      blocks.push_back(std::move(out));
    }
    list.push_back(std::move(blocks));
  }
  return DumpLikeMineru(list);
}

}  // namespace octavo
