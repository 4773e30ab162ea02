// middle.json: the middle form as MinerU writes it.
#ifndef OCTAVO_DOCUMENT_MIDDLE_JSON_H_
#define OCTAVO_DOCUMENT_MIDDLE_JSON_H_

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "document/middle.h"

namespace octavo {

// Source: mineru 3.4.5, model_output_to_middle_json.py.
nlohmann::ordered_json MiddleToJson(const std::vector<MiddlePage>& pages);

// UTF-8 (ensure_ascii=False), indented by 4, and a line feed; invalid bytes are replaced.
std::string DumpLikeMineru(const nlohmann::ordered_json& json);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_MIDDLE_JSON_H_
