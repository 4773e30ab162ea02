#include "quantize/awq_journal.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "base/utf8.h"
#include "base/xxh.h"
#include "octavo/error.h"

namespace octavo {
namespace {

constexpr std::string_view kMagic{"octavoq\0", 8};
constexpr size_t kHeaderBytes = 64;
constexpr size_t kRecordHeadBytes = 16;
constexpr size_t kMaxJournalBytes = size_t{1} << 30;

void AppendU64(uint64_t value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof value);
}
void AppendText(std::string_view text, std::string* out) {
  AppendU64(text.size(), out);
  out->append(text);
}
void AppendFloats(const std::vector<float>& values, std::string* out) {
  AppendU64(values.size(), out);
  out->append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}
void AppendDouble(double value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Of a quantised matrix.
void AppendLayout(const PackedLayout& layout, std::string* out) {
  for (const int64_t value :
       {layout.n, layout.k, int64_t{layout.group.bits}, int64_t{layout.group.group_size},
        static_cast<int64_t>(layout.group.scale_dtype), int64_t{layout.group.is_7bit ? 1 : 0}}) {
    AppendU64(static_cast<uint64_t>(value), out);
  }
}

uint64_t HashOf(std::string_view bytes) {
  return Xxh64({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()});
}

// Takes values from the front of bytes that may be anything.
class Cursor {
 public:
  Cursor(std::string_view bytes, std::string_view where) : rest_(bytes), where_(where) {}

  bool at_end() const { return rest_.empty(); }
  uint64_t U64() { return Number<uint64_t>(); }
  double Double() { return Number<double>(); }
  std::string_view Bytes(uint64_t count) {
    if (count > rest_.size()) {
      throw Error(ErrorCode::kDataLoss, StrCat(where_, ": ends inside a record, expected ", count,
                                               " bytes, found ", rest_.size()));
    }
    const std::string_view bytes = rest_.substr(0, static_cast<size_t>(count));
    rest_.remove_prefix(static_cast<size_t>(count));
    return bytes;
  }
  std::string_view Text() { return Bytes(U64()); }
  std::vector<float> Floats() {
    const uint64_t count = U64();
    const std::string_view bytes =
        Bytes(count > kMaxJournalBytes ? kMaxJournalBytes + 1 : count * sizeof(float));
    std::vector<float> values(bytes.size() / sizeof(float));
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  PackedLayout Layout() {
    const auto n = static_cast<int64_t>(U64());
    const auto k = static_cast<int64_t>(U64());
    const uint64_t bits = U64();
    const uint64_t size = U64();
    const uint64_t dtype = U64();
    const uint64_t is_7bit = U64();
    GroupLayout group;
    group.bits = bits == 4 ? 4 : 8;
    group.group_size = static_cast<int>(std::min<uint64_t>(size, 1 << 20));
    group.scale_dtype = dtype == static_cast<uint64_t>(DType::kBF16) ? DType::kBF16 : DType::kF16;
    group.is_7bit = is_7bit == 1;
    PackedLayout layout;
    layout.format = group.bits == 4 ? WeightFormat::kW4 : WeightFormat::kW8;
    layout.n = n;
    layout.k = k;
    layout.group = group;
    constexpr int64_t kMost = int64_t{1} << 31;
    const char* reason = n > kMost || k > kMost   ? "too large"
                         : bits != 4 && bits != 8 ? "neither 4 nor 8 bits"
                                                  : InvalidPackedLayout(layout);
    if (reason != nullptr) {
      throw Error(ErrorCode::kDataLoss, StrCat(where_, ": a matrix that cannot be: ", reason));
    }
    return layout;
  }

 private:
  template <typename T>
  T Number() {
    T value;
    std::memcpy(&value, Bytes(sizeof value).data(), sizeof value);
    return value;
  }

  std::string_view rest_;
  std::string_view where_;
};

std::string Header(uint64_t key) {
  std::string header(kMagic);
  AppendU64(key, &header);
  header.resize(kHeaderBytes, '\0');
  return header;
}

}  // namespace

std::string WriteFinding(const AwqFinding& finding) {
  std::string out;
  AppendU64(finding.adjustments.size(), &out);
  for (const auto& [name, adjustment] : finding.adjustments) {
    AppendText(name, &out);
    AppendFloats(adjustment.columns, &out);
    AppendFloats(adjustment.clip, &out);
    AppendU64(static_cast<uint64_t>(adjustment.clip_group), &out);
    AppendFloats(adjustment.rows, &out);
    AppendText({reinterpret_cast<const char*>(adjustment.packed.data()), adjustment.packed.size()},
               &out);
    if (!adjustment.packed.empty()) AppendLayout(adjustment.packed_layout, &out);
  }
  AppendU64(finding.errors.size(), &out);
  for (const auto& [name, errors] : finding.errors) {
    AppendText(name, &out);
    AppendDouble(errors.nearest, &out);
    AppendDouble(errors.adjusted, &out);
  }
  return out;
}

AwqFinding ReadFinding(std::string_view bytes, std::string_view where) {
  Cursor cursor(bytes, where);
  AwqFinding finding;
  for (uint64_t count = cursor.U64(); count > 0; --count) {
    TensorAdjustment& adjustment = finding.adjustments[std::string(cursor.Text())];
    adjustment.columns = cursor.Floats();
    adjustment.clip = cursor.Floats();
    adjustment.clip_group = static_cast<int64_t>(cursor.U64());
    adjustment.rows = cursor.Floats();
    const std::string_view packed = cursor.Text();
    if (packed.empty()) continue;
    adjustment.packed.assign(reinterpret_cast<const std::byte*>(packed.data()),
                             reinterpret_cast<const std::byte*>(packed.data()) + packed.size());
    adjustment.packed_layout = cursor.Layout();
    if (PackedBytes(adjustment.packed_layout) != packed.size()) {
      throw Error(ErrorCode::kDataLoss,
                  StrCat(where, ": a matrix of ", packed.size(), " bytes, expected ",
                         PackedBytes(adjustment.packed_layout)));
    }
  }
  for (uint64_t count = cursor.U64(); count > 0; --count) {
    OutputErrors& errors = finding.errors[std::string(cursor.Text())];
    errors.nearest = cursor.Double();
    errors.adjusted = cursor.Double();
  }
  if (!cursor.at_end()) {
    throw Error(ErrorCode::kDataLoss, StrCat(where, ": bytes behind the end of a record"));
  }
  return finding;
}

AwqJournal::AwqJournal(const std::filesystem::path& path, uint64_t key, bool resume) : path_(path) {
  std::string bytes;
  std::error_code ignored;
  if (resume && std::filesystem::exists(path, ignored)) bytes = ReadFile(path, kMaxJournalBytes);
  const std::string header = Header(key);
  if (bytes.size() >= kHeaderBytes && bytes.compare(0, kHeaderBytes, header) != 0) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat(PrintableName(path.native(), 400),
                       ": of another model, other calibration pages or settings; --force begins "
                       "anew"));
  }
  if (bytes.size() >= kHeaderBytes) ReadRecords(bytes);
  std::string whole = header;
  for (const auto& [stage, finding] : findings_) {
    std::string content;
    AppendText(stage, &content);
    content += WriteFinding(finding);
    AppendU64(content.size(), &whole);
    AppendU64(HashOf(content), &whole);
    whole += content;
  }
  WriteFileAtomically(path, whole);
  file_ = std::make_unique<AppendedFile>(path);
}

