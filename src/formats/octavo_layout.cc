#include "formats/octavo_layout.h"

#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "base/xxh.h"
#include "octavo/error.h"

namespace octavo {
namespace {

constexpr uint64_t kMaxTexts = 256;
constexpr uint64_t kMaxTensors = 65536;
constexpr uint64_t kMaxNameBytes = 256;
constexpr uint64_t kMaxTextBytes = uint64_t{256} << 20;
// Of rows and of numbers a row; keeps every product far from 2^63.
constexpr int64_t kMaxPackedDim = int64_t{1} << 24;

// As stored; each field is little-endian and lies at its own size.
struct Header {
  char magic[8];
  uint32_t version;
  uint32_t num_texts;
  uint32_t num_tensors;
  uint32_t names_bytes;
  uint64_t index_bytes;
  uint64_t file_bytes;
  uint64_t reserved;
  uint64_t index_hash;
  uint64_t header_hash;  // of the 56 bytes before it
};
static_assert(sizeof(Header) == kOctavoHeaderBytes);

struct TextRecord {
  OctavoBytes bytes;
  uint32_t name_bytes;
  uint32_t reserved;
};
static_assert(sizeof(TextRecord) == 32);

struct TensorRecord {
  OctavoBytes bytes;
  uint32_t name_bytes;
  uint32_t encoding;  // kEncodings
  uint32_t rank;
  uint32_t group_size;     // 0 for formats without groups
  int64_t dims[kMaxRank];  // slowest first; unused ones are 0
  uint32_t scale_dtype;    // 0: none, 1: F16, 2: BF16
  uint32_t flags;          // 1: is_7bit
  uint64_t reserved;
};
static_assert(sizeof(TensorRecord) == 96);

constexpr uint32_t kVectorEncoding = 0;
constexpr uint32_t kFlag7Bit = 1;
constexpr std::pair<uint32_t, WeightFormat> kEncodings[] = {{1, WeightFormat::kF32},
                                                            {2, WeightFormat::kF16},
                                                            {3, WeightFormat::kBF16},
                                                            {4, WeightFormat::kW4},
                                                            {5, WeightFormat::kW8}};

uint64_t RoundUp(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes && IsValidUtf8(name) &&
         name.find('\0') == std::string_view::npos;
}

bool IsPlainFileName(std::string_view name) {
  return IsName(name) && name != "." && name != ".." &&
         name.find_first_of("/\\") == std::string_view::npos;
}

// Bytes of the tensor's data; a reason if version 0 cannot hold it.
struct SizeOrReason {
  uint64_t size = 0;
  std::string reason;
};

SizeOrReason TensorSize(const OctavoTensor& tensor) {
  const Shape& shape = tensor.shape;
  if (shape.rank() < 1) return {0, "a scalar, expected 1 to 5 dimensions"};
  uint64_t k = 1;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] < 1 || shape[i] > kMaxPackedDim) {
      return {0,
              StrCat("shape ", shape.ToString(), ", expected dimensions of 1 to ", kMaxPackedDim)};
    }
    // Below 2^48 in every step, so the product cannot wrap.
    if (i > 0) k *= static_cast<uint64_t>(shape[i]);
    if (k > static_cast<uint64_t>(kMaxPackedDim)) {
      return {0, StrCat("shape ", shape.ToString(), ", expected at most ", kMaxPackedDim,
                        " numbers a row")};
    }
  }
  if (!tensor.is_matrix()) return {static_cast<uint64_t>(shape[0]) * sizeof(float), ""};
  if (tensor.layout.n != shape[0] || tensor.layout.k != static_cast<int64_t>(k)) {
    return {0, StrCat("a layout of ", tensor.layout.n, " x ", tensor.layout.k, " and shape ",
                      shape.ToString())};
  }
  if (const char* reason = InvalidPackedLayout(tensor.layout)) return {0, reason};
  return {PackedBytes(tensor.layout), ""};
}

uint64_t NamesBytes(const OctavoIndex& index) {
  uint64_t bytes = 0;
  for (const OctavoText& text : index.texts) bytes += text.name.size();
  for (const OctavoTensor& tensor : index.tensors) bytes += tensor.name.size();
  return bytes;
}

uint64_t IndexBytes(uint64_t num_texts, uint64_t num_tensors, uint64_t names_bytes) {
  return num_texts * sizeof(TextRecord) + num_tensors * sizeof(TensorRecord) + names_bytes;
}

template <typename T>
void AppendBytes(const T& value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(T));
}

