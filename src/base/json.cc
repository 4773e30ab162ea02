#include "base/json.h"

#include <limits>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "base/utf8.h"
#include "octavo/error.h"

namespace octavo {
namespace {

using Json = nlohmann::json;

[[noreturn]] void ThrowDamaged(std::string_view where, const std::string& what) {
  throw Error(ErrorCode::kDataLoss, StrCat(PrintableName(where), ": ", what));
}

// Builds the value event by event. nlohmann's own builder accepts duplicate keys and any depth;
// its event parser keeps its nesting on the heap, so that depth is ours to limit.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(std::string_view where, int max_depth) : where_(where), max_depth_(max_depth) {}

  Json TakeRoot() { return std::move(root_); }

  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(number_integer_t value) override { return Add(value); }
  bool number_unsigned(number_unsigned_t value) override { return Add(value); }
  bool number_float(number_float_t value, const string_t&) override { return Add(value); }
  bool string(string_t& value) override { return Add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // never sent for JSON text

  bool start_object(std::size_t) override { return Open(Json::object()); }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t) override { return Open(Json::array()); }
  bool end_array() override { return Close(); }

  bool key(string_t& name) override {
    auto& object = open_.back()->get_ref<Json::object_t&>();
    const auto [position, inserted] = object.try_emplace(name);
    if (!inserted) ThrowDamaged(where_, StrCat("duplicate key '", PrintableName(name), "'"));
    slot_ = &position->second;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    // 406: a number that no double holds. The library's own text quotes the input; ours does not.
    const char* what = error.id == 406 ? "number out of range" : "not valid JSON";
    ThrowDamaged(where_, StrCat(what, " at byte ", position));
  }

 private:
  // The place of the next value: the root, the pending key's, or a new array element.
  Json* Place(Json&& value) {
    Json* place = nullptr;
    if (open_.empty()) {
      place = &root_;
    } else if (open_.back()->is_array()) {
      auto& array = open_.back()->get_ref<Json::array_t&>();
      array.emplace_back();
      place = &array.back();
    } else {
      place = slot_;
    }
    *place = std::move(value);
    return place;
  }

  bool Add(Json value) {
    Place(std::move(value));
    return true;
  }

  bool Open(Json value) {
    if (open_.size() >= static_cast<size_t>(max_depth_)) {
      ThrowDamaged(where_, StrCat("JSON nested deeper than ", max_depth_, " levels"));
    }
    open_.push_back(Place(std::move(value)));
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  std::string_view where_;
  int max_depth_;
  Json root_;
  // Containers that are not closed yet. Only the innermost grows, so the pointers stay valid.
  std::vector<Json*> open_;
  Json* slot_ = nullptr;
};

}  // namespace

nlohmann::json ParseJson(std::string_view text, std::string_view where, JsonLimits limits) {
  if (text.size() > limits.max_bytes) {
    throw Error(ErrorCode::kResourceExhausted,
                StrCat(PrintableName(where), ": JSON of ", text.size(), " bytes, at most ",
                       limits.max_bytes, " are read"));
  }
  // The library takes a NUL byte for the end of the text.
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos) {
    ThrowDamaged(where, StrCat("not valid JSON: NUL at byte ", nul));
  }
  Builder builder(where, limits.max_depth);
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) {
    ThrowDamaged(where, "not valid JSON");
  }
  return builder.TakeRoot();
}

}  // namespace octavo
