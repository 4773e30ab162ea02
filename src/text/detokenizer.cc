// Streams text without decoding any byte twice.
#include "text/detokenizer.h"

#include <string_view>
#include <utility>

#include "base/utf8.h"

namespace octavo {
namespace {

constexpr std::string_view kReplacementUtf8 = "\xEF\xBF\xBD";

}  // namespace

std::string Detokenizer::Append(int32_t id) {
  if (skip_special_tokens_ && tokenizer_.IsSpecial(id)) return {};
  unfinished_char_ += tokenizer_.TokenBytes(id);
  const size_t num_unfinished = IncompleteSuffixLength(unfinished_char_);
  const size_t num_whole = unfinished_char_.size() - num_unfinished;
  // Replacing part by part equals replacing all: an unfinished character begins with a lead byte,
  // and a lead byte never continues what stands before it.
  held_text_ += ReplaceInvalidUtf8(std::string_view(unfinished_char_).substr(0, num_whole));
  unfinished_char_.erase(0, num_whole);
  if (num_unfinished > 0 || std::string_view(held_text_).ends_with(kReplacementUtf8)) return {};
  return std::exchange(held_text_, {});
}

std::string Detokenizer::Finish() {
  held_text_ += ReplaceInvalidUtf8(std::exchange(unfinished_char_, {}));
  return std::exchange(held_text_, {});
}

}  // namespace octavo
