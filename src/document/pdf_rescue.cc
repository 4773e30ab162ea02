#include "document/pdf_rescue.h"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/str_cat.h"

namespace octavo {
namespace {

constexpr size_t kMaxObjects = 1'000'000;
constexpr int kMaxNumber = 8'388'607;  // of an object; Source: PDF 1.7, annex C
constexpr size_t kMaxTrailerBytes = size_t{64} << 10;
constexpr size_t kMaxInflatedBytes = size_t{64} << 20;  // of all object streams
constexpr size_t kMaxStreams = 100'000;
constexpr size_t kMaxKidsBytes = size_t{4} << 20;
constexpr size_t kMaxInheritedBytes = size_t{1} << 20;  // of one value

bool IsSpace(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == '\0';
}
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsRegular(char c) {
  return !IsSpace(c) && std::string_view("()<>[]{}/%").find(c) == std::string_view::npos;
}

void SkipSpace(std::string_view* text) {
  while (!text->empty() && IsSpace(text->front())) text->remove_prefix(1);
}

std::optional<int> TakeInt(std::string_view* text) {
  SkipSpace(text);
  int value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || value < 0) return std::nullopt;
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return value;
}

// What stands behind `key` (a name with its slash), wherever it is in the dictionary.
std::optional<std::string_view> BehindKey(std::string_view dictionary, std::string_view key) {
  for (size_t at = dictionary.find(key); at != std::string_view::npos;
       at = dictionary.find(key, at + 1)) {
    std::string_view rest = dictionary.substr(at + key.size());
    if (!rest.empty() && IsRegular(rest.front())) continue;  // a longer name
    SkipSpace(&rest);
    return rest;
  }
  return std::nullopt;
}

bool HasType(std::string_view dictionary, std::string_view type) {
  std::string_view rest = dictionary;
  // A dictionary inside may have a type of its own before the one that is meant.
  while (const auto value = BehindKey(rest, "/Type")) {
    if (value->substr(0, type.size()) == type &&
        (value->size() == type.size() || !IsRegular((*value)[type.size()]))) {
      return true;
    }
    rest = *value;
  }
  return false;
}

// The value at the front of `text`: a bracketed one, or what goes up to the next name or the end of
// the dictionary (numbers, references).
std::string_view ValueAt(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '[' || c == '<') ++depth;
    if (c == ']' || c == '>') --depth;
    if (depth < 0 || (depth == 0 && c == '/' && i > 0)) return text.substr(0, i);
    if (depth == 0 && (c == ']' || c == '>')) return text.substr(0, i + 1);
  }
  return {};
}

// "12 0 R" at the front of `text`; empty if there is none.
std::string_view ReferenceAt(std::string_view text) {
  std::string_view rest = text;
  if (!TakeInt(&rest) || !TakeInt(&rest)) return {};
  SkipSpace(&rest);
  if (rest.empty() || rest.front() != 'R') return {};
  rest.remove_prefix(1);
  if (!rest.empty() && IsRegular(rest.front())) return {};
  return text.substr(0, text.size() - rest.size());
}

// One entry of an array that is no reference, whatever it is. REQUIRES: !text.empty().
std::string_view EntryAt(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '/' && i == 0) continue;
    if (c == '[' || c == '<' || c == '(') ++depth;
    if (c == ']' || c == '>' || c == ')') --depth;
    if (depth <= 0 && (i + 1 == text.size() || !IsRegular(c) || !IsRegular(text[i + 1]))) {
      return text.substr(0, i + 1);
    }
  }
  return text;
}

// The entries of /Kids, "[…]", each of them a reference: others become one to the object `absent`.
// "" if all are references already or the array has no end.
std::string MendKids(std::string_view kids, int absent) {
  constexpr int kMaxMended = 1000;
  if (kids.size() < 2 || kids.front() != '[' || kids.back() != ']') return "";
  kids = kids.substr(1, kids.size() - 2);
  std::string mended;
  int num_mended = 0;
  for (SkipSpace(&kids); !kids.empty() && num_mended < kMaxMended; SkipSpace(&kids)) {
    const std::string_view reference = ReferenceAt(kids);
    if (reference.empty()) {
      kids.remove_prefix(EntryAt(kids).size());
      mended += StrCat(absent, " 0 R ");
      ++num_mended;
    } else {
      kids.remove_prefix(reference.size());
      mended += StrCat(reference, " ");
    }
  }
  return num_mended == 0 ? "" : StrCat("[", mended, "]");
}

struct Object {
  std::string_view body;  // the dictionary and, of an object outside streams, what follows it
  bool is_in_stream = false;
  size_t order = 0;  // of the file
};

