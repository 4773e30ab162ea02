// StrCat: joins strings and numbers into one std::string; the message builder of the code base.
#ifndef OCTAVO_BASE_STR_CAT_H_
#define OCTAVO_BASE_STR_CAT_H_

#include <sstream>
#include <string>

namespace octavo {

// Joins the arguments as operator<< writes them. Not for hot code.
template <typename... Args>
std::string StrCat(const Args&... args) {
  std::ostringstream out;
  (out << ... << args);
  return std::move(out).str();
}

}  // namespace octavo

#endif  // OCTAVO_BASE_STR_CAT_H_
