// One walk over the messages feeds two writers: text, or ids.
#include "text/chat_template.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/check.h"
#include "base/function_ref.h"
#include "base/str_cat.h"
#include "octavo/error.h"

namespace octavo {
namespace {

const char* RoleName(ChatMessage::Role role) {
  switch (role) {
    case ChatMessage::Role::kSystem:
      return "system";
    case ChatMessage::Role::kUser:
      return "user";
    case ChatMessage::Role::kAssistant:
      return "assistant";
  }
  OCTAVO_CHECK(false, static_cast<int>(role));
  return "";
}

// What a prompt is made of, in order.
struct PromptWriter {
  FunctionRef<void(const char*)> marker;               // an added token of the template
  FunctionRef<void(std::string_view)> template_words;  // the template's own words
  FunctionRef<void(std::string_view)> part_words;      // a text part
  FunctionRef<void()> image;                           // the place of the next image's pads
};

void WriteTurnBegin(ChatMessage::Role role, const PromptWriter& out) {
  out.marker("<|im_start|>");
  out.template_words(std::string(RoleName(role)) + "\n");
}

void WriteTurnEnd(const PromptWriter& out) {
  out.marker("<|im_end|>");
  out.template_words("\n");
}

void WritePrompt(const std::vector<ChatMessage>& messages, const PromptWriter& out) {
  if (!messages.empty() && messages.front().role != ChatMessage::Role::kSystem) {
    WriteTurnBegin(ChatMessage::Role::kSystem, out);
    out.template_words(kDefaultSystemPrompt);
    WriteTurnEnd(out);
  }
  for (const ChatMessage& message : messages) {
    WriteTurnBegin(message.role, out);
    for (const ChatPart& part : message.parts) {
      if (part.kind == ChatPart::Kind::kText) {
        out.part_words(part.text);
        continue;
      }
      out.marker("<|vision_start|>");
      out.image();
      out.marker("<|vision_end|>");
    }
    WriteTurnEnd(out);
  }
  WriteTurnBegin(ChatMessage::Role::kAssistant, out);
}

// Gathers the words between two markers, so that what the tokenizer joins across the border of
// template and text part is joined as the reference joins it.
class IdWriter {
 public:
  IdWriter(const Tokenizer& tokenizer, bool trust_markup)
      : tokenizer_(tokenizer), trust_markup_(trust_markup) {}

  void PushToken(int32_t id) {
    FlushWords();
    ids_.push_back(id);
  }

  void PushMarker(const char* content) {
    const std::optional<int32_t> id = FindAdded(content);
    if (!id) {
      throw Error(ErrorCode::kInvalidArgument, StrCat("the tokenizer has no added token \"",
                                                      content, "\" of the chat template"));
    }
    PushToken(*id);
  }

  void PushPartWords(std::string_view words) { words_ += words; }

  // The template is trusted even where the parts are not: its words may be added tokens.
  void PushTemplateWords(std::string_view words) {
    if (trust_markup_) {
      words_ += words;
      return;
    }
    for (const int32_t id : tokenizer_.Encode(words)) {
      if (IsAdded(id)) {
        PushToken(id);
      } else {
        words_ += tokenizer_.TokenBytes(id);  // ASCII, hence the same before and after NFC
      }
    }
  }

  std::vector<int32_t> Finish() {
    FlushWords();
    return std::move(ids_);
  }

 private:
  std::optional<int32_t> FindAdded(std::string_view content) const {
    const std::optional<int32_t> id = tokenizer_.FindToken(content);
    return id && IsAdded(*id) ? id : std::nullopt;
  }

  bool IsAdded(int32_t id) const {
    const std::vector<AddedToken>& added = tokenizer_.added_tokens();
    return std::any_of(added.begin(), added.end(),
                       [id](const AddedToken& token) { return token.id == id; });
  }

  void FlushWords() {
    if (words_.empty()) return;
    const std::vector<int32_t> ids =
        trust_markup_ ? tokenizer_.Encode(words_) : tokenizer_.EncodePlain(words_);
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    words_.clear();
  }

  const Tokenizer& tokenizer_;
  bool trust_markup_;
  std::string words_;
  std::vector<int32_t> ids_;
};

size_t CountImages(const std::vector<ChatMessage>& messages) {
  size_t num_images = 0;
  for (const ChatMessage& message : messages) {
    for (const ChatPart& part : message.parts) {
      if (part.kind == ChatPart::Kind::kImage) ++num_images;
    }
  }
  return num_images;
}

}  // namespace

std::string RenderChat(const std::vector<ChatMessage>& messages) {
  std::string text;
  const auto append_marker = [&text](const char* marker) { text += marker; };
  const auto append_words = [&text](std::string_view words) { text += words; };
  const auto append_image = [&text] { text += "<|image_pad|>"; };
  WritePrompt(messages, {append_marker, append_words, append_words, append_image});
  return text;
}

std::vector<int32_t> EncodeChat(const Tokenizer& tokenizer,
                                const std::vector<ChatMessage>& messages,
                                const std::vector<int64_t>& image_tokens, bool trust_markup) {
  if (const size_t num_images = CountImages(messages); num_images != image_tokens.size()) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat("the messages have ", num_images, " images, but ", image_tokens.size(),
                       " were given"));
  }
  for (const int64_t num_tokens : image_tokens) {
    if (num_tokens < 1) {
      throw Error(ErrorCode::kInvalidArgument,
                  StrCat("an image of ", num_tokens, " tokens; at least 1 is needed"));
    }
  }
  IdWriter writer(tokenizer, trust_markup);
  size_t next_image = 0;
  const auto push_marker = [&writer](const char* marker) { writer.PushMarker(marker); };
  const auto push_template = [&writer](std::string_view words) { writer.PushTemplateWords(words); };
  const auto push_part = [&writer](std::string_view words) { writer.PushPartWords(words); };
  const auto push_pads = [&] {
    for (int64_t i = 0; i < image_tokens[next_image]; ++i) writer.PushMarker("<|image_pad|>");
    ++next_image;
  };
  WritePrompt(messages, {push_marker, push_template, push_part, push_pads});
  return writer.Finish();
}

}  // namespace octavo
