// The plain Markdown of mineru-vl-utils: contents with blank lines between.
#ifndef OCTAVO_TESTS_SUITES_SIMPLE_MARKDOWN_H_
#define OCTAVO_TESTS_SUITES_SIMPLE_MARKDOWN_H_

#include <string>
#include <vector>

#include "octavo/document.h"

namespace octavo {

// No marks for headings, nothing left out; a block with merge_prev goes on the last text that began
// a paragraph, with a blank unless it has CJK ideographs. Blocks without content are skipped.
// Source: mineru-vl-utils 2.0.7, post_process/json2markdown.py.
std::string SimpleMarkdown(const std::vector<ContentBlock>& blocks);

}  // namespace octavo

#endif  // OCTAVO_TESTS_SUITES_SIMPLE_MARKDOWN_H_
