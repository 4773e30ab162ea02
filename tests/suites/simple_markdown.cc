#include "suites/simple_markdown.h"

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/utf8.h"

namespace octavo {
namespace {

bool HasIdeograph(std::string_view text) {
  while (!text.empty()) {
    const DecodedChar c = DecodeUtf8(text);
    const bool is_unified = c.code_point >= 0x4E00 && c.code_point <= 0x9FFF;
    const bool is_extension_a = c.code_point >= 0x3400 && c.code_point <= 0x4DBF;
    if (is_unified || is_extension_a) return true;
    text.remove_prefix(static_cast<size_t>(c.num_bytes));
  }
  return false;
}

}  // namespace

std::string SimpleMarkdown(const std::vector<ContentBlock>& blocks) {
  std::vector<std::string> parts;
  std::optional<size_t> last_text;
  for (const ContentBlock& block : blocks) {
    if (!block.content || block.content->empty()) continue;
    if (block.merge_prev && last_text) {
      if (!HasIdeograph(*block.content)) parts[*last_text] += ' ';
      parts[*last_text] += *block.content;
      continue;
    }
    parts.push_back(*block.content);
    if (block.type == "text") last_text = parts.size() - 1;
  }
  std::string out;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) out += "\n\n";
    out += part;
  }
  return out;
}

}  // namespace octavo