// The number of the object whose keyword "obj" stands at `at`; nothing if there is none.
std::optional<int> NumberBefore(std::string_view bytes, size_t at) {
  size_t i = at;
  const auto skip = [&](auto is_kind) {
    const size_t from = i;
    while (i > 0 && from - i < 12 && is_kind(bytes[i - 1])) --i;
    return from - i;
  };
  if (skip(IsSpace) == 0 || skip(IsDigit) == 0 || skip(IsSpace) == 0) return std::nullopt;
  const size_t end = i;
  if (skip(IsDigit) == 0) return std::nullopt;
  std::string_view digits = bytes.substr(i, end - i);
  const std::optional<int> number = TakeInt(&digits);
  if (!number || *number == 0 || *number > kMaxNumber) return std::nullopt;
  return number;
}

class Rescuer {
 public:
  // Streams lie behind one another, so that together they have fewer bytes than the file; twice
  // that leaves room for damage.
  explicit Rescuer(std::string_view bytes) : bytes_(bytes), num_left_(2 * bytes.size()) {}

  std::string Tail(PdfRescue rescue) {
    FindObjects();
    if (is_encrypted_) return "";
    // poppler takes a word for part of the number before it, one line end or not.
    std::string tail = "\n\n";
    for (const auto& [number, object] : objects_) {
      if (!object.is_in_stream) continue;
      tail += StrCat(number, " 0 obj\n", object.body, "\nendobj\n");
    }
    if (rescue == PdfRescue::kMendedKids && !AddMendedTree(&tail)) return "";
    const int root = rescue == PdfRescue::kAllPages ? AddCatalog(&tail) : FindCatalog();
    if (root == 0) return "";
    tail += StrCat("trailer\n<</Size ", LastNumber() + 3, "/Root ", root,
                   " 0 R>>\nstartxref\n0\n%%EOF\n");
    return tail;
  }

 private:
  void FindObjects() {
    size_t next = 0;
    for (size_t at = bytes_.find("obj"); at != std::string_view::npos; at = next) {
      // The keyword of the next object, or within "endobj": no dictionary goes beyond it.
      next = bytes_.find("obj", at + 3);
      const std::optional<int> number = NumberBefore(bytes_, at);
      if (!number || objects_.size() >= kMaxObjects) continue;
      const std::string_view body =
          bytes_.substr(at + 3, next == std::string_view::npos ? next : next - at - 3);
      const size_t stream = body.find("stream");
      const std::string_view dictionary = body.substr(0, stream);
      if (HasType(dictionary, "/XRef") && BehindKey(dictionary, "/Encrypt")) is_encrypted_ = true;
      objects_[*number] = {dictionary, false, ++order_};
      if (stream != std::string_view::npos && HasType(dictionary, "/ObjStm")) {
        ReadObjectStream(dictionary, bytes_.substr(at + 3 + stream + 6));
      }
    }
    const size_t trailer = bytes_.rfind("trailer");
    if (trailer != std::string_view::npos &&
        BehindKey(bytes_.substr(trailer, kMaxTrailerBytes), "/Encrypt")) {
      is_encrypted_ = true;
    }
  }

  // `data`: what follows the keyword "stream"; deflated bytes say themselves where they end.
  void ReadObjectStream(std::string_view dictionary, std::string_view data) {
    auto count_text = BehindKey(dictionary, "/N");
    auto first_text = BehindKey(dictionary, "/First");
    if (!count_text || !first_text || !BehindKey(dictionary, "/FlateDecode")) return;
    const std::optional<int> count = TakeInt(&*count_text);
    const std::optional<int> first = TakeInt(&*first_text);
    if (!count || !first || inflated_.size() >= kMaxStreams) return;
    if (data.substr(0, 1) == "\r") data.remove_prefix(1);
    if (data.substr(0, 1) == "\n") data.remove_prefix(1);
    inflated_.push_back(Inflate(data));
    const std::string_view text = inflated_.back();
    std::string_view index = text.substr(0, std::min(text.size(), static_cast<size_t>(*first)));
    std::optional<std::pair<int, size_t>> previous;  // number and offset
    for (int i = 0; i <= *count && objects_.size() < kMaxObjects; ++i) {
      const std::optional<int> number = i < *count ? TakeInt(&index) : kMaxNumber;
      const std::optional<int> offset = i < *count ? TakeInt(&index) : std::nullopt;
      const bool is_last = !number || !offset;
      const size_t begin =
          is_last ? text.size() : static_cast<size_t>(*first) + static_cast<size_t>(*offset);
      // Offsets ascend (PDF 1.7, 7.5.7); otherwise bodies would overlap and grow without bound.
      if (previous && begin < previous->second) return;
      // An object whose end was cut off is not taken.
      if (previous && begin <= text.size() && begin > previous->second && (!is_last || is_whole_)) {
        objects_[previous->first] = {text.substr(previous->second, begin - previous->second), true,
                                     ++order_};
      }
      if (is_last || *number == 0 || *number > kMaxNumber) return;
      previous = {*number, begin};
    }
  }

