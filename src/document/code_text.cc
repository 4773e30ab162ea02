#include "document/code_text.h"

#include <algorithm>
#include <cstddef>

#include "base/str_cat.h"
#include "document/otsl.h"
#include "document/white_space.h"

namespace octavo {
namespace {

struct Code {
  std::string language = "txt";
  std::string_view text;
};

// Takes off a first line that begins with ``` and a last line that is ```.
Code StripFence(std::string_view content) {
  Code code;
  content = TrimSpace(content);
  const size_t first_end = content.find('\n');
  if (content.substr(0, 3) == "```" && first_end != std::string_view::npos) {
    const std::string_view language = TrimSpace(content.substr(3, first_end - 3));
    const bool is_name = !language.empty() && language.size() <= 20 &&
                         std::all_of(language.begin(), language.end(), [](char c) {
                           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                  (c >= '0' && c <= '9') || c == '+' || c == '#' || c == '-' ||
                                  c == '_';
                         });
    if (is_name) code.language = language;
    content.remove_prefix(first_end + 1);
  }
  const size_t last_begin = content.rfind('\n');
  if (last_begin != std::string_view::npos && TrimSpace(content.substr(last_begin + 1)) == "```") {
    content = content.substr(0, last_begin);
  }
  code.text = TrimSpace(content);
  return code;
}

}  // namespace

std::string FenceCode(std::string_view content) {
  const Code code = StripFence(content);
  std::string fence = "```";
  while (code.text.find(fence) != std::string_view::npos) fence += '`';
  return fence + code.language + "\n" + std::string(code.text) + "\n" + fence;
}

std::string AlgorithmHtml(std::string_view content) {
  const std::string_view text = StripFence(content).text;
  if (text.empty()) return {};
  std::string body;
  size_t begin = 0;
  while (true) {
    const size_t open = text.find("\\(", begin);
    const size_t close = open == std::string_view::npos ? open : text.find("\\)", open + 2);
    if (close == std::string_view::npos) break;
    body += EscapeHtml(text.substr(begin, open - begin));
    body += StrCat("$", TrimSpace(text.substr(open + 2, close - open - 2)), "$");
    begin = close + 2;
  }
  body += EscapeHtml(text.substr(begin));
  return "<div class=\"mineru-algorithm\" style=\"white-space: pre-wrap; "
         "font-family:monospace;\">\n" +
         body + "\n</div>";
}

}  // namespace octavo
