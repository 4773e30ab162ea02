// ToMarkdown of octavo/document.h. Source of the form: mineru 3.4.5, vlm_middle_json_mkcontent.py.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "document/block.h"
#include "document/code_text.h"
#include "document/markdown_text.h"
#include "document/page_structure.h"
#include "document/white_space.h"
#include "octavo/document.h"

namespace octavo {
namespace {

constexpr std::string_view kHardBreak = "  \n";

// Part of a composite, and whether it is HTML that needs blank lines around it.
struct Segment {
  std::string text;
  bool is_html = false;
};

class PageWriter {
 public:
  PageWriter(const Page& page, const std::string& image_prefix)
      : page_(page), image_prefix_(image_prefix) {}

  // Markdown of each item; empty ones are left out.
  std::vector<std::string> Write() const {
    std::vector<std::string> parts;
    for (const PageItem& item : FindStructure(page_.blocks)) {
      std::string part(TrimSpace(WriteItem(item)));
      if (!part.empty()) parts.push_back(std::move(part));
    }
    return parts;
  }

 private:
  const ContentBlock& block(size_t i) const { return page_.blocks[i]; }
  std::string_view content(size_t i) const {
    return block(i).content ? std::string_view(*block(i).content) : std::string_view();
  }

  std::string WriteItem(const PageItem& item) const {
    switch (item.kind) {
      case PageItem::Kind::kDiscarded:
        return {};
      case PageItem::Kind::kList:
        return WriteList(item);
      case PageItem::Kind::kVisual:
        return WriteVisual(item);
      case PageItem::Kind::kSimple:
        return WriteSimple(item.block);
    }
    return {};
  }

  std::string WriteSimple(size_t i) const {
    const std::string_view type = block(i).type;
    if (type == "equation") return MarkdownEquation(content(i));
    if (type == "title" || type == "doc_title" || type == "paragraph_title") {
      const int level = std::clamp(block(i).text_level, 1, 4);
      return std::string(static_cast<size_t>(level), '#') + " " + MarkdownTitle(content(i));
    }
    return EscapeMarkdownPrefix(MarkdownText(content(i)));
  }

  std::string WriteList(const PageItem& item) const {
    std::string out;
    for (const size_t i : item.members) {
      const std::string text = MarkdownText(content(i));
      if (text.empty()) continue;
      if (!out.empty()) out += kHardBreak;
      out += text;
    }
    return out;
  }

  Segment WriteMember(size_t i) const {
    const std::string_view type = block(i).type;
    if (type == "table") {
      if (!content(i).empty()) return {std::string(content(i)), true};
      return {WritePicture(i), false};
    }
    if (type == "image" || type == "chart" || type == "image_block") {
      return {WritePicture(i), false};
    }
    if (type == "code") return {FenceCode(content(i)), false};
    if (type == "algorithm") return {AlgorithmHtml(content(i)), true};
    return {MarkdownText(content(i)), false};
  }

  std::string WritePicture(size_t i) const {
    if (block(i).img_path.empty()) return {};
    std::string out = "![](" + image_prefix_ + block(i).img_path + ")";
    if (!IsBlank(content(i))) {
      const char* summary = block(i).type == "chart" ? "chart content" : "image content";
      out += std::string("\n\n<details>\n<summary>") + summary + "</summary>\n\n" +
             std::string(TrimSpace(content(i))) + "\n</details>";
    }
    return out;
  }

  std::string WriteVisual(const PageItem& item) const {
    std::string out;
    bool was_html = false;
    for (const size_t i : item.members) {
      const Segment segment = WriteMember(i);
      if (segment.text.empty()) continue;
      if (!out.empty()) out += segment.is_html || was_html ? "\n\n" : kHardBreak;
      out += segment.text;
      was_html = segment.is_html;
    }
    return out;
  }

  const Page& page_;
  const std::string& image_prefix_;
};

}  // namespace

std::string ToMarkdown(const std::vector<Page>& pages, const std::string& image_prefix) {
  std::string out;
  for (const Page& page : pages) {
    for (const std::string& part : PageWriter(page, image_prefix).Write()) {
      if (!out.empty()) out += "\n\n";
      out += part;
    }
  }
  if (!out.empty()) out += '\n';
  return out;
}

}  // namespace octavo
