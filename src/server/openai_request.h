// OpenAI's chat request: JSON to a native request. Field names are OpenAI's and, where OpenAI has
// none, vLLM's.
#ifndef OCTAVO_SERVER_OPENAI_REQUEST_H_
#define OCTAVO_SERVER_OPENAI_REQUEST_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "octavo/engine.h"

namespace octavo {

// A request as it arrived: pictures are still files, so that waiting ones take little memory.
struct ChatRequest {
  Request request;                         // without pictures and on_token
  std::vector<std::string> picture_files;  // PNG, JPEG, …: bytes, one for each image content
  bool stream = false;
  bool include_usage = false;  // stream_options.include_usage
  int64_t priority = 0;        // vLLM's: lower ones first
};

// Reads the body of POST /v1/chat/completions. What octavo does not know is ignored, what it knows
// and does not do (several choices, logprobs, tools, structured output, remote pictures) is
// refused: an answer without it would look right. Without sampling fields decoding is greedy.
// Special tokens in texts count as such, as in vLLM.
// Throws kInvalidArgument naming the field.
ChatRequest ParseChatRequest(std::string_view body);

// Decodes picture_files into request.pictures, in order. Throws kInvalidArgument,
// kResourceExhausted (too many pixels); messages name the picture by its number.
void DecodePictures(ChatRequest* chat);

}  // namespace octavo

#endif  // OCTAVO_SERVER_OPENAI_REQUEST_H_
