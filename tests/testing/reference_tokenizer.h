// The real Qwen2 vocabulary with MinerU's added tokens, from tests/data/tokenizer.
#ifndef OCTAVO_TESTS_TESTING_REFERENCE_TOKENIZER_H_
#define OCTAVO_TESTS_TESTING_REFERENCE_TOKENIZER_H_

#include <string>

#include "tests/testing/gzip_file.h"
#include "text/tokenizer.h"
#include "text/tokenizer_loader.h"

namespace octavo::testing {

inline std::string ReferenceTokenizerJson() {
  return ReadGzipFile(OCTAVO_TEST_DATA_DIR "/tokenizer/qwen2-mineru-tokenizer.json.gz");
}

// Loaded once in a program.
inline const Tokenizer& ReferenceTokenizer() {
  static const Tokenizer tokenizer = LoadTokenizerJson(ReferenceTokenizerJson(), "reference");
  return tokenizer;
}

}  // namespace octavo::testing

#endif  // OCTAVO_TESTS_TESTING_REFERENCE_TOKENIZER_H_
