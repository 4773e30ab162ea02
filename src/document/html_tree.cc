#include "document/html_tree.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "base/utf8.h"
#include "document/text_lines.h"
#include "document/white_space.h"

namespace octavo {
namespace {

constexpr int kMaxDepth = 100;

constexpr struct {
  std::string_view name;
  std::string_view text;
} kEntities[] = {{"amp", "&"},
                 {"lt", "<"},
                 {"gt", ">"},
                 {"quot", "\""},
                 {"apos", "'"},
                 {"nbsp", "\xC2\xA0"},
                 {"copy", "\xC2\xA9"},
                 {"deg", "\xC2\xB0"},
                 {"plusmn", "\xC2\xB1"},
                 {"middot", "\xC2\xB7"},
                 {"times", "\xC3\x97"},
                 {"ndash", "\xE2\x80\x93"},
                 {"mdash", "\xE2\x80\x94"},
                 {"hellip", "\xE2\x80\xA6"},
                 {"le", "\xE2\x89\xA4"},
                 {"ge", "\xE2\x89\xA5"}};

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool IsVoid(std::string_view name) {
  constexpr std::string_view kVoid[] = {"area",  "base", "br",   "col",   "embed",  "hr",    "img",
                                        "input", "link", "meta", "param", "source", "track", "wbr"};
  return std::find(std::begin(kVoid), std::end(kVoid), name) != std::end(kVoid);
}

// Of "#38" or "#x26" without their ends; 0 if it is no character.
char32_t CharacterOfNumber(std::string_view digits) {
  const bool is_hex = digits.size() > 1 && (digits[1] == 'x' || digits[1] == 'X');
  digits.remove_prefix(is_hex ? 2 : 1);
  uint32_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value, is_hex ? 16 : 10);
  const bool is_scalar = value > 0 && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
  return result.ec == std::errc() && result.ptr == end && is_scalar ? value : 0;
}

std::string DecodeEntities(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const size_t end = text[i] == '&' ? text.find(';', i) : std::string_view::npos;
    if (end == std::string_view::npos || end - i > 10) {
      out += text[i++];
      continue;
    }
    const std::string_view name = text.substr(i + 1, end - i - 1);
    const auto* entity = std::find_if(std::begin(kEntities), std::end(kEntities),
                                      [&](const auto& e) { return e.name == name; });
    const char32_t character = !name.empty() && name[0] == '#' ? CharacterOfNumber(name) : 0;
    if (entity != std::end(kEntities)) {
      out += entity->text;
    } else if (character != 0) {
      AppendUtf8(character, &out);
    } else {
      out += text[i++];
      continue;
    }
    i = end + 1;
  }
  return out;
}

// A repeated attribute has its last value.
void SetAttribute(std::string_view name, std::string value, HtmlNode* element) {
  for (auto& attribute : element->attributes) {
    if (attribute.first != name) continue;
    attribute.second = std::move(value);
    return;
  }
  element->attributes.emplace_back(name, std::move(value));
}

class Parser {
 public:
  explicit Parser(std::string_view html) : html_(html), root_(std::make_unique<HtmlNode>()) {
    current_ = root_.get();
  }

  std::unique_ptr<HtmlNode> Parse() {
    size_t text_begin = 0;
    for (size_t i = html_.find('<'); i != std::string_view::npos;) {
      const size_t end = TagEnd(i);
      if (end == std::string_view::npos) {
        i = html_.find('<', i + 1);
        continue;
      }
      AddText(html_.substr(text_begin, i - text_begin));
      AddTag(html_.substr(i, end - i));
      text_begin = end;
      i = html_.find('<', end);
    }
    AddText(html_.substr(text_begin));
    return std::move(root_);
  }

 private:
  // Behind the ">" of the tag or comment at `begin`; npos if there is none.
  size_t TagEnd(size_t begin) const {
    if (html_.substr(begin, 4) == "<!--") {
      const size_t end = html_.find("-->", begin + 4);
      return end == std::string_view::npos ? end : end + 3;
    }
    if (last_end_ == std::string_view::npos || begin > last_end_) return std::string_view::npos;
    size_t i = begin + 1;
    if (i < html_.size() && html_[i] == '/') ++i;
    if (i >= html_.size() || !IsLetter(html_[i])) return std::string_view::npos;
    char quote = 0;
    for (; i < html_.size(); ++i) {
      const char c = html_[i];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if ((c == '"' || c == '\'') && html_[i - 1] == '=') {
        quote = c;
      } else if (c == '>') {
        return i + 1;
      }
    }
    return std::string_view::npos;
  }

  HtmlNode* Add(HtmlNode::Kind kind) {
    auto node = std::make_unique<HtmlNode>();
    node->kind = kind;
    node->parent = current_;
    current_->children.push_back(std::move(node));
    return current_->children.back().get();
  }

