// Table HTML as a tree, read tolerantly.
#ifndef OCTAVO_DOCUMENT_HTML_TREE_H_
#define OCTAVO_DOCUMENT_HTML_TREE_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace octavo {

// An element, a text or a comment. Owns what is in it.
struct HtmlNode {
  enum class Kind { kElement, kText, kComment };
  Kind kind = Kind::kElement;
  std::string name;  // elements: lower case; empty: the root
  std::string text;  // texts: with entities decoded; comments: as they stand
  std::vector<std::pair<std::string, std::string>> attributes;  // names in lower case
  std::vector<std::unique_ptr<HtmlNode>> children;
  HtmlNode* parent = nullptr;

  bool Is(std::string_view element) const { return kind == Kind::kElement && name == element; }
};

// Reads HTML as Python's html.parser with BeautifulSoup does for tables: nothing is closed or moved
// that the text does not close; an end without beginning is passed over. Elements deeper than 100
// become siblings. Named entities: those of XML, nbsp and the ones that models write; others stay
// as text. Never throws on what a model wrote.
std::unique_ptr<HtmlNode> ParseHtml(std::string_view html);

// All text in the node, in order.
std::string TextOf(const HtmlNode& node);

// Elements of these names in the node, at any depth, in order of their beginnings.
std::vector<HtmlNode*> FindAll(HtmlNode& node, const std::vector<std::string_view>& names);

// A number of an attribute such as colspan: 1 where it is absent or no number from 1; `limit` where
// it is larger.
int SpanOf(const HtmlNode& cell, std::string_view attribute, int limit);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_HTML_TREE_H_