std::span<const std::byte> BytesOf(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

TensorRecord ToRecord(const OctavoTensor& tensor) {
  TensorRecord record{};
  record.bytes = tensor.bytes;
  record.name_bytes = static_cast<uint32_t>(tensor.name.size());
  record.rank = static_cast<uint32_t>(tensor.shape.rank());
  for (int i = 0; i < tensor.shape.rank(); ++i) record.dims[i] = tensor.shape[i];
  if (!tensor.is_matrix()) return record;
  for (const auto& [encoding, format] : kEncodings) {
    if (format == tensor.layout.format) record.encoding = encoding;
  }
  if (!tensor.layout.is_quantized()) return record;
  record.group_size = static_cast<uint32_t>(tensor.layout.group.group_size);
  record.scale_dtype = tensor.layout.group.scale_dtype == DType::kF16 ? 1 : 2;
  record.flags = tensor.layout.group.is_7bit ? kFlag7Bit : 0;
  return record;
}

// Reads the records one after another. Throws kDataLoss.
class IndexReader {
 public:
  IndexReader(std::span<const std::byte> file, std::string_view where)
      : file_(file), where_(where) {}

  OctavoIndex Read() {
    ReadHeader();
    OctavoIndex index;
    index.file_bytes = header_.file_bytes;
    index.index_end = kOctavoHeaderBytes + header_.index_bytes;
    // Counts were compared with the bytes that are there.
    index.texts.reserve(header_.num_texts);
    index.tensors.reserve(header_.num_tensors);
    names_ = kOctavoHeaderBytes + header_.index_bytes - header_.names_bytes;
    next_ = kOctavoHeaderBytes + header_.index_bytes;
    size_t at = kOctavoHeaderBytes;
    for (uint32_t i = 0; i < header_.num_texts; ++i, at += sizeof(TextRecord)) {
      index.texts.push_back(ReadText(Load<TextRecord>(at)));
    }
    names_seen_.clear();  // a tensor may be called as a file is
    for (uint32_t i = 0; i < header_.num_tensors; ++i, at += sizeof(TensorRecord)) {
      index.tensors.push_back(ReadTensor(Load<TensorRecord>(at)));
    }
    if (names_ != kOctavoHeaderBytes + header_.index_bytes) Damaged("names that belong to nothing");
    if (next_ != header_.file_bytes) {
      Damaged(StrCat("the last entry ends at ", next_, ", the file at ", header_.file_bytes));
    }
    return index;
  }

 private:
  [[noreturn]] void Damaged(const std::string& what) const {
    throw Error(ErrorCode::kDataLoss, StrCat(PrintableName(where_, 400), ": ", what));
  }
  [[noreturn]] void DamagedEntry(std::string_view name, const std::string& what) const {
    Damaged(StrCat("entry '", PrintableName(name), "': ", what));
  }

  template <typename T>
  T Load(size_t offset) const {
    T value;
    std::memcpy(&value, file_.data() + offset, sizeof(T));
    return value;
  }

  void ReadHeader() {
    if (file_.size() < kOctavoHeaderBytes) {
      Damaged(StrCat("file of ", file_.size(), " bytes, an .octavo file has at least ",
                     kOctavoHeaderBytes));
    }
    header_ = Load<Header>(0);
    if (std::string_view(header_.magic, sizeof(header_.magic)) != kOctavoMagic) {
      Damaged("does not begin as an .octavo file");
    }
    if (header_.version != kOctavoVersion) {
      throw Error(ErrorCode::kUnsupported,
                  StrCat(PrintableName(where_, 400), ": .octavo version ", header_.version,
                         ", this program reads version ", kOctavoVersion));
    }
    constexpr size_t kHashed = kOctavoHeaderBytes - sizeof(header_.header_hash);
    if (Xxh64(file_.first(kHashed)) != header_.header_hash) Damaged("the header is damaged");
    if (header_.file_bytes != file_.size()) {
      Damaged(StrCat("a file of ", header_.file_bytes, " bytes, of which ", file_.size(),
                     " are there"));
    }
    if (header_.reserved != 0) Damaged("a reserved field of the header is not 0");
    if (header_.num_texts > kMaxTexts || header_.num_tensors > kMaxTensors) {
      Damaged(StrCat(header_.num_texts, " texts and ", header_.num_tensors,
                     " tensors, expected at most ", kMaxTexts, " and ", kMaxTensors));
    }
    if (header_.index_bytes !=
            IndexBytes(header_.num_texts, header_.num_tensors, header_.names_bytes) ||
        header_.index_bytes > file_.size() - kOctavoHeaderBytes) {
      Damaged(StrCat("an index of ", header_.index_bytes, " bytes for ", header_.num_texts,
                     " texts and ", header_.num_tensors, " tensors"));
    }
    const auto index = file_.subspan(kOctavoHeaderBytes, header_.index_bytes);
    if (Xxh64(index) != header_.index_hash) Damaged("the index is damaged");
  }

  std::string ReadName(uint32_t name_bytes) {
    const size_t end = kOctavoHeaderBytes + header_.index_bytes;
    if (name_bytes > kMaxNameBytes || name_bytes > end - names_) {
      Damaged(StrCat("a name of ", name_bytes, " bytes where ", end - names_, " are left"));
    }
    std::string name(reinterpret_cast<const char*>(file_.data()) + names_, name_bytes);
    names_ += name_bytes;
    if (!IsName(name)) DamagedEntry(name, "no name");
    if (!names_seen_.insert(name).second) DamagedEntry(name, "is there twice");
    return name;
  }

  // The entry's bytes begin at the next multiple of `alignment` and end inside the file.
  void CheckPlace(std::string_view name, const OctavoBytes& bytes, uint64_t alignment) {
    next_ = RoundUp(next_, alignment);
    if (bytes.offset != next_) {
      DamagedEntry(name, StrCat("begins at ", bytes.offset, ", expected ", next_));
    }
    if (bytes.offset > file_.size() || bytes.size > file_.size() - bytes.offset) {
      DamagedEntry(name,
                   StrCat(bytes.size, " bytes at ", bytes.offset, " in a file of ", file_.size()));
    }
    next_ += bytes.size;
  }

  OctavoText ReadText(const TextRecord& record) {
    OctavoText text{ReadName(record.name_bytes), record.bytes};
    if (!IsPlainFileName(text.name)) DamagedEntry(text.name, "no plain file name");
    if (record.reserved != 0) DamagedEntry(text.name, "a reserved field is not 0");
    if (record.bytes.size > kMaxTextBytes) {
      DamagedEntry(text.name,
                   StrCat(record.bytes.size, " bytes, expected at most ", kMaxTextBytes));
    }
    CheckPlace(text.name, text.bytes, kOctavoTextAlignment);
    return text;
  }

  OctavoTensor ReadTensor(const TensorRecord& record) {
    OctavoTensor tensor;
    tensor.name = ReadName(record.name_bytes);
    tensor.bytes = record.bytes;
    if (record.rank < 1 || record.rank > static_cast<uint32_t>(kMaxRank)) {
      DamagedEntry(tensor.name, StrCat(record.rank, " dimensions, expected 1 to ", kMaxRank));
    }
    for (uint32_t i = record.rank; i < static_cast<uint32_t>(kMaxRank); ++i) {
      if (record.dims[i] != 0) DamagedEntry(tensor.name, "a dimension beyond its rank");
    }
    for (uint32_t i = 0; i < record.rank; ++i) {
      if (record.dims[i] < 1) {
        DamagedEntry(tensor.name, StrCat("dimension ", i, " is ", record.dims[i]));
      }
    }
    if (record.reserved != 0 || (record.flags & ~kFlag7Bit) != 0) {
      DamagedEntry(tensor.name, "a reserved field is not 0");
    }
    tensor.shape = Shape(std::span<const int64_t>(record.dims, record.rank));
    ReadLayout(record, &tensor);
    const SizeOrReason need = TensorSize(tensor);
    if (!need.reason.empty()) DamagedEntry(tensor.name, need.reason);
    if (need.size != record.bytes.size) {
      DamagedEntry(tensor.name, StrCat(record.bytes.size, " bytes, its shape ",
                                       tensor.shape.ToString(), " needs ", need.size));
    }
    CheckPlace(tensor.name, tensor.bytes, kOctavoTensorAlignment);
    return tensor;
  }

  void ReadLayout(const TensorRecord& record, OctavoTensor* tensor) const {
    const bool is_vector = record.encoding == kVectorEncoding;
    const auto* found = std::begin(kEncodings);
    while (found != std::end(kEncodings) && found->first != record.encoding) ++found;
    if (is_vector == tensor->is_matrix() || (!is_vector && found == std::end(kEncodings))) {
      DamagedEntry(tensor->name,
                   StrCat("encoding ", record.encoding, " for ", record.rank, " dimensions"));
    }
    PackedLayout& layout = tensor->layout;
    if (!is_vector) layout.format = found->second;
    if (is_vector || !layout.is_quantized()) {
      if (record.group_size != 0 || record.scale_dtype != 0 || record.flags != 0) {
        DamagedEntry(tensor->name, "groups, but no quantised encoding");
      }
    } else {
      if (record.scale_dtype != 1 && record.scale_dtype != 2) {
        DamagedEntry(tensor->name, StrCat("scale type ", record.scale_dtype, ", expected 1 or 2"));
      }
      if (record.group_size > static_cast<uint32_t>(std::numeric_limits<int>::max())) {
        DamagedEntry(tensor->name, StrCat("groups of ", record.group_size));
      }
      layout.group.bits = layout.format == WeightFormat::kW4 ? 4 : 8;
      layout.group.group_size = static_cast<int>(record.group_size);
      layout.group.scale_dtype = record.scale_dtype == 1 ? DType::kF16 : DType::kBF16;
      layout.group.is_7bit = (record.flags & kFlag7Bit) != 0;
    }
    if (is_vector) return;
    layout.n = tensor->shape[0];
    layout.k = 1;
    for (int i = 1; i < tensor->shape.rank(); ++i) {
      if (__builtin_mul_overflow(layout.k, tensor->shape[i], &layout.k)) {
        DamagedEntry(tensor->name, "the product of its dimensions overflows");
      }
    }
  }

  std::span<const std::byte> file_;
  std::string_view where_;
  Header header_{};
  size_t names_ = 0;   // where the next name begins
  uint64_t next_ = 0;  // where the entry before it ends
  std::set<std::string, std::less<>> names_seen_;
};

[[noreturn]] void Refuse(std::string_view name, const std::string& why) {
  throw Error(ErrorCode::kInvalidArgument,
              StrCat("'", PrintableName(name), "' cannot stand in an .octavo file: ", why));
}

}  // namespace

