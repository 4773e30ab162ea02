// Makes a Tokenizer from the text of a tokenizer.json.
#ifndef OCTAVO_TEXT_TOKENIZER_LOADER_H_
#define OCTAVO_TEXT_TOKENIZER_LOADER_H_

#include <string_view>

#include "text/tokenizer.h"

namespace octavo {

// `where` names the source in messages. Merges may be "a b" strings or ["a","b"] pairs; there may
// be none. `truncation`, `padding`, version and unknown members are ignored.
// Throws kDataLoss (damaged JSON, ids double, out of range or at odds with the vocabulary, a byte
// without a token, merges that do not name tokens, an added token that is empty, no added token for
// a marker of the chat template), kUnsupported (a model other than plain byte-level BPE, another
// pre-tokenizer, normalizer, decoder or post-processor than the Qwen2 family's, an added token that
// wants single_word), kResourceExhausted (longer than 64 MiB).
Tokenizer LoadTokenizerJson(std::string_view json_text, std::string_view where);

}  // namespace octavo

#endif  // OCTAVO_TEXT_TOKENIZER_LOADER_H_
