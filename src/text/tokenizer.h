// Tokenizer: text to ids and back; byte-level BPE of the Qwen2 family, exactly as the
// `tokenizers` library does it.
#ifndef OCTAVO_TEXT_TOKENIZER_H_
#define OCTAVO_TEXT_TOKENIZER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace octavo {

struct AddedToken {
  std::string content;  // literal text, matched before anything else
  int32_t id = 0;
  bool special = false;  // dropped by Decode with skip_special_tokens
};

// Const and safe from any thread after construction. Made by tokenizer_loader.h.
class Tokenizer {
 public:
  struct Tables;  // vocabulary, merges, added tokens: tokenizer_tables.h
  explicit Tokenizer(std::unique_ptr<const Tables> tables);
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  // Ids of `text`; added tokens that stand in it literally become their ids (also special ones).
  // Invalid UTF-8 is replaced by U+FFFD first. Never throws on text.
  std::vector<int32_t> Encode(std::string_view text) const;

  // Ids of `text` in which added tokens are NOT recognised: for words that come from a user or a
  // document, which must not be able to write control tokens.
  std::vector<int32_t> EncodePlain(std::string_view text) const;

  // Text of `ids`: bytes joined, invalid maximal subparts replaced by U+FFFD. Ids without a token
  // contribute nothing.
  std::string Decode(const std::vector<int32_t>& ids, bool skip_special_tokens) const;

  // The raw bytes of one token (not necessarily whole characters); empty for an unknown id.
  std::string_view TokenBytes(int32_t id) const;
  bool IsSpecial(int32_t id) const;
  // Id of the added or ordinary token with exactly this content; nullopt if none.
  std::optional<int32_t> FindToken(std::string_view content) const;
  // One more than the largest id that has a token.
  int32_t vocab_size() const;
  const std::vector<AddedToken>& added_tokens() const;

 private:
  std::unique_ptr<const Tables> tables_;
};

}  // namespace octavo

#endif  // OCTAVO_TEXT_TOKENIZER_H_
