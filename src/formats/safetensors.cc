#include "formats/safetensors.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "base/json.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "octavo/error.h"

namespace octavo {
namespace {

using Json = nlohmann::json;

constexpr size_t kLengthBytes = 8;
// The reference's limit: a longer header is no safetensors file.
constexpr uint64_t kFormatHeaderLimit = 100'000'000;
// Ours: some 200,000 tensors. A parsed header takes many times its length in memory.
constexpr uint64_t kHeaderLimit = uint64_t{32} << 20;

[[noreturn]] void ThrowDamaged(std::string_view where, const std::string& what) {
  throw Error(ErrorCode::kDataLoss, StrCat(PrintableName(where), ": ", what));
}

// What is said of one tensor, for messages.
std::string Place(std::string_view name) { return StrCat("tensor '", PrintableName(name), "'"); }

uint64_t HeaderLength(std::span<const std::byte> file, std::string_view where) {
  if (file.size() < kLengthBytes) {
    ThrowDamaged(where, StrCat("file of ", file.size(), " bytes, a safetensors file has at least ",
                               kLengthBytes));
  }
  uint64_t length = 0;
  std::memcpy(&length, file.data(), kLengthBytes);
  if (length > kFormatHeaderLimit) {
    ThrowDamaged(where, StrCat("header length ", length, ", safetensors allows at most ",
                               kFormatHeaderLimit));
  }
  if (length > file.size() - kLengthBytes) {
    ThrowDamaged(where,
                 StrCat("header of ", length, " bytes in a file of ", file.size(), " bytes"));
  }
  if (length > kHeaderLimit) {
    throw Error(ErrorCode::kResourceExhausted,
                StrCat(PrintableName(where), ": header of ", length, " bytes, at most ",
                       kHeaderLimit, " are read"));
  }
  return length;
}

// Reads the header's entries one by one; `where` and the data area's size are the same for all.
class EntryReader {
 public:
  EntryReader(std::string_view where, size_t data_begin, size_t data_bytes)
      : where_(where), data_begin_(data_begin), data_bytes_(data_bytes) {}

  SafetensorsEntry Read(const std::string& name, const Json& entry) const {
    if (!entry.is_object()) Throw(name, "entry is not an object");
    SafetensorsEntry out;
    out.info.name = name;
    out.info.dtype = ReadDType(name, entry);
    const size_t num_bytes = ReadShape(name, entry, &out.info);
    const Json& offsets = Field(name, entry, "data_offsets");
    if (!offsets.is_array() || offsets.size() != 2) {
      Throw(name, "data_offsets is not an array of two numbers");
    }
    const uint64_t begin = Unsigned(name, offsets[0], "data_offsets");
    const uint64_t end = Unsigned(name, offsets[1], "data_offsets");
    if (begin > end || end > data_bytes_) {
      Throw(name, StrCat("data_offsets [", begin, ", ", end, "] in a data area of ", data_bytes_,
                         " bytes"));
    }
    if (end - begin != num_bytes) {
      Throw(name,
            StrCat("data_offsets hold ", end - begin, " bytes, dtype ", DTypeName(out.info.dtype),
                   " and shape ", out.info.shape.ToString(), " need ", num_bytes));
    }
    out.begin = data_begin_ + static_cast<size_t>(begin);
    out.end = data_begin_ + static_cast<size_t>(end);
    return out;
  }

 private:
  [[noreturn]] void Throw(const std::string& name, const std::string& what) const {
    ThrowDamaged(where_, StrCat(Place(name), ": ", what));
  }

  const Json& Field(const std::string& name, const Json& entry, const char* key) const {
    const auto found = entry.find(key);
    if (found == entry.end()) Throw(name, StrCat("entry has no ", key));
    return *found;
  }

  uint64_t Unsigned(const std::string& name, const Json& value, const char* field) const {
    if (!value.is_number_unsigned()) {
      Throw(name, StrCat(field, " holds something else than a whole number of 0 or more"));
    }
    return value.get<uint64_t>();
  }

  DType ReadDType(const std::string& name, const Json& entry) const {
    const Json& field = Field(name, entry, "dtype");
    if (!field.is_string()) Throw(name, "dtype is not a string");
    const auto& text = field.get_ref<const std::string&>();
    const auto dtype = ParseDType(text);
    if (!dtype) {
      throw Error(ErrorCode::kUnsupported,
                  StrCat(PrintableName(where_), ": ", Place(name), ": dtype '",
                         PrintableName(text, 24), "' is none that octavo reads"));
    }
    return *dtype;
  }

