// What a Tokenizer knows. Included by the tokenizer and its loader only.
#ifndef OCTAVO_TEXT_TOKENIZER_TABLES_H_
#define OCTAVO_TEXT_TOKENIZER_TABLES_H_

#include <array>
#include <cstdint>
#include <vector>

#include "text/added_token_matcher.h"
#include "text/bpe.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"

namespace octavo {

struct Tokenizer::Tables {
  Vocabulary vocabulary;                // ordinary and added tokens
  std::array<int32_t, 256> byte_ids{};  // the token of each single byte
  MergeTable merges;
  std::vector<AddedToken> added_tokens;  // in the file's order
  std::vector<bool> is_special;          // [vocabulary.num_ids()]
  AddedTokenMatcher raw_matcher;         // over the text as it comes
  AddedTokenMatcher normalized_matcher;  // over NFC text, in what raw_matcher leaves
};

}  // namespace octavo

#endif  // OCTAVO_TEXT_TOKENIZER_TABLES_H_