void PlaceOctavo(OctavoIndex* index) {
  if (index->texts.size() > kMaxTexts || index->tensors.size() > kMaxTensors) {
    Refuse("the model", StrCat(index->texts.size(), " texts and ", index->tensors.size(),
                               " tensors, at most ", kMaxTexts, " and ", kMaxTensors));
  }
  index->index_end = kOctavoHeaderBytes +
                     IndexBytes(index->texts.size(), index->tensors.size(), NamesBytes(*index));
  uint64_t next = index->index_end;
  for (OctavoText& text : index->texts) {
    if (!IsPlainFileName(text.name)) Refuse(text.name, "no plain file name");
    if (text.bytes.size > kMaxTextBytes) Refuse(text.name, StrCat(text.bytes.size, " bytes"));
    text.bytes.offset = RoundUp(next, kOctavoTextAlignment);
    next = text.bytes.offset + text.bytes.size;
  }
  for (OctavoTensor& tensor : index->tensors) {
    const SizeOrReason need = TensorSize(tensor);
    if (!IsName(tensor.name)) Refuse(tensor.name, "no name");
    if (!need.reason.empty()) Refuse(tensor.name, need.reason);
    tensor.bytes.offset = RoundUp(next, kOctavoTensorAlignment);
    tensor.bytes.size = need.size;
    next = tensor.bytes.offset + tensor.bytes.size;
  }
  index->file_bytes = next;
}

