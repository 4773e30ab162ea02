#include "formats/gguf.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include "base/str_cat.h"
#include "base/utf8.h"
#include "octavo/error.h"

namespace octavo {
namespace {

constexpr uint64_t kDefaultAlignment = 32;
constexpr uint64_t kMaxAlignment = uint64_t{1} << 16;
constexpr uint64_t kMaxKeyBytes = 65535;
constexpr uint64_t kMaxNameBytes = 64;
constexpr uint32_t kMaxDims = 4;
constexpr int kMaxArrayDepth = 4;

// Bytes of a fixed-size value; 0 for strings, arrays and unknown types.
size_t FixedSize(GgufValueType type) {
  switch (type) {
    case GgufValueType::kU8:
    case GgufValueType::kI8:
    case GgufValueType::kBool:
      return 1;
    case GgufValueType::kU16:
    case GgufValueType::kI16:
      return 2;
    case GgufValueType::kU32:
    case GgufValueType::kI32:
    case GgufValueType::kF32:
      return 4;
    case GgufValueType::kU64:
    case GgufValueType::kI64:
    case GgufValueType::kF64:
      return 8;
    case GgufValueType::kString:
    case GgufValueType::kArray:
      return 0;
  }
  return 0;
}

// A position in the file that cannot leave it. Every count from the file is compared with the
// bytes that are left before anything is allocated or skipped.
class Cursor {
 public:
  Cursor(std::span<const std::byte> file, std::string_view where) : file_(file), where_(where) {}

  [[noreturn]] void Damaged(const std::string& what) const {
    throw Error(ErrorCode::kDataLoss, StrCat(PrintableName(where_, 400), ": ", what));
  }
  [[noreturn]] void Unsupported(const std::string& what) const {
    throw Error(ErrorCode::kUnsupported, StrCat(PrintableName(where_, 400), ": ", what));
  }

  size_t offset() const { return offset_; }
  size_t left() const { return file_.size() - offset_; }

  std::span<const std::byte> Take(uint64_t count, const char* what) {
    if (count > left()) {
      Damaged(StrCat("ends inside ", what, ": ", count, " bytes at offset ", offset_, " of ",
                     file_.size()));
    }
    const auto bytes = file_.subspan(offset_, static_cast<size_t>(count));
    offset_ += static_cast<size_t>(count);
    return bytes;
  }

  template <typename T>
  T Read(const char* what) {
    T value;
    std::memcpy(&value, Take(sizeof(T), what).data(), sizeof(T));
    return value;
  }

