// Reads tokenizer.json strictly: what the encoder does not do is refused by name.
#include "text/tokenizer_loader.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "octavo/error.h"
#include "text/byte_alphabet.h"
#include "text/chat_template.h"
#include "text/pre_tokenizer.h"
#include "text/tokenizer_tables.h"
#include "text/unicode.h"

namespace octavo {
namespace {

using Json = nlohmann::json;

// Tables are dense by id; six times the family's vocabulary.
constexpr int64_t kMaxIds = 1 << 20;
// Bounds the time that matching one literal can take at one place of a text.
constexpr size_t kMaxAddedTokenBytes = 1024;

// An added token with what only loading needs to know.
struct AddedEntry {
  AddedToken token;
  bool lstrip = false;
  bool rstrip = false;
  bool normalized = false;
};

class Loader {
 public:
  explicit Loader(std::string_view where) : where_(where) {}

  std::unique_ptr<const Tokenizer::Tables> Load(const Json& root);

 private:
  [[noreturn]] void Damaged(const std::string& what) const {
    throw Error(ErrorCode::kDataLoss, StrCat(PrintableName(where_), ": ", what));
  }
  [[noreturn]] void Unsupported(const std::string& what) const {
    throw Error(ErrorCode::kUnsupported, StrCat(PrintableName(where_), ": ", what));
  }

  const Json& Member(const Json& object, const char* name, const char* owner) const;
  bool Flag(const Json& object, const char* name, bool if_absent, const char* owner) const;
  std::string TypeOf(const Json& object, const char* owner) const;
  int32_t Id(const Json& value, const std::string& owner) const;

  void CheckModel(const Json& model) const;
  void CheckPipeline(const Json& root) const;
  void CheckByteLevel(const Json& step) const;
  void CheckSplit(const Json& step) const;

  AddedEntry ReadAddedToken(const Json& value, size_t index) const;
  void ReadAddedTokens(const Json& root);
  void ReadOrdinaryTokens(const Json& vocab);
  void ClaimId(int32_t id, const std::string& owner);
  Vocabulary MakeVocabulary() const;
  std::array<int32_t, 256> ReadByteIds(const Vocabulary& vocabulary) const;
  int32_t MergePart(const Vocabulary& vocabulary, std::string_view spelling, size_t index,
                    std::string* bytes) const;
  MergeTable ReadMerges(const Json& merges, const Vocabulary& vocabulary) const;
  AddedTokenMatcher MakeMatcher(bool normalized) const;
  void CheckMarkers() const;

