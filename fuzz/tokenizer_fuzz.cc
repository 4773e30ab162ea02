// Hostile text to the encoder: it comes back in form C, and streaming gives the same text.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/utf8.h"
#include "text/byte_alphabet.h"
#include "text/chat_template.h"
#include "text/detokenizer.h"
#include "text/pre_tokenizer.h"
#include "text/tokenizer_loader.h"
#include "text/unicode.h"

namespace octavo {
namespace {

// All bytes, some merges, the markers of the chat template and a normalized added token.
Tokenizer MakeTokenizer() {
  nlohmann::json vocab;
  int next_id = 0;
  for (int byte = 0; byte < 256; ++byte) {
    std::string spelling;
    AppendUtf8(CharOfByte(static_cast<uint8_t>(byte)), &spelling);
    vocab[spelling] = next_id++;
  }
  nlohmann::json merges = nlohmann::json::array();
  for (const auto& [left, right] : std::vector<std::pair<std::string, std::string>>{
           {"a", "a"}, {"aa", "aa"}, {"\u0120", "\u0120"}, {"\u00CC", "\u0123"}, {"t", "h"}}) {
    vocab[left + right] = next_id++;
    merges.push_back({left, right});
  }
  nlohmann::json added = nlohmann::json::array();
  for (const char* marker : kChatMarkers) {
    added.push_back({{"id", next_id++}, {"content", marker}, {"special", true}});
  }
  added.push_back({{"id", next_id++}, {"content", "caf\u00E9"}, {"normalized", true}});
  const nlohmann::json split = {
      {"type", "Split"}, {"pattern", {{"Regex", kQwen2Pattern}}}, {"behavior", "Isolated"}};
  const nlohmann::json byte_level = {
      {"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
  const nlohmann::json root = {
      {"added_tokens", added},
      {"normalizer", {{"type", "NFC"}}},
      {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", {split, byte_level}}}},
      {"decoder", byte_level},
      {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", merges}}}};
  return LoadTokenizerJson(root.dump(), "built in");
}

void CheckText(const Tokenizer& tokenizer, std::string_view bytes) {
  // An added token ends a stretch that is normalized by itself, so only plain encoding gives the
  // form C of the whole.
  const std::vector<int32_t> plain = tokenizer.EncodePlain(bytes);
  OCTAVO_CHECK(tokenizer.Decode(plain, false) == NormalizeNfc(ReplaceInvalidUtf8(bytes)));
  const std::vector<int32_t> ids = tokenizer.Encode(bytes);
  Detokenizer detokenizer(tokenizer, false);
  std::string joined;
  for (const int32_t id : ids) joined += detokenizer.Append(id);
  OCTAVO_CHECK(joined + detokenizer.Finish() == tokenizer.Decode(ids, false));
}

}  // namespace
}  // namespace octavo

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const octavo::Tokenizer tokenizer = octavo::MakeTokenizer();
  octavo::CheckText(tokenizer, std::string_view(reinterpret_cast<const char*>(data), size));
  // The same bytes as ids: any id may come from a model.
  std::vector<int32_t> ids;
  for (size_t i = 0; i + 1 < size; i += 2) ids.push_back(data[i] | (data[i + 1] & 1) << 8);
  octavo::Detokenizer detokenizer(tokenizer, true);
  std::string joined;
  for (const int32_t id : ids) joined += detokenizer.Append(id);
  OCTAVO_CHECK(joined + detokenizer.Finish() == tokenizer.Decode(ids, true));
  return 0;
}
