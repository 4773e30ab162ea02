// content_list.json and content_list_v2.json from the middle form.
#ifndef OCTAVO_DOCUMENT_CONTENT_LIST_H_
#define OCTAVO_DOCUMENT_CONTENT_LIST_H_

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "document/middle.h"

namespace octavo {

// image_prefix stands before the names of pictures. Boxes are in thousandths of the page. Under
// kKeepText, blocks whose content went to an earlier one are left out.
// Source: mineru 3.4.5, vlm_middle_json_mkcontent.py, make_blocks_to_content_list and …_v2.
nlohmann::ordered_json MiddleToContentList(const std::vector<MiddlePage>& pages,
                                           const std::string& image_prefix,
                                           MiddleRule rule = MiddleRule::kKeepText);
nlohmann::ordered_json MiddleToContentListV2(const std::vector<MiddlePage>& pages,
                                             const std::string& image_prefix,
                                             MiddleRule rule = MiddleRule::kKeepText);

// What both need. The span that carries a picture, table or display formula; nothing is found in a
// block without one.
const MiddleSpan* BodySpan(const MiddleBlock& block);
nlohmann::ordered_json BoxInThousandths(const PointBox& box, const MiddlePage& page);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_CONTENT_LIST_H_
