#include "document/language_guess.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include "base/utf8.h"
#include "document/text_lines.h"
#include "text/unicode.h"

namespace octavo {
namespace {

enum Script : size_t {
  kLatin,
  kHan,
  kKana,
  kHangul,
  kCyrillic,
  kGreek,
  kArabic,
  kHebrew,
  kThai,
  kDevanagari,
  kNumScripts
};

struct Range {
  char32_t first;
  char32_t last;
  Script script;
};
constexpr Range kRanges[] = {
    {0x0041, 0x024F, kLatin},  {0x0370, 0x03FF, kGreek},  {0x0400, 0x052F, kCyrillic},
    {0x0590, 0x05FF, kHebrew}, {0x0600, 0x06FF, kArabic}, {0x0900, 0x097F, kDevanagari},
    {0x0E00, 0x0E7F, kThai},   {0x1100, 0x11FF, kHangul}, {0x1E00, 0x1EFF, kLatin},
    {0x3041, 0x30FF, kKana},   {0x3130, 0x318F, kHangul}, {0x3400, 0x4DBF, kHan},
    {0x4E00, 0x9FFF, kHan},    {0xAC00, 0xD7AF, kHangul}, {0xF900, 0xFAFF, kHan},
    {0xFF66, 0xFF9D, kKana},   {0x20000, 0x2FFFF, kHan},
};

std::array<int, kNumScripts> CountScripts(std::string_view text) {
  std::array<int, kNumScripts> counts{};
  while (!text.empty()) {
    const DecodedChar c = DecodeUtf8(text);
    text.remove_prefix(static_cast<size_t>(c.num_bytes));
    const auto* range = std::find_if(std::begin(kRanges), std::end(kRanges), [&](const Range& r) {
      return c.code_point >= r.first && c.code_point <= r.last;
    });
    if (range == std::end(kRanges) || ClassOf(c.code_point) != CharClass::kLetter) continue;
    ++counts[range->script];
  }
  return counts;
}

// Marks that stand in Chinese, Japanese and Korean print only: the reference mark, ideographic
// punctuation, and full-width forms.
bool HasEastAsianMark(std::string_view text) {
  while (!text.empty()) {
    const DecodedChar c = DecodeUtf8(text);
    text.remove_prefix(static_cast<size_t>(c.num_bytes));
    if (c.code_point == 0x203B || (c.code_point >= 0x3000 && c.code_point <= 0x303F) ||
        (c.code_point >= 0xFF01 && c.code_point <= 0xFF65)) {
      return true;
    }
  }
  return false;
}

// Frequent short words, between blanks.
struct FunctionWords {
  const char* language;
  std::string_view words;
};
constexpr FunctionWords kFunctionWords[] = {
    {"en", " the of and to in is that for it with as was on are by this be from at "},
    {"de", " der die das und ist nicht ein eine zu den von mit auf im dem sich des auch "},
    {"fr", " le la les et est un une des du que dans pour pas sur au avec ce tout il je "},
    {"es", " el la los las es un una del que en por con para no se su al como "},
    {"it", " il lo la gli di che un una del della in per con non si sono al "},
    {"pt", " os as um uma do da dos das que em para com por se ao "},
};

std::string GuessLatinLanguage(std::string_view text) {
  const std::string lower = LowerAscii(text);
  std::array<int, std::size(kFunctionWords)> scores{};
  for (size_t begin = 0; begin < lower.size();) {
    const size_t end = std::min(lower.find_first_of(" \t\r\n.,;:!?()\"'", begin), lower.size());
    std::string word(1, ' ');
    word.append(lower, begin, end - begin) += ' ';
    for (size_t i = 0; word.size() > 2 && i < scores.size(); ++i) {
      if (kFunctionWords[i].words.find(word) != std::string_view::npos) ++scores[i];
    }
    begin = end + 1;
  }
  return kFunctionWords[std::max_element(scores.begin(), scores.end()) - scores.begin()].language;
}

}  // namespace

std::string GuessLanguage(std::string_view text) {
  if (text.empty()) return {};
  const std::array<int, kNumScripts> counts = CountScripts(text);
  // An ideograph says as much as a word of Latin letters and a half.
  constexpr int kLettersPerIdeograph = 10;
  const int cjk = counts[kHan] + counts[kKana] + counts[kHangul];
  if (cjk > 0 && kLettersPerIdeograph * cjk >= counts[kLatin] + counts[kCyrillic]) {
    if (counts[kHangul] > counts[kHan] + counts[kKana]) return "ko";
    return counts[kKana] > 0 ? "ja" : "zh";
  }
  const bool has_letters = std::any_of(counts.begin(), counts.end(), [](int n) { return n > 0; });
  if (!has_letters && HasEastAsianMark(text)) return "zh";
  switch (std::max_element(counts.begin(), counts.end()) - counts.begin()) {
    case kCyrillic:
      return "ru";
    case kGreek:
      return "el";
    case kArabic:
      return "ar";
    case kHebrew:
      return "he";
    case kThai:
      return "th";
    case kDevanagari:
      return "hi";
    default:
      return GuessLatinLanguage(text);
  }
}

bool IsCjkLanguage(std::string_view language) {
  return language == "zh" || language == "ja" || language == "ko";
}

}  // namespace octavo
