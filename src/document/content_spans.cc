// Source: mineru 3.4.5, vlm_magic_model.py and visual_magic_model_utils.py.
#include "document/content_spans.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "document/mermaid_text.h"
#include "document/white_space.h"

namespace octavo {
namespace {

int CountOf(std::string_view text, std::string_view word) {
  int count = 0;
  for (size_t i = text.find(word); i != std::string_view::npos;
       i = text.find(word, i + word.size())) {
    ++count;
  }
  return count;
}

struct Pair {
  size_t open = 0;
  size_t close = 0;
};

// The next `open` at or behind `from` with a `close` on the same line, `min_inside` bytes or more
// between; npos in both if there is none. Marks have two bytes.
Pair FindPair(std::string_view text, size_t from, std::string_view open, std::string_view close,
              size_t min_inside) {
  for (size_t i = text.find(open, from); i != std::string_view::npos;) {
    const size_t line_end = std::min(text.find('\n', i), text.size());
    const size_t end = text.substr(0, line_end).find(close, i + 2 + min_inside);
    if (end != std::string_view::npos) return {i, end};
    i = text.find(open, line_end);
  }
  return {std::string_view::npos, std::string_view::npos};
}

MiddleSpan SpanOf(std::string_view type, std::string_view content) {
  MiddleSpan span;
  span.type = type;
  span.content = std::string(content);
  return span;
}

}  // namespace

std::string FlattenBrackets(std::string_view content) {
  const int count = CountOf(content, "\\[");
  if (count == 0 || count != CountOf(content, "\\]")) return std::string(content);
  std::string out;
  size_t begin = 0;
  while (true) {
    const Pair pair = FindPair(content, begin, "\\[", "\\]", 0);
    if (pair.open == std::string_view::npos) break;
    out += content.substr(begin, pair.open - begin);
    out += '[';
    out += content.substr(pair.open + 2, pair.close - pair.open - 2);
    out += ']';
    begin = pair.close + 2;
  }
  out += content.substr(begin);
  return out;
}

std::vector<MiddleSpan> SplitSpans(std::string_view content, std::string_view text_type) {
  const int count = CountOf(content, "\\(");
  if (count == 0 || count != CountOf(content, "\\)")) return {SpanOf(text_type, content)};
  std::vector<MiddleSpan> spans;
  size_t begin = 0;
  const auto add_text = [&](std::string_view text) {
    if (!IsBlank(text)) spans.push_back(SpanOf("text", text));
  };
  while (true) {
    const Pair pair = FindPair(content, begin, "\\(", "\\)", 1);
    if (pair.open == std::string_view::npos) break;
    add_text(content.substr(begin, pair.open - begin));
    spans.push_back(SpanOf("inline_equation",
                           TrimSpace(content.substr(pair.open + 2, pair.close - pair.open - 2))));
    begin = pair.close + 2;
  }
  add_text(content.substr(begin));
  return spans;
}

std::string JoinTitleLines(std::string_view content) {
  std::string line;
  for (size_t i = 0; i < content.size();) {
    if (content[i] != '\n') {
      line += content[i++];
      continue;
    }
    line += ' ';
    i += SpaceLength(content.substr(i));
  }
  return std::string(TrimSpace(line));
}

std::string BareEquation(std::string_view content) {
  if (content.substr(0, 2) == "\\[") content.remove_prefix(2);
  if (content.size() >= 2 && content.substr(content.size() - 2) == "\\]") content.remove_suffix(2);
  return std::string(TrimSpace(content));
}

}  // namespace octavo
