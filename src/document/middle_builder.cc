#include "document/middle_builder.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "document/block.h"
#include "document/caption_fragments.h"
#include "document/code_language.h"
#include "document/content_spans.h"
#include "document/paragraph_merge.h"
#include "document/visual_groups.h"
#include "document/white_space.h"

namespace octavo {
namespace {

// MinerU takes a picture for a page at this resolution.
constexpr double kPictureDpi = 200;
constexpr double kPointsPerInch = 72;
// Of a page that says nothing about its size: boxes are then in thousandths.
constexpr int kUnknownSize = 1000;

int SizeInPoints(double points, int pixels) {
  if (points < 1) points = pixels * kPointsPerInch / kPictureDpi;
  constexpr double kMaxPoints = 1e6;
  return points < 1 ? kUnknownSize : static_cast<int>(std::min(points, kMaxPoints));
}

bool IsTextType(std::string_view type) {
  constexpr std::string_view kTypes[] = {"text",   "title",        "ref_text",    "phonetic",
                                         "header", "footer",       "page_number", "aside_text",
                                         "list",   "page_footnote"};
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

struct Kind {
  std::string type;  // of the block
  std::string span;
};

Kind KindOf(const std::string& type, MiddleRule rule) {
  if (IsTextType(type)) return {type, "text"};
  if (type == "image_caption" || type == "table_caption" || type == "code_caption") {
    return {"caption", "text"};
  }
  if (type == "image_footnote" || type == "table_footnote") return {"footnote", "text"};
  if (type == "image_block") return {"image_block_body", "image"};
  if (type == "image" || type == "table" || type == "chart") return {type + "_body", type};
  if (type == "code" || type == "algorithm") return {"code_body", "text"};
  if (type == "equation") return {"interline_equation", "interline_equation"};
  if (rule == MiddleRule::kReference) return {type, "unknown"};
  if (type == "caption" || type == "footnote") return {type, "text"};
  if (type == "doc_title" || type == "paragraph_title") return {"title", "text"};
  return {"text", "text"};
}

class PageBuilder {
 public:
  PageBuilder(const Page& page, MiddleRule rule) : page_(page), rule_(rule) {
    out_.index = page.index;
    out_.width = SizeInPoints(page.width_pt, page.width_px);
    out_.height = SizeInPoints(page.height_pt, page.height_px);
  }

  MiddlePage Build() {
    std::vector<MiddleBlock> blocks;
    for (size_t i = 0; i < page_.blocks.size(); ++i) {
      const ContentBlock& block = page_.blocks[i];
      if (rule_ == MiddleRule::kKeepText && IsEmptied(block)) continue;
      blocks.push_back(Convert(block, static_cast<int>(i)));
    }
    PromoteCaptionFragments(&blocks);
    const std::map<int, std::vector<int>> members = FillLists(&blocks);
    std::vector<MiddleBlock> groups = TakeVisualGroups(&blocks);
    Sort(std::move(blocks), members);
    for (MiddleBlock& group : groups) out_.preproc_blocks.push_back(std::move(group));
    std::sort(out_.preproc_blocks.begin(), out_.preproc_blocks.end(),
              [](const MiddleBlock& a, const MiddleBlock& b) { return a.index < b.index; });
    return std::move(out_);
  }

 private:
  // A title, formula or container without anything in it. A formula that was found and not read
  // has its picture.
  static bool IsEmptied(const ContentBlock& block) {
    if (block.type == "equation_block") return true;
    const bool needs_words = block.type == "title" || block.type == "doc_title" ||
                             block.type == "paragraph_title" ||
                             (block.type == "equation" && block.img_path.empty());
    return needs_words && IsBlank(block.content.value_or(""));
  }

  PointBox BoxOf(const ContentBlock& block) const {
    PointBox box{};
    for (size_t i = 0; i < 4; ++i) {
      const int size = i % 2 == 0 ? out_.width : out_.height;
      box[i] = static_cast<int>(std::clamp(block.bbox[i], -1000.0, 1000.0) * size);
    }
    if (box[2] < box[0]) std::swap(box[0], box[2]);
    if (box[3] < box[1]) std::swap(box[1], box[3]);
    return box;
  }

  MiddleBlock Convert(const ContentBlock& block, int index) const {
    const Kind kind = KindOf(block.type, rule_);
    MiddleBlock out;
    out.type = kind.type;
    out.bbox = BoxOf(block);
    out.index = index;
    out.angle = block.angle;
    if (block.type == "text") out.merge_prev = block.merge_prev;
    if (kind.type == "title") out.level = block.text_level;
    if (block.type == "image" || block.type == "chart") out.sub_type = block.sub_type.value_or("");
    if (block.type == "table") out.cell_merge = block.cell_merge;
    MiddleLine line{out.bbox, {}};
    const bool is_picture = kind.span == "image" || kind.span == "table" || kind.span == "chart";
    if (is_picture || kind.span == "interline_equation") {
      line.spans.push_back(PictureSpan(block, kind.span, out.bbox));
    } else {
      line.spans = TextSpans(block, kind, &out);
    }
    for (MiddleSpan& span : line.spans) span.bbox = out.bbox;
    out.lines.push_back(std::move(line));
    return out;
  }

  static MiddleSpan PictureSpan(const ContentBlock& block, const std::string& type,
                                const PointBox& box) {
    MiddleSpan span;
    span.type = type;
    // A box without area in points has no picture.
    if (box[0] < box[2] && box[1] < box[3]) span.image_path = block.img_path;
    if (type == "table") {
      span.content = block.content.value_or("");
    } else if (type == "interline_equation") {
      span.content = BareEquation(block.content.value_or(""));
    } else if (block.type != "image_block") {
      span.content = block.content;
    }
    return span;
  }

  // Of code, sets sub_type and guess_lang of the block too.
  std::vector<MiddleSpan> TextSpans(const ContentBlock& block, const Kind& kind,
                                    MiddleBlock* out) const {
    if (kind.span == "unknown" && !block.content) {
      MiddleSpan span;
      span.type = kind.span;
      return {span};
    }
    std::string content = block.content.value_or("");
    if (kind.type == "code_body") {
      content = StripCodeFence(content);
      out->sub_type = block.type;
      if (rule_ == MiddleRule::kKeepText) {
        out->guess_lang = FenceLanguage(TrimSpace(block.content.value_or("")));
      }
      if (out->guess_lang.empty()) out->guess_lang = GuessCodeLanguage(content);
    }
    content = FlattenBrackets(content);
    if (kind.type == "title") content = JoinTitleLines(content);
    std::vector<MiddleSpan> spans = SplitSpans(content, kind.span);
    const bool has_formula = std::any_of(spans.begin(), spans.end(), [](const MiddleSpan& span) {
      return span.type == "inline_equation";
    });
    if (kind.type == "code_body" && has_formula) out->sub_type = "algorithm";
    if (out->sub_type == "algorithm") out->guess_lang.clear();
    return spans;
  }

  // Indices of the items of each list, by the list's index. Text comes before references.
  static std::map<int, std::vector<int>> FillLists(std::vector<MiddleBlock>* blocks) {
    constexpr double kItemShare = 0.8;
    std::map<int, std::vector<int>> members;
    for (const char* type : {"text", "ref_text"}) {
      for (const MiddleBlock& item : *blocks) {
        if (item.type != type) continue;
        const auto list = std::find_if(blocks->begin(), blocks->end(), [&](const MiddleBlock& b) {
          return b.type == "list" && ShareInside(item.bbox, b.bbox) >= kItemShare;
        });
        if (list == blocks->end()) continue;
        list->blocks.push_back(item);
        members[list->index].push_back(item.index);
      }
    }
    for (MiddleBlock& block : *blocks) {
      if (block.type != "list") continue;
      block.lines.clear();
      block.sub_type = MostFrequentType(block.blocks);
    }
    return members;
  }

  static double ShareInside(const PointBox& inner, const PointBox& outer) {
    const auto bbox = [](const PointBox& box) {
      return Bbox{static_cast<double>(box[0]), static_cast<double>(box[1]),
                  static_cast<double>(box[2]), static_cast<double>(box[3])};
    };
    return CoveredShare(bbox(inner), bbox(outer));
  }

  // "text" or "ref_text"; the first item's on a tie.
  static std::string MostFrequentType(const std::vector<MiddleBlock>& items) {
    if (items.empty()) return {};
    const auto num_first = std::count_if(items.begin(), items.end(), [&](const MiddleBlock& item) {
      return item.type == items[0].type;
    });
    if (2 * num_first >= std::ssize(items)) return items[0].type;
    return items[0].type == "text" ? "ref_text" : "text";
  }

  // Blocks to where they belong; items of lists are in their lists already.
  void Sort(std::vector<MiddleBlock> blocks, const std::map<int, std::vector<int>>& members) {
    std::vector<bool> is_item(page_.blocks.size(), false);
    for (const auto& list : members) {
      for (const int index : list.second) is_item[static_cast<size_t>(index)] = true;
    }
    constexpr std::string_view kKept[] = {"text", "title", "ref_text", "phonetic",
                                          "interline_equation"};
    for (MiddleBlock& block : blocks) {
      if (is_item[static_cast<size_t>(block.index)]) continue;
      if (IsDiscardedType(block.type)) {
        out_.discarded_blocks.push_back(std::move(block));
      } else if (block.type == "list" ? !block.blocks.empty()
                                      : std::find(std::begin(kKept), std::end(kKept), block.type) !=
                                            std::end(kKept)) {
        out_.preproc_blocks.push_back(std::move(block));
      }
    }
  }

  const Page& page_;
  MiddleRule rule_;
  MiddlePage out_;
};

}  // namespace

MiddlePage BuildMiddlePage(const Page& page, MiddleRule rule) {
  return PageBuilder(page, rule).Build();
}

std::vector<MiddlePage> BuildMiddle(const std::vector<Page>& pages, MiddleRule rule) {
  std::vector<MiddlePage> middle;
  for (const Page& page : pages) {
    MiddlePage built = BuildMiddlePage(page, rule);
    built.para_blocks = built.preproc_blocks;
    middle.push_back(std::move(built));
  }
  MergeParagraphs(&middle);
  return middle;
}

}  // namespace octavo
