#include "server/openai_request.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/json.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "octavo/error.h"
#include "vision/image_codec.h"

namespace octavo {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxMessages = 1024;
constexpr size_t kMaxPictures = 64;
// JSON of a body is as long as the server lets bodies be.
constexpr size_t kMaxJsonBytes = std::numeric_limits<size_t>::max();

[[noreturn]] void Refuse(const std::string& what) {
  throw Error(ErrorCode::kInvalidArgument, what);
}

// The member if it is there and not null.
const Json* Find(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

bool BoolOr(const Json& object, const char* name, bool otherwise) {
  const Json* value = Find(object, name);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean())
    Refuse(StrCat(name, ": found ", value->type_name(), ", expected true or false"));
  return value->get<bool>();
}

double NumberOr(const Json& object, const char* name, double otherwise) {
  const Json* value = Find(object, name);
  if (value == nullptr) return otherwise;
  if (!value->is_number())
    Refuse(StrCat(name, ": found ", value->type_name(), ", expected a number"));
  return value->get<double>();
}

int64_t IntegerOf(const Json& value, const char* name, int64_t least, int64_t most) {
  const bool is_whole = value.is_number() && std::trunc(value.get<double>()) == value.get<double>();
  const double number = is_whole ? value.get<double>() : 0;
  // The largest int64_t as a double is one more than it, which fits none.
  constexpr double kTooLarge = 0x1p63;
  if (!is_whole || number < static_cast<double>(least) || number > static_cast<double>(most) ||
      number >= kTooLarge) {
    Refuse(StrCat(name, ": expected a whole number from ", least, " to ", most));
  }
  return value.is_number_float() ? static_cast<int64_t>(number) : value.get<int64_t>();
}

int64_t IntegerOr(const Json& object, const char* name, int64_t otherwise, int64_t least,
                  int64_t most) {
  const Json* value = Find(object, name);
  return value == nullptr ? otherwise : IntegerOf(*value, name, least, most);
}

const std::string& StringOf(const Json& value, const std::string& name) {
  if (!value.is_string())
    Refuse(StrCat(name, ": found ", value.type_name(), ", expected a string"));
  return value.get_ref<const std::string&>();
}

// vl-utils 1.0.1 sent the line feed that its prompts begin with as two characters.
std::string PromptText(const std::string& text) {
  return text.rfind("\\n", 0) == 0 ? StrCat("\n", std::string_view(text).substr(2)) : text;
}

// The bytes of a data URL. The media type is not believed: pictures say what they are.
std::string DataUrlBytes(const std::string& url, const std::string& where) {
  if (url.rfind("data:", 0) != 0) {
    Refuse(StrCat(where, ": only data URLs are read; pictures are not fetched from elsewhere"));
  }
  const size_t comma = url.find(',');
  const std::string_view head = std::string_view(url).substr(0, std::min(comma, url.size()));
  constexpr std::string_view kMark = ";base64";
  if (comma == std::string::npos || head.size() < kMark.size() ||
      head.substr(head.size() - kMark.size()) != kMark) {
    Refuse(StrCat(where, ": the data URL has no \";base64,\""));
  }
  auto bytes = DecodeBase64(std::string_view(url).substr(comma + 1));
  if (!bytes) Refuse(StrCat(where, ": the data URL is no base64"));
  return std::move(*bytes);
}

void AddPart(const Json& part, const std::string& where, Message* message, ChatRequest* chat) {
  if (!part.is_object()) Refuse(StrCat(where, ": expected an object"));
  const Json* type_field = Find(part, "type");
  if (type_field == nullptr) Refuse(StrCat(where, ".type is missing"));
  const std::string& type = StringOf(*type_field, where + ".type");
  if (type == "text") {
    const Json* text = Find(part, "text");
    if (text == nullptr) Refuse(StrCat(where, ".text is missing"));
    message->contents.push_back(Content::Text(PromptText(StringOf(*text, where + ".text"))));
    return;
  }
  if (type != "image_url") {
    Refuse(StrCat(where, ".type: found \"", PrintableName(type),
                  "\", expected \"text\" or \"image_url\""));
  }
  const Json* url = Find(part, "image_url");
  if (url != nullptr && url->is_object()) url = Find(*url, "url");
  if (url == nullptr) Refuse(StrCat(where, ".image_url.url is missing"));
  if (chat->picture_files.size() >= kMaxPictures) {
    Refuse(StrCat("more than ", kMaxPictures, " pictures in one request"));
  }
  const std::string name = where + ".image_url";
  chat->picture_files.push_back(DataUrlBytes(StringOf(*url, name + ".url"), name));
  message->contents.push_back(Content::Image());
}

Message::Role RoleOf(const std::string& role, const std::string& where) {
  if (role == "system" || role == "developer") return Message::Role::kSystem;
  if (role == "user") return Message::Role::kUser;
  if (role == "assistant") return Message::Role::kAssistant;
  Refuse(StrCat(where, ".role: found \"", PrintableName(role),
                "\", expected \"system\", \"user\" or \"assistant\""));
}

void AddMessage(const Json& json, const std::string& where, ChatRequest* chat) {
  if (!json.is_object()) Refuse(StrCat(where, ": expected an object"));
  const Json* role = Find(json, "role");
  if (role == nullptr) Refuse(StrCat(where, ".role is missing"));
  Message message;
  message.role = RoleOf(StringOf(*role, where + ".role"), where);
  const Json* content = Find(json, "content");
  if (content == nullptr) Refuse(StrCat(where, ".content is missing"));
  if (content->is_string()) {
    message.contents.push_back(Content::Text(PromptText(content->get_ref<const std::string&>())));
  } else if (content->is_array()) {
    for (size_t i = 0; i < content->size(); ++i) {
      AddPart((*content)[i], StrCat(where, ".content[", i, "]"), &message, chat);
    }
  } else {
    Refuse(StrCat(where, ".content: found ", content->type_name(),
                  ", expected a string or a list of parts"));
  }
  chat->request.messages.push_back(std::move(message));
}

void ReadMessages(const Json& body, ChatRequest* chat) {
  const Json* messages = Find(body, "messages");
  if (messages == nullptr || !messages->is_array() || messages->empty()) {
    Refuse("messages: expected a list of at least one message");
  }
  if (messages->size() > kMaxMessages) {
    Refuse(StrCat("messages: found ", messages->size(), ", at most ", kMaxMessages, " are read"));
  }
  for (size_t i = 0; i < messages->size(); ++i) {
    AddMessage((*messages)[i], StrCat("messages[", i, "]"), chat);
  }
}

// OpenAI's two names for the cap; both may be there.
int MaxNewTokens(const Json& body) {
  int64_t most = std::numeric_limits<int>::max();
  bool is_given = false;
  for (const char* name : {"max_tokens", "max_completion_tokens"}) {
    if (Find(body, name) == nullptr) continue;
    is_given = true;
    most = std::min(most, IntegerOr(body, name, 0, 1, std::numeric_limits<int>::max()));
  }
  return is_given ? static_cast<int>(most) : 0;
}

std::vector<std::string> StopStrings(const Json& body) {
  const Json* stop = Find(body, "stop");
  if (stop == nullptr) return {};
  if (stop->is_string()) return {stop->get<std::string>()};
  if (!stop->is_array()) Refuse("stop: expected a string or a list of strings");
  std::vector<std::string> strings;
  for (const Json& entry : *stop) strings.push_back(StringOf(entry, "stop"));
  return strings;
}

int64_t NgramSize(const Json& body) {
  constexpr int64_t kMost = 1 << 20;
  const Json* extra = Find(body, "vllm_xargs");
  const bool is_nested =
      extra != nullptr && extra->is_object() && Find(*extra, "no_repeat_ngram_size") != nullptr;
  return IntegerOr(is_nested ? *extra : body, "no_repeat_ngram_size", 0, 0, kMost);
}

std::map<int32_t, double> LogitBias(const Json& body) {
  const Json* bias = Find(body, "logit_bias");
  if (bias == nullptr) return {};
  if (!bias->is_object()) Refuse("logit_bias: expected an object of token ids");
  std::map<int32_t, double> values;
  for (const auto& [name, value] : bias->items()) {
    const bool is_id = !name.empty() && name.size() <= 9 &&
                       name.find_first_not_of("0123456789") == std::string::npos;
    if (!is_id || !value.is_number()) Refuse("logit_bias: expected numbers by token id");
    values[std::stoi(name)] = value.get<double>();
  }
  return values;
}

void ReadSampling(const Json& body, SamplingParams* sampling) {
  constexpr int64_t kMaxInt = std::numeric_limits<int>::max();
  sampling->temperature = NumberOr(body, "temperature", 0);
  sampling->top_p = NumberOr(body, "top_p", 1);
  // vLLM writes "all" as -1 or 0.
  sampling->top_k =
      static_cast<int>(std::max<int64_t>(0, IntegerOr(body, "top_k", 0, -1, kMaxInt)));
  sampling->min_p = NumberOr(body, "min_p", 0);
  sampling->presence_penalty = NumberOr(body, "presence_penalty", 0);
  sampling->frequency_penalty = NumberOr(body, "frequency_penalty", 0);
  sampling->repetition_penalty = NumberOr(body, "repetition_penalty", 1);
  sampling->no_repeat_ngram_size = static_cast<int>(NgramSize(body));
  sampling->logit_bias = LogitBias(body);
  sampling->stop = StopStrings(body);
  if (const Json* ids = Find(body, "stop_token_ids")) {
    if (!ids->is_array()) Refuse("stop_token_ids: expected a list of token ids");
    for (const Json& id : *ids) {
      sampling->stop_token_ids.push_back(
          static_cast<int32_t>(IntegerOf(id, "stop_token_ids", 0, kMaxInt)));
    }
  }
  sampling->ignore_eos = BoolOr(body, "ignore_eos", false);
  sampling->max_new_tokens = MaxNewTokens(body);
  sampling->seed = static_cast<uint64_t>(IntegerOr(
      body, "seed", 0, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()));
  sampling->skip_special_tokens = BoolOr(body, "skip_special_tokens", true);
}

// What would be missing from the answer.
void RefuseWhatIsNotDone(const Json& body) {
  if (IntegerOr(body, "n", 1, 1, 128) != 1) Refuse("n: only one choice is made");
  if (BoolOr(body, "logprobs", false)) Refuse("logprobs: not given");
  for (const char* name : {"tools", "functions"}) {
    const Json* value = Find(body, name);
    if (value != nullptr && !value->empty()) Refuse(StrCat(name, ": not supported"));
  }
  const Json* format = Find(body, "response_format");
  if (format != nullptr && (!format->is_object() || format->value("type", Json()) != "text")) {
    Refuse("response_format: only {\"type\": \"text\"} is supported");
  }
}

}  // namespace

