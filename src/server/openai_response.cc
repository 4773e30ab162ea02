#include "server/openai_response.h"

#include <algorithm>
#include <new>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/str_cat.h"
#include "base/utf8.h"
#include "octavo/error.h"

namespace octavo {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson UsageJson(const Usage& usage) {
  return {{"prompt_tokens", usage.prompt_tokens},
          {"prompt_tokens_details", {{"cached_tokens", usage.cached_tokens}}},
          {"completion_tokens", usage.completion_tokens},
          {"total_tokens", usage.prompt_tokens + usage.completion_tokens}};
}

// vLLM's and the clients' words: whatever ends an answer early is "length".
const char* FinishWord(FinishReason reason) {
  return reason == FinishReason::kStop ? "stop" : "length";
}

OrderedJson Head(const ChatIdentity& identity, const char* object) {
  return {{"id", identity.id},
          {"object", object},
          {"created", identity.created},
          {"model", identity.model}};
}

std::string Dump(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string Event(const OrderedJson& json) { return StrCat("data: ", Dump(json), "\n\n"); }

std::string Chunk(const ChatIdentity& identity, OrderedJson delta, OrderedJson finish_reason,
                  bool include_usage) {
  OrderedJson chunk = Head(identity, "chat.completion.chunk");
  chunk["choices"] = OrderedJson::array(
      {{{"index", 0}, {"delta", std::move(delta)}, {"finish_reason", std::move(finish_reason)}}});
  if (include_usage) chunk["usage"] = nullptr;
  return Event(chunk);
}

struct Fault {
  int status = 500;
  std::string message;
  std::string code;
};

// Messages about pictures hold the word for what is wrong: "image 1: image_corrupt: …".
std::string CodeWord(std::string_view message, ErrorCode code) {
  for (const std::string_view word :
       {"image_corrupt", "image_too_large", "unsupported_media", "empty_file"}) {
    if (message.find(StrCat(word, ":")) != std::string_view::npos) return std::string(word);
  }
  std::string word = ErrorCodeName(code);
  std::replace(word.begin(), word.end(), ' ', '_');
  return word;
}

Fault FaultOf(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& known) {
    Fault fault{HttpStatus(known.code()), PrintableName(known.what(), 4096), ""};
    fault.code = CodeWord(fault.message, known.code());
    if (fault.code == "image_too_large") fault.status = 413;
    return fault;
  } catch (const std::bad_alloc&) {
    return {503, "no memory left", "resource_exhausted"};
  } catch (const std::exception& unknown) {
    return {500, StrCat("internal error: ", PrintableName(unknown.what())), "internal_error"};
  }
}

OrderedJson ErrorJson(int status, std::string_view message, std::string_view code) {
  const char* type = status < 500 ? "invalid_request_error" : "internal_error";
  if (status == 503) type = "overloaded_error";
  return {{"error", {{"message", message}, {"type", type}, {"param", nullptr}, {"code", code}}}};
}

}  // namespace

std::string ChatCompletionBody(const ChatIdentity& identity, const Completion& completion) {
  OrderedJson body = Head(identity, "chat.completion");
  body["choices"] =
      OrderedJson::array({{{"index", 0},
                           {"message", {{"role", "assistant"}, {"content", completion.text}}},
                           {"finish_reason", FinishWord(completion.finish_reason)}}});
  body["usage"] = UsageJson(completion.usage);
  return Dump(body);
}

std::string FirstChunk(const ChatIdentity& identity, bool include_usage) {
  return Chunk(identity, {{"role", "assistant"}, {"content", ""}}, nullptr, include_usage);
}

std::string TextChunk(const ChatIdentity& identity, std::string_view text, bool include_usage) {
  return Chunk(identity, {{"content", text}}, nullptr, include_usage);
}

std::string FinishChunk(const ChatIdentity& identity, FinishReason reason, bool include_usage) {
  return Chunk(identity, OrderedJson::object(), FinishWord(reason), include_usage);
}

std::string UsageChunk(const ChatIdentity& identity, const Usage& usage) {
  OrderedJson chunk = Head(identity, "chat.completion.chunk");
  chunk["choices"] = OrderedJson::array();
  chunk["usage"] = UsageJson(usage);
  return Event(chunk);
}

std::string ErrorEvent(const std::exception_ptr& error) {
  const Fault fault = FaultOf(error);
  return Event(ErrorJson(fault.status, fault.message, fault.code));
}

std::string ModelsBody(std::string_view model, int64_t created, int64_t max_model_len) {
  return Dump({{"object", "list"},
               {"data", OrderedJson::array({{{"id", model},
                                             {"object", "model"},
                                             {"created", created},
                                             {"owned_by", "octavo"},
                                             {"max_model_len", max_model_len}}})}});
}

HttpResponse ErrorResponse(const std::exception_ptr& error) {
  const Fault fault = FaultOf(error);
  return ErrorResponse(fault.status, fault.message, fault.code);
}

HttpResponse ErrorResponse(int status, std::string_view message, std::string_view code) {
  HttpResponse response;
  response.status = status;
  response.body = Dump(ErrorJson(status, message, code));
  return response;
}

}  // namespace octavo
