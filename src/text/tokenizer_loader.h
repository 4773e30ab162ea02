// Makes a Tokenizer from the text of a tokenizer.json.
#ifndef OCTAVO_TEXT_TOKENIZER_LOADER_H_
#define OCTAVO_TEXT_TOKENIZER_LOADER_H_

#include <string_view>

#include "text/tokenizer.h"

namespace octavo {

// `where` names the source in messages. Merges may be "a b" strings or ["a","b"] pairs.
// Throws kDataLoss (damaged, ids double or out of range, a byte without a token, merges that do not
// name tokens), kUnsupported (model other than BPE, another pre-tokenizer or normalizer than the
// Qwen2 family's).
Tokenizer LoadTokenizerJson(std::string_view json_text, std::string_view where);

}  // namespace octavo

#endif  // OCTAVO_TEXT_TOKENIZER_LOADER_H_
