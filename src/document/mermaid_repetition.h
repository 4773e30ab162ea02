// Tells flow charts in which the model repeated itself.
#ifndef OCTAVO_DOCUMENT_MERMAID_REPETITION_H_
#define OCTAVO_DOCUMENT_MERMAID_REPETITION_H_

#include <string_view>

namespace octavo {

// Repeated lines in a label, overlong or repetitive node names, the same edge or the same label of
// edges again and again, repeated lines outside the chart's structure.
// Source: mineru-vl-utils 2.0.7, mermaid_repetition.py, detect_mermaid_repetition_issues.
bool IsRepetitiveMermaid(std::string_view content);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_MERMAID_REPETITION_H_
