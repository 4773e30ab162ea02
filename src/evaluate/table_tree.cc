#include "evaluate/table_tree.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "evaluate/html_scan.h"
#include "evaluate/page_text.h"

namespace octavo {
namespace {

constexpr int kMaxElements = 100'000;

// A value beyond Unicode for a tag inside a cell, the same for the same name.
char32_t ValueOfTag(std::string_view name, bool is_closing) {
  uint32_t hash = 2166136261;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  return 0x40000000 | (hash & 0x1FFFFFFF) | (is_closing ? 0x20000000 : 0);
}

// Elements without content and closing tag.
bool IsVoid(std::string_view name) {
  return name == "br" || name == "img" || name == "hr" || name == "wbr" || name == "input";
}

bool IsWrapper(std::string_view name) {
  return name == "thead" || name == "tbody" || name == "tfoot" || name == "caption" ||
         name == "colgroup" || name == "col";
}

class TableReader {
 public:
  explicit TableReader(std::string_view html) : html_(html) {}

  TableTree Read() {
    for (size_t at = 0; at < html_.size() && !is_done_ && tree_.num_elements < kMaxElements;) {
      const std::optional<HtmlTag> tag =
          html_[at] == '<' ? ReadHtmlTag(html_, at) : std::optional<HtmlTag>();
      if (tag) {
        ReadTag(*tag);
        at += tag->num_bytes;
      } else {
        if (is_in_cell_) text_ += html_[at];
        ++at;
      }
    }
    if (is_in_table_) EndTable();
    return std::move(tree_);
  }

 private:
  void ReadTag(const HtmlTag& tag) {
    if (tag.name == "!") return;
    if (!is_in_table_) {
      is_in_table_ = tag.name == "table" && !tag.is_closing;
      return;
    }
    // A table inside a cell is content.
    if (is_in_cell_ && (nested_ > 0 || (tag.name == "table" && !tag.is_closing))) {
      if (tag.name == "table") nested_ += tag.is_closing ? -1 : 1;
      return AddContentTag(tag);
    }
    if (tag.name == "table") {
      if (tag.is_closing) EndTable();
    } else if (tag.name == "tr") {
      EndRow();
      if (!tag.is_closing) is_in_row_ = true;
    } else if (tag.name == "td" || tag.name == "th") {
      EndCell();
      if (!tag.is_closing) BeginCell(tag);
    } else if (is_in_cell_ && !IsWrapper(tag.name)) {
      AddContentTag(tag);
    }
  }

  void BeginCell(const HtmlTag& tag) {
    if (!std::exchange(is_in_row_, true)) row_has_cells_ = false;
    cell_ = {};
    cell_.colspan = SpanOf(tag.attributes, "colspan");
    cell_.rowspan = SpanOf(tag.attributes, "rowspan");
    is_in_cell_ = true;
  }

  // Text so far belongs before the tag.
  void FlushText() {
    const std::u32string folded = FoldText(DecodeEntities(text_));
    const auto is_blank = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
    const bool has_gap_before = !text_.empty() && is_blank(text_.front());
    const bool has_gap_after = !text_.empty() && is_blank(text_.back());
    if (has_gap_before && !cell_.content.empty() && cell_.content.back() != U' ') {
      cell_.content += U' ';
    }
    cell_.content += folded;
    if (has_gap_after && !folded.empty()) cell_.content += U' ';
    text_.clear();
  }

  void AddContentTag(const HtmlTag& tag) {
    FlushText();
    if (tag.is_closing) return CloseContent(tag.name);
    ++tree_.num_elements;
    cell_.content += ValueOfTag(tag.name, false);
    if (IsVoid(tag.name)) {
      cell_.content += ValueOfTag(tag.name, true);
    } else {
      open_.push_back(tag.name);
    }
  }

  // Closes the element of this name inside the cell and what is open in it; one that was never
  // opened is left out.
  void CloseContent(std::string_view name) {
    if (std::find(open_.begin(), open_.end(), name) == open_.end()) return;
    bool is_closed = false;
    while (!is_closed) {
      is_closed = open_.back() == name;
      cell_.content += ValueOfTag(open_.back(), true);
      open_.pop_back();
    }
  }

  void EndCell() {
    if (!std::exchange(is_in_cell_, false)) return;
    nested_ = 0;
    FlushText();
    while (!open_.empty()) CloseContent(open_.front());
    while (!cell_.content.empty() && cell_.content.back() == U' ') cell_.content.pop_back();
    cell_.kind = TableNode::Kind::kCell;
    if (!std::exchange(row_has_cells_, true)) first_of_row_ = static_cast<int>(tree_.nodes.size());
    AddNode(std::move(cell_), static_cast<int>(tree_.nodes.size()));
    ++tree_.num_elements;
  }

  void EndRow() {
    EndCell();
    if (!std::exchange(is_in_row_, false)) return;
    const auto index = static_cast<int>(tree_.nodes.size());
    AddNode({.kind = TableNode::Kind::kRow},
            std::exchange(row_has_cells_, false) ? first_of_row_ : index);
    ++tree_.num_elements;
  }

  void EndTable() {
    EndRow();
    AddNode({.kind = TableNode::Kind::kTable}, 0);
    is_in_table_ = false;
    is_done_ = true;
  }

  void AddNode(TableNode node, int leftmost) {
    node.leftmost = leftmost;
    tree_.nodes.push_back(std::move(node));
  }

  const std::string_view html_;
  TableTree tree_;
  TableNode cell_;
  std::string text_;               // of the cell, since its last tag
  std::vector<std::string> open_;  // elements inside the cell
  int nested_ = 0;                 // depth of tables inside the cell
  int first_of_row_ = 0;
  bool row_has_cells_ = false;
  bool is_in_table_ = false;
  bool is_in_row_ = false;
  bool is_in_cell_ = false;
  bool is_done_ = false;
};

}  // namespace

TableTree ReadTableTree(std::string_view html) { return TableReader(html).Read(); }

}  // namespace octavo
