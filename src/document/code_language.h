// The programming language of a code block.
#ifndef OCTAVO_DOCUMENT_CODE_LANGUAGE_H_
#define OCTAVO_DOCUMENT_CODE_LANGUAGE_H_

#include <string>
#include <string_view>

namespace octavo {

// A name for a Markdown fence ("python", "sql", …), or "txt" where the code does not say enough:
// two marks of one language and more of them than of any other. A rough stand-in for the Magika
// classifier that MinerU asks.
std::string GuessCodeLanguage(std::string_view code);

// The language that the model's own fence names ("```python" as first line); empty if none.
std::string FenceLanguage(std::string_view content);

// The code without a first line that begins with ``` and a last line that is ```, trimmed.
// Source: mineru 3.4.5, visual_magic_model_utils.py, code_content_clean.
std::string StripCodeFence(std::string_view content);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_CODE_LANGUAGE_H_
