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

  // Text that `id` completes; empty while what is not sent yet ends in an unfinished character or
  // in U+FFFD. So invalid bytes, and U+FFFD that the model writes, come out together with the next
  // good character.
  // Source: step_decode_stream of `tokenizers` 0.23, whose null is the empty string here.
  std::string Append(int32_t id);
  // What is still held back, an unfinished character as U+FFFD; call once at the end.
  std::string Finish();

 private:
  const Tokenizer& tokenizer_;
  bool skip_special_tokens_;
  std::string held_text_;        // whole characters; ends in U+FFFD if not empty
  std::string unfinished_char_;  // at most 3 bytes, plus a token's while Append runs
};

}  // namespace octavo

#endif  // OCTAVO_TEXT_DETOKENIZER_H_
