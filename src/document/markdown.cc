// MiddleToMarkdown, and ToMarkdown of octavo/document.h.
#include "document/markdown.h"

#include <algorithm>
#include <string_view>

#include "document/block_text.h"
#include "document/middle_builder.h"
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

class MarkdownWriter {
 public:
  MarkdownWriter(const std::string& image_prefix, MiddleRule rule)
      : image_prefix_(image_prefix), rule_(rule) {}

  std::string Write(const MiddleBlock& block) const {
    if (IsVisualType(block.type)) return WriteVisual(block);
    if (block.type == "list") return WriteList(block);
    if (block.type == "interline_equation" && rule_ == MiddleRule::kKeepText) {
      for (const MiddleLine& line : block.lines) {
        for (const MiddleSpan& span : line.spans) {
          if (IsBlank(span.content.value_or(""))) return Picture(span.image_path);
        }
      }
    }
    if (block.type == "title") {
      return std::string(static_cast<size_t>(TitleLevel(block)), '#') + " " + BlockText(block);
    }
    return BlockText(block);
  }

 private:
  static std::string WriteList(const MiddleBlock& list) {
    std::string out;
    for (const MiddleBlock& item : list.blocks) {
      out += BlockText(item, false);
      out += kHardBreak;
    }
    return out;
  }

  std::string Picture(const std::string& image_path) const {
    return image_path.empty() ? std::string() : "![](" + image_prefix_ + image_path + ")";
  }

  std::string WriteVisual(const MiddleBlock& block) const {
    std::string out;
    bool was_html = false;
    for (const MiddleBlock& part : block.blocks) {
      for (const Segment& segment : Segments(block, part)) {
        if (segment.text.empty()) continue;
        if (!out.empty()) out += segment.is_html || was_html ? "\n\n" : kHardBreak;
        out += segment.text;
        was_html = segment.is_html;
      }
    }
    return out;
  }

  std::vector<Segment> Segments(const MiddleBlock& block, const MiddleBlock& part) const {
    if (part.type == "code_body") {
      return {{CodeMarkdown(block, part, rule_), block.sub_type == "algorithm"}};
    }
    const bool is_body =
        part.type == "image_body" || part.type == "chart_body" || part.type == "table_body";
    if (!is_body) {
      const std::string text = BlockText(part);
      return {{IsBlank(text) ? std::string() : text, false}};
    }
    std::vector<Segment> segments;
    for (const MiddleLine& line : part.lines) {
      for (const MiddleSpan& span : line.spans) AddBody(block, span, &segments);
    }
    return segments;
  }

  void AddBody(const MiddleBlock& block, const MiddleSpan& span,
               std::vector<Segment>* segments) const {
    const std::string content = span.content.value_or("");
    if (span.type == "table") {
      if (content.empty()) {
        segments->push_back({Picture(span.image_path), false});
      } else {
        segments->push_back({TableMarkup(content, image_prefix_), true});
      }
      return;
    }
    segments->push_back({Picture(span.image_path), false});
    if (IsBlank(content)) return;
    const std::string summary = block.sub_type.empty() ? span.type + " content" : block.sub_type;
    segments->push_back(
        {"<details>\n<summary>" + summary + "</summary>\n\n" + content + "\n</details>", true});
  }

  const std::string& image_prefix_;
  MiddleRule rule_;
};

}  // namespace

int TitleLevel(const MiddleBlock& title) {
  constexpr int kMaxLevel = 4;
  return std::clamp(title.level, 1, kMaxLevel);
}

std::string CodeMarkdown(const MiddleBlock& code, const MiddleBlock& body, MiddleRule rule) {
  if (code.sub_type == "algorithm") return AlgorithmHtml(body);
  return FencedCode(body, code.guess_lang, rule);
}

std::string MiddleToMarkdown(const std::vector<MiddlePage>& pages, const std::string& image_prefix,
                             MiddleRule rule) {
  const MarkdownWriter writer(image_prefix, rule);
  std::string out;
  for (const MiddlePage& page : pages) {
    for (const MiddleBlock& block : page.para_blocks) {
      const std::string text = writer.Write(block);
      if (IsBlank(text)) continue;
      if (!out.empty()) out += "\n\n";
      out += TrimSpace(text);
    }
  }
  return out;
}

std::string ToMarkdown(const std::vector<Page>& pages, const std::string& image_prefix) {
  std::string out = MiddleToMarkdown(BuildMiddle(pages), image_prefix);
  if (!out.empty()) out += '\n';
  return out;
}

}  // namespace octavo