  std::string_view String(const char* what) {
    const auto length = Read<uint64_t>(what);
    const auto bytes = Take(length, what);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  // A string that names something: short, not empty, valid UTF-8.
  std::string_view NameString(const char* what, uint64_t max_bytes) {
    const std::string_view name = String(what);
    if (name.empty() || name.size() > max_bytes || !IsValidUtf8(name)) {
      Damaged(StrCat(what, " '", PrintableName(name), "' of ", name.size(),
                     " bytes, expected UTF-8 of 1 to ", max_bytes, " bytes"));
    }
    return name;
  }

  std::string_view where() const { return where_; }

 private:
  std::span<const std::byte> file_;
  std::string_view where_;
  size_t offset_ = 0;
};

GgufValueType ReadValueType(Cursor* cursor) {
  const auto type = cursor->Read<uint32_t>("a value type");
  if (type > static_cast<uint32_t>(GgufValueType::kF64)) {
    cursor->Damaged(
        StrCat("value type ", type, " at offset ", cursor->offset() - 4, ", GGUF has 0 to 12"));
  }
  return static_cast<GgufValueType>(type);
}

void CheckBool(Cursor* cursor, std::byte value) {
  if (value > std::byte{1}) {
    cursor->Damaged(
        StrCat("a bool of value ", static_cast<int>(value), " before offset ", cursor->offset()));
  }
}

// Checks the elements and leaves them where they are. Depth counts nested arrays.
GgufArray ReadArray(Cursor* cursor, int depth) {
  if (depth > kMaxArrayDepth) {
    cursor->Damaged(StrCat("arrays nested deeper than ", kMaxArrayDepth));
  }
  GgufArray array;
  array.element_type = ReadValueType(cursor);
  array.count = cursor->Read<uint64_t>("an array length");
  const size_t begin = cursor->offset();
  // The bytes that the shortest element takes: a string's length, an array's type and length.
  const size_t fixed = FixedSize(array.element_type);
  const size_t smallest = fixed != 0                                     ? fixed
                          : array.element_type == GgufValueType::kString ? 8
                                                                         : 12;
  if (array.count > cursor->left() / smallest) {
    cursor->Damaged(StrCat("an array of ", array.count, " elements at offset ", begin, ", ",
                           cursor->left(), " bytes are left"));
  }
  Cursor inside = *cursor;
  if (fixed != 0) {
    array.bytes = inside.Take(array.count * fixed, "an array");
    if (array.element_type == GgufValueType::kBool) {
      for (const std::byte value : array.bytes) CheckBool(&inside, value);
    }
  } else {
    for (uint64_t i = 0; i < array.count; ++i) {
      if (array.element_type == GgufValueType::kString) {
        inside.String("a string of an array");
      } else {
        ReadArray(&inside, depth + 1);
      }
    }
    array.bytes = cursor->Take(inside.offset() - begin, "an array");
  }
  *cursor = inside;
  return array;
}

GgufValue ReadValue(Cursor* cursor) {
  GgufValue out;
  out.type = ReadValueType(cursor);
  constexpr char kWhat[] = "a value";
  switch (out.type) {
    case GgufValueType::kU8:
      out.value = uint64_t{cursor->Read<uint8_t>(kWhat)};
      break;
    case GgufValueType::kI8:
      out.value = int64_t{cursor->Read<int8_t>(kWhat)};
      break;
    case GgufValueType::kU16:
      out.value = uint64_t{cursor->Read<uint16_t>(kWhat)};
      break;
    case GgufValueType::kI16:
      out.value = int64_t{cursor->Read<int16_t>(kWhat)};
      break;
    case GgufValueType::kU32:
      out.value = uint64_t{cursor->Read<uint32_t>(kWhat)};
      break;
    case GgufValueType::kI32:
      out.value = int64_t{cursor->Read<int32_t>(kWhat)};
      break;
    case GgufValueType::kF32:
      out.value = double{cursor->Read<float>(kWhat)};
      break;
    case GgufValueType::kBool: {
      const auto value = cursor->Read<std::byte>(kWhat);
      CheckBool(cursor, value);
      out.value = value == std::byte{1};
      break;
    }
    case GgufValueType::kString:
      out.value = cursor->String("a string value");
      break;
    case GgufValueType::kArray:
      out.value = ReadArray(cursor, 1);
      break;
    case GgufValueType::kU64:
      out.value = cursor->Read<uint64_t>(kWhat);
      break;
    case GgufValueType::kI64:
      out.value = cursor->Read<int64_t>(kWhat);
      break;
    case GgufValueType::kF64:
      out.value = cursor->Read<double>(kWhat);
      break;
  }
  return out;
}

using Values = std::vector<std::pair<std::string_view, GgufValue>>;

Values ReadValues(Cursor* cursor, uint64_t count) {
  // A pair has at least a key's length, one byte of key, a type and one byte of value.
  constexpr uint64_t kSmallestPair = 8 + 1 + 4 + 1;
  if (count > cursor->left() / kSmallestPair) {
    cursor->Damaged(StrCat("kv_count ", count, ", ", cursor->left(), " bytes are left"));
  }
  Values values;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string_view key = cursor->NameString("a key", kMaxKeyBytes);
    values.emplace_back(key, ReadValue(cursor));
  }
  const auto by_key = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::sort(values.begin(), values.end(), by_key);
  const auto twice =
      std::adjacent_find(values.begin(), values.end(),
                         [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice != values.end()) {
    cursor->Damaged(StrCat("key '", PrintableName(twice->first), "' is there twice"));
  }
  return values;
}

const GgufValue* Find(const Values& values, std::string_view key) {
  const auto found = std::lower_bound(
      values.begin(), values.end(), key,
      [](const auto& pair, std::string_view wanted) { return pair.first < wanted; });
  return found != values.end() && found->first == key ? &found->second : nullptr;
}

uint64_t Alignment(const Values& values, const Cursor& cursor) {
  const GgufValue* value = Find(values, "general.alignment");
  if (value == nullptr) return kDefaultAlignment;
  const uint64_t alignment =
      value->type == GgufValueType::kU32 ? std::get<uint64_t>(value->value) : 0;
  const bool is_power_of_two = alignment != 0 && (alignment & (alignment - 1)) == 0;
  if (!is_power_of_two || alignment > kMaxAlignment) {
    cursor.Damaged(StrCat("general.alignment ", alignment, ", expected a u32 power of two up to ",
                          kMaxAlignment));
  }
  return alignment;
}

// A row of the tensor table; its bytes are known when the data area's begin is.
struct TableRow {
  GgufTensor tensor;
  uint64_t offset = 0;
  uint64_t num_bytes = 0;
};

TableRow ReadTableRow(Cursor* cursor) {
  TableRow row;
  row.tensor.name = cursor->NameString("a tensor name", kMaxNameBytes);
  const std::string place = StrCat("tensor '", PrintableName(row.tensor.name), "': ");
  const auto num_dims = cursor->Read<uint32_t>("a tensor's dimensions");
  if (num_dims < 1 || num_dims > kMaxDims) {
    cursor->Damaged(StrCat(place, num_dims, " dimensions, expected 1 to ", kMaxDims));
  }
  std::vector<int64_t> dims;
  uint64_t num_elements = 1;
  for (uint32_t i = 0; i < num_dims; ++i) {
    const auto dim = cursor->Read<uint64_t>("a tensor's dimensions");
    // 2^56 elements of 8 bytes still fit 64 bits.
    if (dim < 1 || __builtin_mul_overflow(num_elements, dim, &num_elements) ||
        num_elements > (uint64_t{1} << 56)) {
      cursor->Damaged(StrCat(place, "dimension ", dim, " or the number of elements out of range"));
    }
    dims.push_back(static_cast<int64_t>(dim));
  }
  const auto type_id = cursor->Read<uint32_t>("a tensor's type");
  row.tensor.type = FindGgufTensorType(type_id);
  if (row.tensor.type == nullptr) {
    cursor->Unsupported(StrCat(place, "tensor type ", type_id, " is none that octavo knows"));
  }
  const GgufTensorType& type = *row.tensor.type;
  if (dims[0] % type.block_elements != 0) {
    cursor->Damaged(StrCat(place, "rows of ", dims[0], " elements, ", type.name, " has blocks of ",
                           type.block_elements));
  }
  row.num_bytes = num_elements / static_cast<uint64_t>(type.block_elements) *
                  static_cast<uint64_t>(type.block_bytes);
  row.offset = cursor->Read<uint64_t>("a tensor's offset");
  std::reverse(dims.begin(), dims.end());
  row.tensor.shape = Shape(dims);
  return row;
}

std::vector<TableRow> ReadTable(Cursor* cursor, uint64_t count) {
  // Name length, one byte of name, one dimension, type and offset.
  constexpr uint64_t kSmallestRow = 8 + 1 + 4 + 8 + 4 + 8;
  if (count > cursor->left() / kSmallestRow) {
    cursor->Damaged(StrCat("tensor_count ", count, ", ", cursor->left(), " bytes are left"));
  }
  std::vector<TableRow> rows;
  std::set<std::string_view> names;
  rows.reserve(static_cast<size_t>(count));  // bounded by the file's size above
  for (uint64_t i = 0; i < count; ++i) {
    rows.push_back(ReadTableRow(cursor));
    if (!names.insert(rows.back().tensor.name).second) {
      cursor->Damaged(
          StrCat("tensor '", PrintableName(rows.back().tensor.name), "' is there twice"));
    }
  }
  return rows;
}

// Gives every row its bytes; refuses rows that leave the data area or overlap.
std::vector<GgufTensor> PlaceTensors(std::vector<TableRow> rows, std::span<const std::byte> data,
                                     uint64_t alignment, const Cursor& cursor) {
  for (TableRow& row : rows) {
    const std::string place = StrCat("tensor '", PrintableName(row.tensor.name), "': ");
    if (row.offset % alignment != 0) {
      cursor.Damaged(StrCat(place, "offset ", row.offset, " is no multiple of ", alignment));
    }
    if (row.offset > data.size() || row.num_bytes > data.size() - row.offset) {
      cursor.Damaged(StrCat(place, row.num_bytes, " bytes at offset ", row.offset,
                            " of a data area of ", data.size(), " bytes"));
    }
    row.tensor.bytes =
        data.subspan(static_cast<size_t>(row.offset), static_cast<size_t>(row.num_bytes));
  }
  std::vector<const TableRow*> order;
  order.reserve(rows.size());
  for (const TableRow& row : rows) order.push_back(&row);
  std::sort(order.begin(), order.end(),
            [](const TableRow* a, const TableRow* b) { return a->offset < b->offset; });
  for (size_t i = 1; i < order.size(); ++i) {
    if (order[i - 1]->offset + order[i - 1]->num_bytes > order[i]->offset) {
      cursor.Damaged(StrCat("tensors '", PrintableName(order[i - 1]->tensor.name), "' and '",
                            PrintableName(order[i]->tensor.name), "' overlap"));
    }
  }
  std::vector<GgufTensor> tensors;
  tensors.reserve(rows.size());
  for (TableRow& row : rows) tensors.push_back(std::move(row.tensor));
  return tensors;
}

uint32_t ReadVersion(Cursor* cursor) {
  const auto magic = cursor->Take(4, "the magic");
  if (std::memcmp(magic.data(), "GGUF", 4) != 0) cursor->Damaged("no GGUF file: wrong magic");
  const auto version = cursor->Read<uint32_t>("the version");
  if (version == 2 || version == 3) return version;
  if ((version & 0xFFFFu) == 0) {
    cursor->Unsupported("big-endian GGUF, octavo reads little-endian");
  }
  cursor->Unsupported(StrCat("GGUF version ", version, ", octavo reads 2 and 3"));
}

std::string Architecture(const Values& values, const Cursor& cursor) {
  const GgufValue* value = Find(values, "general.architecture");
  if (value == nullptr) cursor.Damaged("no general.architecture");
  if (value->type != GgufValueType::kString) cursor.Damaged("general.architecture is not a string");
  const std::string_view name = std::get<std::string_view>(value->value);
  if (name != "qwen2vl" && name != "clip") {
    cursor.Unsupported(
        StrCat("architecture '", PrintableName(name, 64), "', octavo reads qwen2vl and clip"));
  }
  return std::string(name);
}

}  // namespace

Gguf Gguf::Parse(std::span<const std::byte> file, std::string_view where) {
  Cursor cursor(file, where);
  Gguf out;
  out.version_ = ReadVersion(&cursor);
  const auto tensor_count = cursor.Read<uint64_t>("tensor_count");
  const auto kv_count = cursor.Read<uint64_t>("kv_count");
  out.values_ = ReadValues(&cursor, kv_count);
  out.architecture_ = Architecture(out.values_, cursor);
  const uint64_t alignment = Alignment(out.values_, cursor);
  std::vector<TableRow> rows = ReadTable(&cursor, tensor_count);
  if (rows.empty()) cursor.Damaged("no tensors");
  const uint64_t padding = (alignment - cursor.offset() % alignment) % alignment;
  cursor.Take(padding, "the padding before the tensor data");
  out.tensors_ = PlaceTensors(std::move(rows), file.subspan(cursor.offset()), alignment, cursor);
  return out;
}

bool IsGgufFile(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  constexpr std::string_view kMagic = "GGUF";
  const MappedFile file = MappedFile::Open(path);
  return file.bytes().size() >= kMagic.size() &&
         std::memcmp(file.bytes().data(), kMagic.data(), kMagic.size()) == 0;
}

Gguf Gguf::Open(const std::filesystem::path& path) {
  MappedFile file = MappedFile::Open(path);
  Gguf out = Parse(file.bytes(), path.native());
  out.file_ = std::move(file);  // the mapping itself does not move
  return out;
}

const GgufValue* Gguf::FindValue(std::string_view key) const { return Find(values_, key); }

}  // namespace octavo