std::string WriteOctavoIndex(const OctavoIndex& index) {
  std::string records;
  for (const OctavoText& text : index.texts) {
    AppendBytes(TextRecord{text.bytes, static_cast<uint32_t>(text.name.size()), 0}, &records);
  }
  for (const OctavoTensor& tensor : index.tensors) AppendBytes(ToRecord(tensor), &records);
  for (const OctavoText& text : index.texts) records += text.name;
  for (const OctavoTensor& tensor : index.tensors) records += tensor.name;

  Header header{};
  std::memcpy(header.magic, kOctavoMagic.data(), sizeof(header.magic));
  header.version = kOctavoVersion;
  header.num_texts = static_cast<uint32_t>(index.texts.size());
  header.num_tensors = static_cast<uint32_t>(index.tensors.size());
  header.names_bytes = static_cast<uint32_t>(NamesBytes(index));
  header.index_bytes = records.size();
  header.file_bytes = index.file_bytes;
  header.index_hash = Xxh64(BytesOf(records));
  std::string out;
  AppendBytes(header, &out);
  header.header_hash = Xxh64(BytesOf(out).first(kOctavoHeaderBytes - sizeof(uint64_t)));
  out.clear();
  AppendBytes(header, &out);
  return out + records;
}

OctavoIndex ReadOctavoIndex(std::span<const std::byte> file, std::string_view where) {
  return IndexReader(file, where).Read();
}

}  // namespace octavo