  // Sets the shape and returns the bytes that it and the dtype need.
  size_t ReadShape(const std::string& name, const Json& entry, TensorInfo* info) const {
    const Json& field = Field(name, entry, "shape");
    if (!field.is_array()) Throw(name, "shape is not an array");
    if (field.size() > static_cast<size_t>(kMaxRank)) {
      throw Error(ErrorCode::kUnsupported,
                  StrCat(PrintableName(where_), ": ", Place(name), ": ", field.size(),
                         " dimensions, at most ", kMaxRank, " are read"));
    }
    std::vector<int64_t> dims;
    // Zeros make the product 0 whatever the others are, so these are multiplied too.
    uint64_t num_bytes = DTypeSize(info->dtype);
    bool is_empty = false;
    for (const Json& value : field) {
      const uint64_t dim = Unsigned(name, value, "shape");
      uint64_t factor = dim;
      if (dim == 0) {
        is_empty = true;
        factor = 1;
      }
      constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
      if (factor > kMax || __builtin_mul_overflow(num_bytes, factor, &num_bytes) ||
          num_bytes > kMax) {
        Throw(name, "the product of its dimensions overflows");
      }
      dims.push_back(static_cast<int64_t>(dim));
    }
    info->shape = Shape(dims);
    return is_empty ? 0 : static_cast<size_t>(num_bytes);
  }

  std::string_view where_;
  size_t data_begin_;
  size_t data_bytes_;
};

void CheckMetadata(const Json& metadata, std::string_view where) {
  if (!metadata.is_object()) ThrowDamaged(where, "__metadata__ is not an object");
  for (const auto& item : metadata.items()) {
    if (!item.value().is_string()) {
      ThrowDamaged(where, StrCat("__metadata__ '", PrintableName(item.key()), "' is not a string"));
    }
  }
}

// REQUIRES: entries sorted by begin.
void CheckCoverage(const std::vector<SafetensorsEntry>& entries, size_t data_begin,
                   size_t file_size, std::string_view where) {
  size_t covered = data_begin;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.begin != covered) {
      ThrowDamaged(where, StrCat(Place(entry.info.name), ": begins at file offset ", entry.begin,
                                 ", the tensor before it ends at ", covered,
                                 entry.begin < covered ? " (overlap)" : " (hole)"));
    }
    covered = entry.end;
  }
  if (covered != file_size) {
    ThrowDamaged(where, StrCat("the last tensor ends at file offset ", covered, ", the file has ",
                               file_size, " bytes"));
  }
}

}  // namespace

std::vector<SafetensorsEntry> ParseSafetensors(std::span<const std::byte> file,
                                               std::string_view where) {
  const uint64_t length = HeaderLength(file, where);
  const std::string_view header(reinterpret_cast<const char*>(file.data()) + kLengthBytes,
                                static_cast<size_t>(length));
  if (header.empty() || header[0] != '{') {
    ThrowDamaged(where, "the header does not start with '{'");
  }
  // Entries nest three deep; one more leaves room for an exact message.
  const Json json = ParseJson(header, where, {.max_bytes = header.size(), .max_depth = 4});
  const size_t data_begin = kLengthBytes + static_cast<size_t>(length);
  const EntryReader reader(where, data_begin, file.size() - data_begin);
  std::vector<SafetensorsEntry> entries;
  entries.reserve(json.size());
  for (const auto& item : json.items()) {
    if (item.key() == "__metadata__") {
      CheckMetadata(item.value(), where);
    } else {
      entries.push_back(reader.Read(item.key(), item.value()));
    }
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
                     return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
                   });
  CheckCoverage(entries, data_begin, file.size(), where);
  return entries;
}

SafetensorsFile::SafetensorsFile(MappedFile file)
    : file_(std::move(file)), entries_(ParseSafetensors(file_.bytes(), file_.path().native())) {}

std::shared_ptr<const SafetensorsFile> SafetensorsFile::Open(const std::filesystem::path& path) {
  return std::shared_ptr<const SafetensorsFile>(new SafetensorsFile(MappedFile::Open(path)));
}

LoadedTensor SafetensorsFile::Load(const std::shared_ptr<const SafetensorsFile>& self,
                                   const SafetensorsEntry& entry) {
  const auto range = self->file_.bytes().subspan(entry.begin, entry.end - entry.begin);
  LoadedTensor tensor;
  tensor.view = {range.data(), entry.info.dtype, entry.info.shape};
  tensor.owner = std::shared_ptr<const void>(
      range.data(), [self, range](const void*) { self->file_.Release(range); });
  return tensor;
}

}  // namespace octavo
