// Chat messages to the prompt of the family (ChatML with vision markers); no general Jinja.
#ifndef OCTAVO_TEXT_CHAT_TEMPLATE_H_
#define OCTAVO_TEXT_CHAT_TEMPLATE_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "text/tokenizer.h"

namespace octavo {

// One part of a message: words, or the place of the next image.
struct ChatPart {
  enum class Kind { kText, kImage };
  Kind kind = Kind::kText;
  std::string text;
};

struct ChatMessage {
  enum class Role { kSystem, kUser, kAssistant };
  Role role = Role::kUser;
  std::vector<ChatPart> parts;
};

// Added tokens that the template writes; a tokenizer must have them all.
inline constexpr std::array<const char*, 5> kChatMarkers = {
    "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>"};

inline constexpr const char* kDefaultSystemPrompt = "You are a helpful assistant.";

// The prompt as text, one `<|image_pad|>` for each image. A default system message is put first
// if the first message is none; ends with the opening of the assistant's turn.
// Source: chat_template of Qwen2-VL checkpoints (model-and-formats 1.9).
std::string RenderChat(const std::vector<ChatMessage>& messages);

// The prompt as ids; the k-th image part becomes image_tokens[k] image pads. With `trust_markup`,
// added tokens written in text parts are recognised (as the reference does); an image pad written
// there stays one pad. Without it, only the template's own words may become added tokens.
// Throws kInvalidArgument if the number of image parts is not image_tokens.size(), a number of
// image tokens is below 1, or the tokenizer lacks a token of the template.
std::vector<int32_t> EncodeChat(const Tokenizer& tokenizer,
                                const std::vector<ChatMessage>& messages,
                                const std::vector<int64_t>& image_tokens, bool trust_markup);

}  // namespace octavo

#endif  // OCTAVO_TEXT_CHAT_TEMPLATE_H_