ChatRequest ParseChatRequest(std::string_view body) {
  Json json;
  try {
    json = ParseJson(body, "request", {.max_bytes = kMaxJsonBytes});
  } catch (const Error& error) {
    Refuse(error.what());
  }
  if (!json.is_object()) Refuse("request: expected a JSON object");
  ChatRequest chat;
  RefuseWhatIsNotDone(json);
  ReadMessages(json, &chat);
  ReadSampling(json, &chat.request.sampling);
  chat.request.trust_markup = true;
  chat.stream = BoolOr(json, "stream", false);
  if (const Json* options = Find(json, "stream_options");
      options != nullptr && options->is_object()) {
    chat.include_usage = BoolOr(*options, "include_usage", false);
  }
  chat.priority = IntegerOr(json, "priority", 0, std::numeric_limits<int32_t>::min(),
                            std::numeric_limits<int32_t>::max());
  return chat;
}

void DecodePictures(ChatRequest* chat) {
  for (size_t i = 0; i < chat->picture_files.size(); ++i) {
    std::string& file = chat->picture_files[i];
    Image image;
    try {
      image = DecodeImage(std::as_bytes(std::span(file)), StrCat("image ", i + 1));
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kResourceExhausted) throw;
      Refuse(error.what());  // the request's fault, not that of a file of ours
    }
    std::string().swap(file);
    chat->request.pictures.push_back(
        {.width = image.width, .height = image.height, .rgb = std::move(image.pixels)});
  }
  chat->picture_files.clear();
}

}  // namespace octavo
