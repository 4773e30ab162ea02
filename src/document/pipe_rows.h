// Rows of Markdown pipe tables, for all that reads such tables of models.
// Source: mineru-vl-utils 2.0.7, image_analysis_postprocess.py and chart_invalid_repetition.py,
// which read escapes differently.
#ifndef OCTAVO_DOCUMENT_PIPE_ROWS_H_
#define OCTAVO_DOCUMENT_PIPE_ROWS_H_

#include <string>
#include <string_view>
#include <vector>

namespace octavo {

enum class PipeRowRule {
  kUnescape,  // an escaped pipe becomes a pipe of its cell; back quotes mean nothing
  kKeepCode,  // escapes stay as they are; pipes in back quotes do not split either
};

// The line without the space around it and without one pipe at each end.
std::string_view StripPipes(std::string_view line);

// Its cells, trimmed; at least one.
std::vector<std::string> SplitPipeRow(std::string_view line, PipeRowRule rule);

// True for three dashes or more, with or without a colon at each end: a separator's cell.
bool IsSeparatorCell(std::string_view cell);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_PIPE_ROWS_H_
