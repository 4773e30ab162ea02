// Markdown pipe tables as models write them for charts and table pictures.
#ifndef OCTAVO_DOCUMENT_PIPE_TABLE_H_
#define OCTAVO_DOCUMENT_PIPE_TABLE_H_

#include <optional>
#include <string>
#include <string_view>

namespace octavo {

// A strict pipe table to HTML, the first row as <th>: two lines or more, no blank one, a separator
// as second line, as many cells (two or more) in every row; \| is a pipe. Otherwise nothing.
// Source: mineru-vl-utils 2.0.7, image_analysis_postprocess.py, convert_markdown_table_to_html.
std::optional<std::string> PipeTableToHtml(std::string_view content);

// A separator without fitting header or rows, or two rows and more without a separator.
// Source: the same, has_malformed_markdown_table.
bool HasMalformedPipeTable(std::string_view content);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_PIPE_TABLE_H_
