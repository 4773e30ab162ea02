// Deflated bytes for tests of what reads them.
#ifndef OCTAVO_TESTS_TESTING_DEFLATE_H_
#define OCTAVO_TESTS_TESTING_DEFLATE_H_

#include <zlib.h>

#include <string>

namespace octavo::testing {

// In zlib's framing.
inline std::string Deflated(const std::string& text) {
  std::string out(compressBound(text.size()), '\0');
  uLongf size = out.size();
  compress2(reinterpret_cast<Bytef*>(out.data()), &size,
            reinterpret_cast<const Bytef*>(text.data()), text.size(), 9);
  out.resize(size);
  return out;
}

}  // namespace octavo::testing

#endif  // OCTAVO_TESTS_TESTING_DEFLATE_H_
