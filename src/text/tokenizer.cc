// Text to ids: added tokens, NFC, pre-tokens, merges. Ids to text: bytes joined.
#include "text/tokenizer.h"

#include <utility>

#include "base/check.h"
#include "base/utf8.h"
#include "text/pre_tokenizer.h"
#include "text/tokenizer_tables.h"
#include "text/unicode.h"

namespace octavo {
namespace {

// Encodes stretches of NFC text without added tokens. Scratch memory of one Encode call.
class PieceEncoder {
 public:
  PieceEncoder(const Tokenizer::Tables& tables, std::vector<int32_t>* out)
      : tables_(tables), merger_(tables.merges), out_(out) {}

  void Encode(std::string_view text) {
    while (!text.empty()) {
      const size_t length = PreTokenLength(text);
      ids_.clear();
      for (const char c : text.substr(0, length)) {
        ids_.push_back(tables_.byte_ids[static_cast<unsigned char>(c)]);
      }
      merger_.Merge(&ids_, out_);
      text.remove_prefix(length);
    }
  }

 private:
  const Tokenizer::Tables& tables_;
  BpeMerger merger_;
  std::vector<int32_t> ids_;
  std::vector<int32_t>* out_;
};

// `text` itself, or a repaired copy kept in `storage`.
std::string_view ValidUtf8(std::string_view text, std::string* storage) {
  if (IsValidUtf8(text)) return text;
  *storage = ReplaceInvalidUtf8(text);
  return *storage;
}

}  // namespace

Tokenizer::Tokenizer(std::unique_ptr<const Tables> tables) : tables_(std::move(tables)) {
  OCTAVO_CHECK(tables_ != nullptr);
}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

std::vector<int32_t> Tokenizer::Encode(std::string_view text) const {
  std::vector<int32_t> ids;
  PieceEncoder encoder(*tables_, &ids);
  const auto push_token = [&ids](int32_t id) { ids.push_back(id); };
  const auto encode_piece = [&encoder](std::string_view piece) { encoder.Encode(piece); };
  const auto encode_raw = [&](std::string_view piece) {
    tables_->normalized_matcher.Split(NormalizeNfc(piece), encode_piece, push_token);
  };
  std::string storage;
  tables_->raw_matcher.Split(ValidUtf8(text, &storage), encode_raw, push_token);
  return ids;
}

std::vector<int32_t> Tokenizer::EncodePlain(std::string_view text) const {
  std::vector<int32_t> ids;
  std::string storage;
  PieceEncoder(*tables_, &ids).Encode(NormalizeNfc(ValidUtf8(text, &storage)));
  return ids;
}

std::string Tokenizer::Decode(const std::vector<int32_t>& ids, bool skip_special_tokens) const {
  std::string bytes;
  for (const int32_t id : ids) {
    if (!(skip_special_tokens && IsSpecial(id))) bytes += TokenBytes(id);
  }
  return IsValidUtf8(bytes) ? bytes : ReplaceInvalidUtf8(bytes);
}

std::string_view Tokenizer::TokenBytes(int32_t id) const { return tables_->vocabulary.Bytes(id); }

bool Tokenizer::IsSpecial(int32_t id) const {
  return id >= 0 && id < vocab_size() && tables_->is_special[static_cast<size_t>(id)];
}

std::optional<int32_t> Tokenizer::FindToken(std::string_view content) const {
  return tables_->vocabulary.Find(content);
}

int32_t Tokenizer::vocab_size() const { return tables_->vocabulary.num_ids(); }

const std::vector<AddedToken>& Tokenizer::added_tokens() const { return tables_->added_tokens; }

}  // namespace octavo
