// Pre-tokenizer: splits text into the pieces that byte-pair merges never cross.
#ifndef OCTAVO_TEXT_PRE_TOKENIZER_H_
#define OCTAVO_TEXT_PRE_TOKENIZER_H_

#include <cstddef>
#include <string_view>

namespace octavo {

// The pattern of the Qwen2 family, as tokenizer.json spells it. The first alternative that matches
// wins; every character is matched by one.
inline constexpr std::string_view kQwen2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";

// Bytes of the pre-token at the start of `text`; at least one character. The end of `text` is the
// end of the input for the pattern's look-ahead, so pass all that follows.
// REQUIRES: valid UTF-8, not empty.
// Source: kQwen2Pattern as Oniguruma reads it in `tokenizers` 0.23 (`(?i:'s)` takes U+017F too).
size_t PreTokenLength(std::string_view text) noexcept;

}  // namespace octavo

#endif  // OCTAVO_TEXT_PRE_TOKENIZER_H_
