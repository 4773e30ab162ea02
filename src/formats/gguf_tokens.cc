#include "formats/gguf_tokens.h"

#include <nlohmann/json.hpp>

#include "base/str_cat.h"
#include "base/utf8.h"
#include "octavo/error.h"

namespace octavo {

const char* const kQwen2SplitPattern =
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| "
    "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

namespace {

using Json = nlohmann::json;

// Reads one tokenizer.json; every look-up is checked.
class Parser {
 public:
  Parser(std::string_view json, int64_t vocab_size, std::string_view where)
      : root_(Json::parse(json, nullptr, false)), where_(where) {
    tokens_.texts.resize(static_cast<size_t>(vocab_size));
    tokens_.kinds.resize(static_cast<size_t>(vocab_size), kGgufUnusedToken);
    is_set_.resize(static_cast<size_t>(vocab_size), false);
  }

  GgufTokens Parse() {
    if (!root_.is_object()) Damaged("not a JSON object");
    RequireFamily();
    for (const auto& [text, id] : Member(root_["model"], "vocab", Json::value_t::object).items()) {
      Put(id, text, kGgufNormalToken);
    }
    for (const Json& added : Member(root_, "added_tokens", Json::value_t::array)) {
      const Json& content = Member(added, "content", Json::value_t::string);
      const Json& special = Member(added, "special", Json::value_t::boolean);
      // Some files list an added token in the vocabulary, too.
      const Json id = added.value("id", Json());
      const bool is_same = id.is_number_unsigned() && IsSet(id.get<uint64_t>()) &&
                           tokens_.texts[id.get<size_t>()] == content.get<std::string>();
      if (is_same) is_set_[id.get<size_t>()] = false;
      Put(id, content.get<std::string>(), special.get<bool>() ? kGgufControlToken : kGgufUserToken);
    }
    for (const Json& merge : Member(root_["model"], "merges", Json::value_t::array))
      AddMerge(merge);
    for (size_t i = 0; i < is_set_.size(); ++i) {
      if (!is_set_[i]) tokens_.texts[i] = StrCat("[PAD", i, "]");
    }
    return std::move(tokens_);
  }

 private:
  [[noreturn]] void Damaged(const std::string& what) const {
    throw Error(ErrorCode::kDataLoss, StrCat(PrintableName(where_, 400), ": ", what));
  }
  [[noreturn]] void Unsupported(const std::string& what) const {
    throw Error(ErrorCode::kUnsupported,
                StrCat(PrintableName(where_, 400), ": ", what, ", which GGUF has no name for"));
  }

  const Json& Member(const Json& object, const char* key, Json::value_t type) const {
    if (!object.is_object() || !object.contains(key) || object[key].type() != type) {
      Damaged(StrCat("\"", key, "\" is absent or of another type"));
    }
    return object[key];
  }

  void RequireFamily() const {
    const Json& model = Member(root_, "model", Json::value_t::object);
    if (model.value("type", Json()) != Json("BPE")) Unsupported("a tokenizer that is not BPE");
    const Json& normalizer = Member(root_, "normalizer", Json::value_t::object);
    if (normalizer.value("type", Json()) != Json("NFC"))
      Unsupported("a normalizer that is not NFC");
    const Json& pre = Member(root_, "pre_tokenizer", Json::value_t::object);
    const Json& steps = Member(pre, "pretokenizers", Json::value_t::array);
    const bool is_family =
        steps.size() == 2 && steps[0].is_object() && steps[0].contains("pattern") &&
        steps[0]["pattern"] == Json{{"Regex", kQwen2SplitPattern}} &&
        steps[0].value("behavior", Json()) == Json("Isolated") && steps[1].is_object() &&
        steps[1].value("type", Json()) == Json("ByteLevel") &&
        steps[1].value("add_prefix_space", Json(false)) == Json(false);
    if (!is_family) Unsupported("another splitting of text than Qwen2's");
  }

  bool IsSet(uint64_t id) const { return id < is_set_.size() && is_set_[static_cast<size_t>(id)]; }

  void Put(const Json& id, const std::string& text, int32_t kind) {
    if (!id.is_number_unsigned() || id.get<uint64_t>() >= is_set_.size()) {
      Damaged(StrCat("token '", PrintableName(text, 40), "' has no id below ", is_set_.size()));
    }
    const auto i = id.get<size_t>();
    if (is_set_[i]) {
      Damaged(StrCat("tokens '", PrintableName(tokens_.texts[i], 40), "' and '",
                     PrintableName(text, 40), "' share id ", i));
    }
    is_set_[i] = true;
    tokens_.texts[i] = text;
    tokens_.kinds[i] = kind;
  }

  // "a b", or ["a", "b"] in newer files.
  void AddMerge(const Json& merge) {
    if (merge.is_string()) {
      tokens_.merges.push_back(merge.get<std::string>());
      return;
    }
    if (!merge.is_array() || merge.size() != 2 || !merge[0].is_string() || !merge[1].is_string()) {
      Damaged(StrCat("merge ", tokens_.merges.size(), " is no pair of texts"));
    }
    tokens_.merges.push_back(StrCat(merge[0].get<std::string>(), " ", merge[1].get<std::string>()));
  }

  Json root_;
  std::string_view where_;
  GgufTokens tokens_;
  std::vector<bool> is_set_;
};

}  // namespace

std::optional<uint32_t> GgufTokens::FindAdded(std::string_view text) const {
  for (size_t i = 0; i < texts.size(); ++i) {
    const bool is_added = kinds[i] == kGgufControlToken || kinds[i] == kGgufUserToken;
    if (is_added && texts[i] == text) return static_cast<uint32_t>(i);
  }
  return std::nullopt;
}

GgufTokens ParseGgufTokens(std::string_view tokenizer_json, int64_t vocab_size,
                           std::string_view where) {
  return Parser(tokenizer_json, vocab_size, where).Parse();
}

std::optional<std::string> FindChatTemplate(std::string_view json) {
  const Json root = Json::parse(json, nullptr, false);
  if (!root.is_object() || !root.contains("chat_template")) return std::nullopt;
  const Json& chat = root["chat_template"];
  if (!chat.is_string()) return std::nullopt;
  return chat.get<std::string>();
}

void AddTokens(const GgufTokens& tokens, GgufMetadata* metadata) {
  metadata->AddText("tokenizer.ggml.model", "gpt2");
  metadata->AddText("tokenizer.ggml.pre", "qwen2");
  metadata->AddTexts("tokenizer.ggml.tokens", tokens.texts);
  metadata->AddI32s("tokenizer.ggml.token_type", tokens.kinds);
  metadata->AddTexts("tokenizer.ggml.merges", tokens.merges);
  metadata->AddBool("tokenizer.ggml.add_bos_token", false);
  if (const auto id = tokens.FindAdded("<|endoftext|>")) {
    metadata->AddU32("tokenizer.ggml.padding_token_id", *id);
    metadata->AddU32("tokenizer.ggml.bos_token_id", *id);
  }
}

}  // namespace octavo
