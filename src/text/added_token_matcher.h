// AddedTokenMatcher: finds tokens that stand literally in a text, before any merge.
#ifndef OCTAVO_TEXT_ADDED_TOKEN_MATCHER_H_
#define OCTAVO_TEXT_ADDED_TOKEN_MATCHER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"

namespace octavo {

// One literal to look for.
struct TokenPattern {
  std::string content;  // not empty
  int32_t id = 0;
  bool lstrip = false;  // swallows the white space before it
  bool rstrip = false;  // swallows the white space after it
};

// Leftmost match wins, of those that begin there the longest. Const and safe from any thread.
// Source: `tokenizers` 0.23, tokenizer/added_vocabulary.rs, find_matches.
class AddedTokenMatcher {
 public:
  // REQUIRES: contents differ.
  explicit AddedTokenMatcher(std::vector<TokenPattern> patterns);

  // Calls on_text for every stretch without a token (never an empty one) and on_token for every
  // token, from left to right. REQUIRES: valid UTF-8.
  void Split(std::string_view text, FunctionRef<void(std::string_view)> on_text,
             FunctionRef<void(int32_t)> on_token) const;

 private:
  // The longest pattern that text begins with at `pos`; nullptr if none does.
  const TokenPattern* FindAt(std::string_view text, size_t pos) const noexcept;

  std::vector<TokenPattern> patterns_;  // sorted by content
  // Patterns that begin with byte b: [first_[b], first_[b + 1]).
  std::array<size_t, 257> first_{};
};

}  // namespace octavo

#endif  // OCTAVO_TEXT_ADDED_TOKEN_MATCHER_H_
