#include "document/block_text.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "base/str_cat.h"
#include "base/utf8.h"
#include "document/html_tree.h"
#include "document/language_guess.h"
#include "document/markdown_text.h"
#include "document/text_lines.h"
#include "document/white_space.h"
#include "text/unicode.h"

namespace octavo {
namespace {

constexpr std::string_view kText = "text";
constexpr std::string_view kInlineEquation = "inline_equation";
constexpr std::string_view kDisplayEquation = "interline_equation";

// The content of a span as it is shown: text with full-width letters folded.
std::string ContentOf(const MiddleSpan& span) {
  const std::string content = span.content.value_or("");
  return span.type == kText ? FoldFullWidth(content) : content;
}

bool IsJoinable(const MiddleSpan& span) {
  return (span.type == kText || span.type == kInlineEquation) &&
         !IsBlank(span.content.value_or(""));
}

std::string WithoutLastChar(std::string text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0u) == 0x80u) {
    text.pop_back();
  }
  if (!text.empty()) text.pop_back();
  return text;
}

// A span and what decides how it is joined to the next.
struct Position {
  const MiddleBlock& block;
  size_t line;
  size_t span;

  const MiddleSpan& current() const { return block.lines[line].spans[span]; }
  bool ends_line() const { return span + 1 == block.lines[line].spans.size(); }

  // A span with something in it comes later.
  bool has_following() const {
    for (size_t i = line; i < block.lines.size(); ++i) {
      const auto& spans = block.lines[i].spans;
      for (size_t j = i == line ? span + 1 : 0; j < spans.size(); ++j) {
        if (IsJoinable(spans[j])) return true;
      }
    }
    return false;
  }

  bool next_line_begins_lower() const {
    if (line + 1 >= block.lines.size()) return false;
    const auto& spans = block.lines[line + 1].spans;
    if (spans.empty() || spans[0].type != kText) return false;
    const std::string content = ContentOf(spans[0]);
    return !content.empty() && IsLowercase(DecodeUtf8(content).code_point);
  }
};

class Joiner {
 public:
  explicit Joiner(const MiddleBlock& block) {
    std::string words;
    for (const MiddleLine& line : block.lines) {
      for (const MiddleSpan& span : line.spans) {
        if (span.type == kText) words += ContentOf(span);
      }
    }
    is_cjk_ = IsCjkLanguage(GuessLanguage(words));
  }

  // `content`, of the span at `position`, with what stands between it and the next.
  std::string Join(std::string content, const Position& position) const {
    const bool is_text = position.current().type == kText;
    if (is_cjk_) {
      if (position.ends_line() && is_text) return content;
    } else if (position.ends_line() && is_text && EndsWithHyphen(content)) {
      return position.next_line_begins_lower() ? WithoutLastChar(std::move(content)) : content;
    }
    return position.has_following() ? content + " " : content;
  }

 private:
  bool is_cjk_ = false;
};

template <typename F>
void ForEachSpan(const MiddleBlock& block, F f) {
  for (size_t line = 0; line < block.lines.size(); ++line) {
    for (size_t span = 0; span < block.lines[line].spans.size(); ++span) {
      f(Position{block, line, span});
    }
  }
}

std::string EscapeTags(std::string_view text) {
  return ReplaceAll(ReplaceAll(ReplaceAll(text, "&", "&amp;"), "<", "&lt;"), ">", "&gt;");
}

// Entities of a piece of HTML without tags decoded.
std::string Unescape(std::string_view text) {
  std::string out;
  for (size_t begin = 0; begin <= text.size();) {
    // A "<" begins no tag here.
    const size_t end = std::min(text.find('<', begin), text.size());
    out += TextOf(*ParseHtml(text.substr(begin, end - begin)));
    if (end < text.size()) out += '<';
    begin = end + 1;
  }
  return out;
}

}  // namespace

