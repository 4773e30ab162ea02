// tokenizer.json as GGUF's language files have it: lists of tokens, their kinds and the merges.
#ifndef OCTAVO_FORMATS_GGUF_TOKENS_H_
#define OCTAVO_FORMATS_GGUF_TOKENS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/gguf_writer.h"

namespace octavo {

// Kinds of tokens that octavo tells apart (tokenizer.ggml.token_type).
inline constexpr int32_t kGgufNormalToken = 1;
inline constexpr int32_t kGgufControlToken = 3;
inline constexpr int32_t kGgufUserToken = 4;
inline constexpr int32_t kGgufUnusedToken = 5;

// How text is cut before merging, as tokenizer.json of the family says it; GGUF calls it "qwen2".
extern const char* const kQwen2SplitPattern;

struct GgufTokens {
  std::vector<std::string> texts;  // [vocab_size]; rows without a token are "[PADn]", unused
  std::vector<int32_t> kinds;
  std::vector<std::string> merges;  // "a b"

  // Id of an added token.
  std::optional<uint32_t> FindAdded(std::string_view text) const;
};

// `where` names the file in messages. Throws kDataLoss (not JSON, an entry absent, of another type,
// or an id that is taken or not below vocab_size), kUnsupported (another model than BPE, another
// splitting or normalizer than GGUF's "qwen2" means).
GgufTokens ParseGgufTokens(std::string_view tokenizer_json, int64_t vocab_size,
                           std::string_view where);

// "chat_template" of chat_template.json or tokenizer_config.json; nullopt where there is none.
std::optional<std::string> FindChatTemplate(std::string_view json);

// tokenizer.ggml.model, pre, tokens, token_type, merges, add_bos_token; the id of "<|endoftext|>",
// where there is one, for padding and as first token.
void AddTokens(const GgufTokens& tokens, GgufMetadata* metadata);

}  // namespace octavo

#endif  // OCTAVO_FORMATS_GGUF_TOKENS_H_
