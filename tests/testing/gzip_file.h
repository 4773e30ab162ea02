// Reads a .gz fixture whole.
#ifndef OCTAVO_TESTS_TESTING_GZIP_FILE_H_
#define OCTAVO_TESTS_TESTING_GZIP_FILE_H_

#include <zlib.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace octavo::testing {

// The unpacked bytes; throws std::runtime_error if the file is absent or damaged.
// The program that includes this links ZLIB::ZLIB.
inline std::string ReadGzipFile(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) throw std::runtime_error("cannot open " + path);
  std::string text;
  std::vector<char> block(1 << 16);
  int num_bytes = 0;
  while ((num_bytes = gzread(file, block.data(), static_cast<unsigned>(block.size()))) > 0) {
    text.append(block.data(), static_cast<size_t>(num_bytes));
  }
  const bool is_whole = gzclose(file) == Z_OK && num_bytes == 0;
  if (!is_whole) throw std::runtime_error("damaged: " + path);
  return text;
}

}  // namespace octavo::testing

#endif  // OCTAVO_TESTS_TESTING_GZIP_FILE_H_
