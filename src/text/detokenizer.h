// Detokenizer: streamed ids to text that never ends inside a character.
#ifndef OCTAVO_TEXT_DETOKENIZER_H_
#define OCTAVO_TEXT_DETOKENIZER_H_

#include <cstdint>
#include <string>

#include "text/tokenizer.h"

namespace octavo {

// One sequence's stream. The pieces joined equal Tokenizer::Decode of all ids.
// Holds a reference to the tokenizer. One thread at a time.
class Detokenizer {
 public:
  Detokenizer(const Tokenizer& tokenizer, bool skip_special_tokens)
      : tokenizer_(tokenizer), skip_special_tokens_(skip_special_tokens) {}

  // Text that `id` completes; empty while a character is unfinished. Bytes that can never become
  // a character turn into U+FFFD at once.
  std::string Append(int32_t id);
  // What is still held back, as U+FFFD; call once at the end.
  std::string Finish();

 private:
  const Tokenizer& tokenizer_;
  bool skip_special_tokens_;
  std::string pending_;
};

}  // namespace octavo

#endif  // OCTAVO_TEXT_DETOKENIZER_H_
