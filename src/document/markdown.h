// The middle form as Markdown.
#ifndef OCTAVO_DOCUMENT_MARKDOWN_H_
#define OCTAVO_DOCUMENT_MARKDOWN_H_

#include <string>
#include <vector>

#include "document/middle.h"

namespace octavo {

// Level of a title in Markdown, 1 to 4; 1 if the block does not say.
int TitleLevel(const MiddleBlock& title);

// The body of a code block as Markdown shows it: fenced code, or an algorithm's HTML.
std::string CodeMarkdown(const MiddleBlock& code, const MiddleBlock& body, MiddleRule rule);

// Blocks of all pages with blank lines between, without a last line feed. image_prefix stands
// before the names of pictures. Source: mineru 3.4.5, vlm_middle_json_mkcontent.py.
std::string MiddleToMarkdown(const std::vector<MiddlePage>& pages, const std::string& image_prefix,
                             MiddleRule rule = MiddleRule::kKeepText);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_MARKDOWN_H_
