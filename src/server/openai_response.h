// OpenAI's chat answer: completions, server-sent events, the list of models, errors, as JSON. Field
// names and order are vLLM's.
#ifndef OCTAVO_SERVER_OPENAI_RESPONSE_H_
#define OCTAVO_SERVER_OPENAI_RESPONSE_H_

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "octavo/engine.h"
#include "server/http_server.h"

namespace octavo {

// What is the same in all parts of one answer.
struct ChatIdentity {
  std::string id;  // "chatcmpl-…"
  int64_t created = 0;
  std::string model;
};

// The body of a whole answer. Cancelled answers have finish_reason "length".
std::string ChatCompletionBody(const ChatIdentity& identity, const Completion& completion);

// Events of a streamed answer, each a whole server-sent event: the first (the role), one for a
// piece of text, the last of the choice, that with the usage, and the end mark.
std::string FirstChunk(const ChatIdentity& identity, bool include_usage);
std::string TextChunk(const ChatIdentity& identity, std::string_view text, bool include_usage);
std::string FinishChunk(const ChatIdentity& identity, FinishReason reason, bool include_usage);
std::string UsageChunk(const ChatIdentity& identity, const Usage& usage);
std::string ErrorEvent(const std::exception_ptr& error);
inline constexpr std::string_view kDoneEvent = "data: [DONE]\n\n";
inline constexpr std::string_view kHeartbeatEvent = ": waiting\n\n";

// The body of GET /v1/models.
std::string ModelsBody(std::string_view model, int64_t created, int64_t max_model_len);

// Any exception as OpenAI's error object with a status. What is wrong with the request is 400, a
// picture of too many pixels 413, other shortages 503.
HttpResponse ErrorResponse(const std::exception_ptr& error);
HttpResponse ErrorResponse(int status, std::string_view message, std::string_view code);

}  // namespace octavo

#endif  // OCTAVO_SERVER_OPENAI_RESPONSE_H_