  // As far as it goes; is_whole_ tells whether the end was reached.
  std::string Inflate(std::string_view data) {
    std::string out;
    is_whole_ = false;
    z_stream state{};
    if (inflateInit(&state) != Z_OK) return out;
    state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
    state.avail_in = static_cast<uInt>(std::min({data.size(), num_left_, size_t{1} << 30}));
    char chunk[16384];
    int result = Z_OK;
    while (result == Z_OK && num_inflated_ < kMaxInflatedBytes) {
      state.next_out = reinterpret_cast<Bytef*>(chunk);
      state.avail_out = sizeof chunk;
      result = inflate(&state, Z_NO_FLUSH);
      const size_t got = sizeof chunk - state.avail_out;
      out.append(chunk, got);
      num_inflated_ += got;
    }
    num_left_ -= state.total_in;
    inflateEnd(&state);
    out.shrink_to_fit();
    is_whole_ = result == Z_STREAM_END;
    return out;
  }

  int LastNumber() const { return objects_.empty() ? 0 : objects_.rbegin()->first; }

  // Of the catalog that was written last; 0 if there is none.
  int FindCatalog() const {
    int found = 0;
    size_t order = 0;
    for (const auto& [number, object] : objects_) {
      if (object.order <= order || !HasType(object.body, "/Catalog")) continue;
      if (!BehindKey(object.body, "/Pages")) continue;
      found = number;
      order = object.order;
    }
    return found;
  }

  // Writes a tree of all pages and a catalog; returns the catalog's number, or 0 without pages.
  int AddCatalog(std::string* tail) const {
    std::vector<std::pair<size_t, int>> pages;
    std::string inherited;
    for (const auto& [number, object] : objects_) {
      if (HasType(object.body, "/Page")) pages.emplace_back(object.order, number);
      if (inherited.empty() && HasType(object.body, "/Pages")) inherited = Inheritable(object.body);
    }
    if (pages.empty()) return 0;
    std::sort(pages.begin(), pages.end());
    const int tree = LastNumber() + 1;
    std::string kids;
    for (const auto& [order, number] : pages) kids += StrCat(number, " 0 R ");
    *tail += StrCat(tree, " 0 obj\n<</Type/Pages/Count ", pages.size(), inherited, "/Kids[", kids,
                    "]>>\nendobj\n", tree + 1, " 0 obj\n<</Type/Catalog/Pages ", tree,
                    " 0 R>>\nendobj\n");
    return tree + 1;
  }

  // Writes the nodes of the tree of pages anew whose entries are not all references. False if there
  // is none.
  bool AddMendedTree(std::string* tail) const {
    bool is_mended = false;
    for (const auto& [number, object] : objects_) {
      if (!HasType(object.body, "/Pages")) continue;
      const auto rest = BehindKey(object.body, "/Kids");
      if (!rest) continue;
      const std::string_view kids = ValueAt(rest->substr(0, kMaxKidsBytes));
      const std::string mended = MendKids(kids, LastNumber() + 1);
      if (mended.empty()) continue;
      const auto begin = static_cast<size_t>(kids.data() - object.body.data());
      // Behind the dictionary comes "endobj", cut to "end".
      std::string_view behind = object.body.substr(begin + kids.size());
      behind = behind.substr(0, std::min(behind.size(), behind.rfind(">>") + 2));
      *tail +=
          StrCat(number, " 0 obj\n", object.body.substr(0, begin), mended, behind, "\nendobj\n");
      is_mended = true;
    }
    return is_mended;
  }

  // What pages take from the tree above them.
  static std::string Inheritable(std::string_view dictionary) {
    std::string entries;
    for (const std::string_view key : {"/MediaBox", "/CropBox", "/Rotate", "/Resources"}) {
      const auto rest = BehindKey(dictionary, key);
      if (!rest) continue;
      const std::string_view value = ValueAt(rest->substr(0, kMaxInheritedBytes));
      if (!value.empty()) entries += StrCat(key, " ", value);
    }
    return entries;
  }

  std::string_view bytes_;
  std::map<int, Object> objects_;  // by number; of several the last in the file
  std::list<std::string> inflated_;
  size_t num_inflated_ = 0;
  size_t num_left_;  // bytes of the file that may yet be inflated
  size_t order_ = 0;
  bool is_whole_ = false;  // the stream inflated last
  bool is_encrypted_ = false;
};

}  // namespace

std::string RescuePdfTail(std::string_view bytes, PdfRescue rescue) {
  return Rescuer(bytes).Tail(rescue);
}

}  // namespace octavo
