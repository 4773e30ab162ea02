// Code and algorithm blocks as Markdown.
#ifndef OCTAVO_DOCUMENT_CODE_TEXT_H_
#define OCTAVO_DOCUMENT_CODE_TEXT_H_

#include <string>
#include <string_view>

namespace octavo {

// Between ``` lines, with the language of the model's own fence, else "txt". The fence is longer
// than any run of backticks inside.
std::string FenceCode(std::string_view content);

// <div class="mineru-algorithm" …> with escaped text and $formulas$.
// Source: mineru 3.4.5, vlm_middle_json_mkcontent.py.
std::string AlgorithmHtml(std::string_view content);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_CODE_TEXT_H_
