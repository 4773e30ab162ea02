// Parses JSON from outside under limits; the only way JSON enters octavo.
#ifndef OCTAVO_BASE_JSON_H_
#define OCTAVO_BASE_JSON_H_

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace octavo {

struct JsonLimits {
  size_t max_bytes = size_t{64} << 20;
  int max_depth = 64;
};

// Parses one JSON text. `where` names the source in messages (a file name).
// Throws kDataLoss: not JSON, invalid UTF-8, NUL, duplicate key in an object, a number outside
// double's range, nesting over the limit; kResourceExhausted: longer than max_bytes.
nlohmann::json ParseJson(std::string_view text, std::string_view where, JsonLimits limits = {});

}  // namespace octavo

#endif  // OCTAVO_BASE_JSON_H_