  void AddText(std::string_view text) {
    if (!text.empty()) Add(HtmlNode::Kind::kText)->text = DecodeEntities(text);
  }

  // `tag` is the whole of it, from "<" to ">".
  void AddTag(std::string_view tag) {
    if (tag.substr(0, 4) == "<!--") {
      Add(HtmlNode::Kind::kComment)->text = tag.substr(4, tag.size() - 7);
      return;
    }
    tag = tag.substr(1, tag.size() - 2);
    const bool is_end = tag[0] == '/';
    if (is_end) tag.remove_prefix(1);
    size_t length = 0;
    while (length < tag.size() && tag[length] != '/' &&
           !IsSpace(static_cast<unsigned char>(tag[length]))) {
      ++length;
    }
    const std::string name = LowerAscii(tag.substr(0, length));
    if (is_end) {
      Close(name);
      return;
    }
    HtmlNode* element = Add(HtmlNode::Kind::kElement);
    element->name = name;
    const bool is_closed = tag.back() == '/';
    AddAttributes(tag.substr(length), element);
    if (is_closed || IsVoid(name) || depth_ >= kMaxDepth) return;
    current_ = element;
    ++depth_;
  }

  void Close(std::string_view name) {
    int steps = 0;
    for (HtmlNode* node = current_; node->parent != nullptr; node = node->parent) {
      ++steps;
      if (node->name != name) continue;
      current_ = node->parent;
      depth_ -= steps;
      return;
    }
  }

  static void AddAttributes(std::string_view text, HtmlNode* element) {
    constexpr std::string_view kSpace = " \t\r\n\f/";
    while (true) {
      text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
      if (text.empty()) return;
      const size_t name =
          std::max<size_t>(1, std::min(text.find_first_of(" \t\r\n\f/="), text.size()));
      std::string key = LowerAscii(text.substr(0, name));
      text.remove_prefix(name);
      std::string value;
      const size_t equals = std::min(text.find_first_not_of(" \t\r\n\f"), text.size());
      if (equals < text.size() && text[equals] == '=') {
        text.remove_prefix(equals + 1);
        value = DecodeEntities(TakeValue(&text));
      }
      SetAttribute(key, std::move(value), element);
    }
  }

  static std::string_view TakeValue(std::string_view* text) {
    text->remove_prefix(std::min(text->find_first_not_of(" \t\r\n\f"), text->size()));
    const char first = text->empty() ? '\0' : text->front();
    const bool is_quoted = first == '"' || first == '\'';
    if (is_quoted) text->remove_prefix(1);
    const size_t end =
        std::min(is_quoted ? text->find(first) : text->find_first_of(" \t\r\n\f"), text->size());
    const std::string_view value = text->substr(0, end);
    text->remove_prefix(std::min(end + (is_quoted ? 1 : 0), text->size()));
    return value;
  }

  std::string_view html_;
  size_t last_end_ = html_.rfind('>');  // no tag ends behind it
  std::unique_ptr<HtmlNode> root_;
  HtmlNode* current_ = nullptr;  // where the next node goes
  int depth_ = 0;
};

void CollectText(const HtmlNode& node, std::string* out) {
  if (node.kind == HtmlNode::Kind::kText) *out += node.text;
  for (const auto& child : node.children) CollectText(*child, out);
}

void Collect(HtmlNode& node, const std::vector<std::string_view>& names,
             std::vector<HtmlNode*>* found) {
  for (const auto& child : node.children) {
    if (child->kind != HtmlNode::Kind::kElement) continue;
    if (std::find(names.begin(), names.end(), child->name) != names.end()) {
      found->push_back(child.get());
    }
    Collect(*child, names, found);
  }
}

}  // namespace

std::unique_ptr<HtmlNode> ParseHtml(std::string_view html) { return Parser(html).Parse(); }

std::string TextOf(const HtmlNode& node) {
  std::string out;
  CollectText(node, &out);
  return out;
}

std::vector<HtmlNode*> FindAll(HtmlNode& node, const std::vector<std::string_view>& names) {
  std::vector<HtmlNode*> found;
  Collect(node, names, &found);
  return found;
}

int SpanOf(const HtmlNode& cell, std::string_view attribute, int limit) {
  for (const auto& pair : cell.attributes) {
    if (pair.first != attribute) continue;
    const std::string_view digits = TrimSpace(pair.second);
    int value = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (result.ec == std::errc::result_out_of_range) return limit;
    const bool is_number = result.ec == std::errc() && result.ptr == digits.data() + digits.size();
    return is_number ? std::clamp(value, 1, limit) : 1;
  }
  return 1;
}

}  // namespace octavo