void AwqJournal::ReadRecords(std::string_view bytes) {
  bytes.remove_prefix(kHeaderBytes);
  while (bytes.size() > kRecordHeadBytes) {
    uint64_t size;
    uint64_t hash;
    std::memcpy(&size, bytes.data(), sizeof size);
    std::memcpy(&hash, bytes.data() + sizeof size, sizeof hash);
    bytes.remove_prefix(kRecordHeadBytes);
    if (size > bytes.size()) return;  // cut short
    const std::string_view content = bytes.substr(0, static_cast<size_t>(size));
    if (HashOf(content) != hash) return;
    Cursor cursor(content, path_.native());
    const std::string_view stage = cursor.Text();
    findings_[std::string(stage)] =
        ReadFinding(content.substr(sizeof(uint64_t) + stage.size()), path_.native());
    bytes.remove_prefix(static_cast<size_t>(size));
  }
}

void AwqJournal::Append(const std::string& stage, AwqFinding finding) {
  std::string content;
  AppendText(stage, &content);
  content += WriteFinding(finding);
  std::string record;
  AppendU64(content.size(), &record);
  AppendU64(HashOf(content), &record);
  file_->Append(record + content);
  findings_[stage] = std::move(finding);
}

void AwqJournal::Remove() noexcept {
  file_.reset();
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace octavo