  std::string where_;
  std::vector<AddedEntry> added_;
  std::unordered_map<std::string_view, int32_t> added_ids_;  // content to id; views into added_
  std::vector<std::pair<int32_t, std::string>> tokens_;
  std::vector<bool> is_taken_ = std::vector<bool>(static_cast<size_t>(kMaxIds));
};

const Json& Loader::Member(const Json& object, const char* name, const char* owner) const {
  if (!object.is_object()) Damaged(StrCat(owner, " is ", object.type_name(), ", not an object"));
  const auto found = object.find(name);
  if (found == object.end()) Damaged(StrCat(owner, " has no \"", name, "\""));
  return *found;
}

bool Loader::Flag(const Json& object, const char* name, bool if_absent, const char* owner) const {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return if_absent;
  if (!found->is_boolean()) Damaged(StrCat(owner, ": \"", name, "\" is not true or false"));
  return found->get<bool>();
}

std::string Loader::TypeOf(const Json& object, const char* owner) const {
  const Json& type = Member(object, "type", owner);
  if (!type.is_string()) Damaged(StrCat(owner, ": \"type\" is not a string"));
  return type.get<std::string>();
}

int32_t Loader::Id(const Json& value, const std::string& owner) const {
  if (!value.is_number_integer()) Damaged(StrCat(owner, ": the id is not an integer"));
  const bool is_in_range =
      value.is_number_unsigned() && value.get<uint64_t>() < static_cast<uint64_t>(kMaxIds);
  if (!is_in_range) {
    Damaged(StrCat(owner, ": the id ", value.dump(), " is outside 0 to ", kMaxIds - 1));
  }
  return static_cast<int32_t>(value.get<uint64_t>());
}

void Loader::CheckModel(const Json& model) const {
  const std::string type = TypeOf(model, "model");
  if (type != "BPE") Unsupported(StrCat("model type \"", type, "\"; expected \"BPE\""));
  for (const char* name : {"dropout", "continuing_subword_prefix", "end_of_word_suffix"}) {
    const auto found = model.find(name);
    if (found == model.end() || found->is_null()) continue;
    const bool is_neutral = (found->is_string() && found->get_ref<const std::string&>().empty()) ||
                            (found->is_number() && found->get<double>() == 0);
    if (!is_neutral) Unsupported(StrCat("model: \"", name, "\" is set"));
  }
  // unk_token and fuse_unk have no effect: every byte has a token.
  for (const char* name : {"byte_fallback", "ignore_merges"}) {
    if (Flag(model, name, false, "model")) Unsupported(StrCat("model: \"", name, "\" is true"));
  }
}

void Loader::CheckByteLevel(const Json& step) const {
  if (Flag(step, "add_prefix_space", true, "pre_tokenizer")) {
    Unsupported("pre_tokenizer: ByteLevel with add_prefix_space");
  }
  if (Flag(step, "use_regex", true, "pre_tokenizer")) {
    Unsupported("pre_tokenizer: ByteLevel with use_regex");
  }
}

void Loader::CheckSplit(const Json& step) const {
  const Json& pattern = Member(step, "pattern", "pre_tokenizer: Split");
  if (!pattern.is_object() || !pattern.contains("Regex") || pattern["Regex"] != kQwen2Pattern) {
    Unsupported("pre_tokenizer: the split pattern is not the Qwen2 family's");
  }
  if (Member(step, "behavior", "pre_tokenizer: Split") != "Isolated" ||
      Flag(step, "invert", false, "pre_tokenizer: Split")) {
    Unsupported("pre_tokenizer: the split does not isolate its matches");
  }
}

// Normalizer, pre-tokenizer, post-processor and decoder are the family's.
void Loader::CheckPipeline(const Json& root) const {
  const Json& normalizer = Member(root, "normalizer", "tokenizer.json");
  if (normalizer.is_null() || TypeOf(normalizer, "normalizer") != "NFC") {
    Unsupported("the normalizer is not NFC");
  }
  const Json& pre_tokenizer = Member(root, "pre_tokenizer", "tokenizer.json");
  if (pre_tokenizer.is_null() || TypeOf(pre_tokenizer, "pre_tokenizer") != "Sequence") {
    Unsupported("the pre_tokenizer is not a sequence of Split and ByteLevel");
  }
  const Json& steps = Member(pre_tokenizer, "pretokenizers", "pre_tokenizer");
  if (!steps.is_array() || steps.size() != 2 || TypeOf(steps[0], "pre_tokenizer") != "Split" ||
      TypeOf(steps[1], "pre_tokenizer") != "ByteLevel") {
    Unsupported("the pre_tokenizer is not a sequence of Split and ByteLevel");
  }
  CheckSplit(steps[0]);
  CheckByteLevel(steps[1]);
  // ByteLevel as a post-processor moves offsets only.
  const auto post_processor = root.find("post_processor");
  if (post_processor != root.end() && !post_processor->is_null() &&
      TypeOf(*post_processor, "post_processor") != "ByteLevel") {
    Unsupported("the post_processor is not ByteLevel");
  }
  const Json& decoder = Member(root, "decoder", "tokenizer.json");
  if (decoder.is_null() || TypeOf(decoder, "decoder") != "ByteLevel") {
    Unsupported("the decoder is not ByteLevel");
  }
}

AddedEntry Loader::ReadAddedToken(const Json& value, size_t index) const {
  const std::string owner = StrCat("added_tokens[", index, "]");
  AddedEntry entry;
  entry.token.id = Id(Member(value, "id", owner.c_str()), owner);
  const Json& content = Member(value, "content", owner.c_str());
  if (!content.is_string()) Damaged(StrCat(owner, ": \"content\" is not a string"));
  entry.token.content = content.get<std::string>();
  if (entry.token.content.empty()) Damaged(StrCat(owner, ": \"content\" is empty"));
  if (entry.token.content.size() > kMaxAddedTokenBytes) {
    Unsupported(StrCat(owner, ": \"content\" has ", entry.token.content.size(), " bytes; at most ",
                       kMaxAddedTokenBytes, " are supported"));
  }
  entry.token.special = Flag(value, "special", false, owner.c_str());
  entry.lstrip = Flag(value, "lstrip", false, owner.c_str());
  entry.rstrip = Flag(value, "rstrip", false, owner.c_str());
  entry.normalized = Flag(value, "normalized", false, owner.c_str());
  if (Flag(value, "single_word", false, owner.c_str())) {
    Unsupported(StrCat(owner, ": \"single_word\" is true"));
  }
  return entry;
}

void Loader::ReadAddedTokens(const Json& root) {
  const Json& list = Member(root, "added_tokens", "tokenizer.json");
  if (!list.is_array()) Damaged("\"added_tokens\" is not a list");
  if (list.size() > static_cast<size_t>(kMaxIds)) Damaged("\"added_tokens\" is too long");
  added_.reserve(list.size());  // added_ids_ points into it
  for (size_t i = 0; i < list.size(); ++i) {
    added_.push_back(ReadAddedToken(list[i], i));
    const AddedToken& token = added_.back().token;
    ClaimId(token.id, StrCat("added_tokens[", i, "]"));
    if (!added_ids_.emplace(token.content, token.id).second) {
      Damaged(StrCat("added_tokens[", i, "]: an earlier one has the same content"));
    }
    tokens_.emplace_back(token.id, token.content);
  }
}

void Loader::ClaimId(int32_t id, const std::string& owner) {
  if (is_taken_[static_cast<size_t>(id)]) {
    Damaged(StrCat(owner, ": the id ", id, " belongs to another token"));
  }
  is_taken_[static_cast<size_t>(id)] = true;
}

void Loader::ReadOrdinaryTokens(const Json& vocab) {
  if (!vocab.is_object()) Damaged(StrCat("model.vocab is ", vocab.type_name(), ", not an object"));
  if (vocab.size() > static_cast<size_t>(kMaxIds)) Damaged("model.vocab is too long");
  tokens_.reserve(tokens_.size() + vocab.size());
  const std::string owner = "model.vocab";
  std::string bytes;
  for (auto it = vocab.begin(); it != vocab.end(); ++it) {
    const int32_t id = Id(it.value(), owner);
    if (const auto added = added_ids_.find(it.key()); added != added_ids_.end()) {
      if (added->second == id) continue;
      Damaged(
          StrCat("an added token has the id ", added->second, " but model.vocab gives it ", id));
    }
    if (it.key().empty() || !BytesOfSpelling(it.key(), &bytes)) {
      Damaged(
          StrCat("model.vocab: the key of id ", id, " is not spelled in byte-level characters"));
    }
    ClaimId(id, owner);
    tokens_.emplace_back(id, bytes);
  }
}

Vocabulary Loader::MakeVocabulary() const {
  int32_t num_ids = 0;
  for (const auto& [id, bytes] : tokens_) num_ids = std::max(num_ids, id + 1);
  std::optional<int32_t> duplicate;
  Vocabulary vocabulary(tokens_, num_ids, &duplicate);
  if (duplicate) Unsupported(StrCat("the token ", *duplicate, " has the bytes of another token"));
  return vocabulary;
}

std::array<int32_t, 256> Loader::ReadByteIds(const Vocabulary& vocabulary) const {
  std::array<int32_t, 256> ids{};
  for (size_t byte = 0; byte < ids.size(); ++byte) {
    const char c = static_cast<char>(byte);
    const std::optional<int32_t> id = vocabulary.Find({&c, 1});
    if (!id) Damaged(StrCat("model.vocab has no token for the byte ", byte));
    ids[byte] = *id;
  }
  return ids;
}

// The id of one half of merge `index`; leaves its bytes in *bytes.
int32_t Loader::MergePart(const Vocabulary& vocabulary, std::string_view spelling, size_t index,
                          std::string* bytes) const {
  const std::optional<int32_t> id =
      BytesOfSpelling(spelling, bytes) ? vocabulary.Find(*bytes) : std::nullopt;
  if (!id) Damaged(StrCat("model.merges[", index, "]: a part is not in model.vocab"));
  return *id;
}

MergeTable Loader::ReadMerges(const Json& merges, const Vocabulary& vocabulary) const {
  if (!merges.is_array()) Damaged("model.merges is not a list");
  MergeTable table(merges.size());
  std::string left_bytes;
  std::string right_bytes;
  for (size_t i = 0; i < merges.size(); ++i) {
    const Json& merge = merges[i];
    std::string_view left;
    std::string_view right;
    if (merge.is_string()) {
      const std::string_view text = merge.get_ref<const std::string&>();
      const size_t space = text.find(' ');
      if (space == std::string_view::npos || text.find(' ', space + 1) != std::string_view::npos) {
        Damaged(StrCat("model.merges[", i, "] does not have two parts"));
      }
      left = text.substr(0, space);
      right = text.substr(space + 1);
    } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() &&
               merge[1].is_string()) {
      left = merge[0].get_ref<const std::string&>();
      right = merge[1].get_ref<const std::string&>();
    } else {
      Damaged(StrCat("model.merges[", i, "] is neither a string nor a pair of strings"));
    }
    const int32_t left_id = MergePart(vocabulary, left, i, &left_bytes);
    const int32_t right_id = MergePart(vocabulary, right, i, &right_bytes);
    const std::optional<int32_t> merged = vocabulary.Find(left_bytes += right_bytes);
    if (!merged) Damaged(StrCat("model.merges[", i, "]: the result is not in model.vocab"));
    if (!table.Add(left_id, right_id, *merged)) {
      Damaged(StrCat("model.merges[", i, "]: an earlier merge has the same parts"));
    }
  }
  return table;
}

AddedTokenMatcher Loader::MakeMatcher(bool normalized) const {
  std::vector<TokenPattern> patterns;
  for (const AddedEntry& entry : added_) {
    if (entry.normalized != normalized) continue;
    const std::string& content = entry.token.content;
    patterns.push_back(
        {normalized ? NormalizeNfc(content) : content, entry.token.id, entry.lstrip, entry.rstrip});
  }
  std::map<std::string_view, int32_t> seen;
  for (const TokenPattern& pattern : patterns) {
    if (!seen.emplace(pattern.content, pattern.id).second) {
      Unsupported(StrCat("the added token ", pattern.id, " is another one once normalized"));
    }
  }
  return AddedTokenMatcher(std::move(patterns));
}

void Loader::CheckMarkers() const {
  for (const char* marker : kChatMarkers) {
    if (!added_ids_.contains(marker)) {
      Damaged(StrCat("no added token \"", marker, "\", which the chat template needs"));
    }
  }
}

std::unique_ptr<const Tokenizer::Tables> Loader::Load(const Json& root) {
  const Json& model = Member(root, "model", "tokenizer.json");
  CheckModel(model);
  CheckPipeline(root);
  ReadAddedTokens(root);
  CheckMarkers();
  ReadOrdinaryTokens(Member(model, "vocab", "model"));
  Vocabulary vocabulary = MakeVocabulary();
  const std::array<int32_t, 256> byte_ids = ReadByteIds(vocabulary);
  MergeTable merges = ReadMerges(Member(model, "merges", "model"), vocabulary);

  std::vector<AddedToken> added_tokens;
  std::vector<bool> is_special(static_cast<size_t>(vocabulary.num_ids()));
  for (const AddedEntry& entry : added_) {
    added_tokens.push_back(entry.token);
    is_special[static_cast<size_t>(entry.token.id)] = entry.token.special;
  }
  return std::make_unique<const Tokenizer::Tables>(
      Tokenizer::Tables{std::move(vocabulary), byte_ids, std::move(merges), std::move(added_tokens),
                        std::move(is_special), MakeMatcher(false), MakeMatcher(true)});
}

}  // namespace

Tokenizer LoadTokenizerJson(std::string_view json_text, std::string_view where) {
  const Json root = ParseJson(json_text, where);
  return Tokenizer(Loader(where).Load(root));
}

}  // namespace octavo
