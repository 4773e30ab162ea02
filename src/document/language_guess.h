// The language of a text, as far as it decides how words are joined.
#ifndef OCTAVO_DOCUMENT_LANGUAGE_GUESS_H_
#define OCTAVO_DOCUMENT_LANGUAGE_GUESS_H_

#include <string>
#include <string_view>

namespace octavo {

// "zh", "ja", "ko", another ISO 639-1 code, or "" for the empty text: by script, and within the
// Latin script by function words ("en" where they say nothing). Without letters: "zh" if it has
// marks of East Asian print (the reference mark, ideographic punctuation), else "en". A rough
// stand-in for the fastText model that MinerU asks; they agree on which texts are Chinese, Japanese
// or Korean in all but mixed ones.
std::string GuessLanguage(std::string_view text);

// Chinese, Japanese and Korean, whose lines are joined without a blank.
bool IsCjkLanguage(std::string_view language);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_LANGUAGE_GUESS_H_