std::string BlockText(const MiddleBlock& block, bool escapes_prefix) {
  const Joiner joiner(block);
  const bool escapes = block.type != "code_body";
  std::string out;
  ForEachSpan(block, [&](const Position& position) {
    const MiddleSpan& span = position.current();
    std::string content = ContentOf(span);
    if (span.type == kDisplayEquation) {
      out += StrCat("$$\n", content, "\n$$");
      return;
    }
    if (span.type == kInlineEquation) {
      content = StrCat("$", content, "$");
    } else if (span.type != kText) {
      return;
    } else if (escapes) {
      content = EscapeMarkdown(content);
    }
    content = TrimSpace(content);
    if (!content.empty()) out += joiner.Join(std::move(content), position);
  });
  return escapes_prefix && block.type == kText ? EscapeMarkdownPrefix(std::move(out)) : out;
}

std::vector<TextPiece> BlockPieces(const MiddleBlock& block) {
  const Joiner joiner(block);
  std::vector<TextPiece> pieces;
  ForEachSpan(block, [&](const Position& position) {
    const MiddleSpan& span = position.current();
    std::string content = ContentOf(span);
    if (IsBlank(content)) return;
    if (span.type == kInlineEquation) {
      pieces.push_back({"equation_inline", std::move(content)});
    } else if (span.type == kText && block.type == "phonetic") {
      pieces.push_back({"phonetic", std::move(content)});
    } else if (span.type == kText) {
      content = joiner.Join(std::move(content), position);
      if (pieces.empty() || pieces.back().type != kText) {
        pieces.push_back({std::string(kText), std::move(content)});
      } else {
        pieces.back().content += content;
      }
    }
  });
  return pieces;
}

std::string AlgorithmHtml(const MiddleBlock& body) {
  std::string html;
  bool follows_formula = false;
  ForEachSpan(body, [&](const Position& position) {
    const MiddleSpan& span = position.current();
    const std::string content = ContentOf(span);
    if (span.type == kText) {
      html += EscapeTags(content);
      if (!content.empty()) follows_formula = false;
    } else if (span.type == kInlineEquation && !IsBlank(content)) {
      if (follows_formula) html += ' ';
      html += StrCat("$", EscapeTags(content), "$");
      follows_formula = true;
    }
  });
  if (IsBlank(html)) return {};
  return "<div class=\"mineru-algorithm\" style=\"white-space: pre-wrap; "
         "font-family:monospace;\">\n" +
         html + "\n</div>";
}

std::string FencedCode(const MiddleBlock& body, const std::string& language, MiddleRule rule) {
  const std::string code = BlockText(body);
  std::string fence = "```";
  while (rule == MiddleRule::kKeepText && code.find(fence) != std::string::npos) fence += '`';
  return StrCat(fence, language, "\n", code, "\n", fence);
}

std::string TableMarkup(const std::string& html, const std::string& image_prefix) {
  constexpr std::string_view kSource = "src=\"";
  std::string prefixed;
  std::string_view rest = html;
  for (size_t i = rest.find(kSource); i != std::string_view::npos; i = rest.find(kSource)) {
    prefixed += rest.substr(0, i + kSource.size());
    rest.remove_prefix(i + kSource.size());
    const size_t end = rest.find('"');
    const bool is_relative =
        end != std::string_view::npos && end > 0 && rest.substr(0, 5) != "data:";
    if (is_relative) prefixed += image_prefix;
  }
  prefixed += rest;

  constexpr std::string_view kOpen = "<eq>";
  constexpr std::string_view kClose = "</eq>";
  std::string out;
  rest = prefixed;
  while (true) {
    const size_t open = rest.find(kOpen);
    const size_t close = open == std::string_view::npos ? open : rest.find(kClose, open);
    if (close == std::string_view::npos) break;
    out += rest.substr(0, open);
    const size_t begin = open + kOpen.size();
    out += StrCat(" $", Unescape(rest.substr(begin, close - begin)), "$ ");
    rest.remove_prefix(close + kClose.size());
  }
  out += rest;
  return out;
}

}  // namespace octavo
