#include "formats/gguf_writer.h"

#include <utility>

#include "base/check.h"
#include "formats/gguf.h"

namespace octavo {
namespace {

constexpr size_t kAlignment = 32;

template <typename T>
void AppendNumber(T value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof value);
}

void AppendString(std::string_view text, std::string* out) {
  AppendNumber(uint64_t{text.size()}, out);
  out->append(text);
}

void AppendType(GgufValueType type, std::string* out) {
  AppendNumber(static_cast<uint32_t>(type), out);
}

template <typename T>
void AppendNumbers(GgufValueType type, std::span<const T> numbers, std::string* out) {
  AppendType(GgufValueType::kArray, out);
  AppendType(type, out);
  AppendNumber(uint64_t{numbers.size()}, out);
  for (const T number : numbers) AppendNumber(number, out);
}

size_t BytesOf(const GgufTarget& target) {
  const int64_t count = target.shape.num_elements();
  OCTAVO_CHECK(count % target.type->block_elements == 0, target.name);
  return static_cast<size_t>(count / target.type->block_elements * target.type->block_bytes);
}

size_t Aligned(size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

std::string MakeHeader(const GgufMetadata& metadata, const std::vector<GgufTarget>& targets) {
  std::string header = "GGUF";
  AppendNumber(uint32_t{3}, &header);
  AppendNumber(uint64_t{targets.size()}, &header);
  AppendNumber(metadata.count(), &header);
  header += metadata.bytes();
  uint64_t offset = 0;
  for (const GgufTarget& target : targets) {
    AppendString(target.name, &header);
    const int rank = target.shape.rank();
    AppendNumber(static_cast<uint32_t>(rank), &header);
    for (int i = rank - 1; i >= 0; --i) {
      AppendNumber(static_cast<uint64_t>(target.shape[i]), &header);
    }
    AppendNumber(target.type->id, &header);
    AppendNumber(offset, &header);
    offset += Aligned(BytesOf(target));
  }
  header.resize(Aligned(header.size()), '\0');
  return header;
}

}  // namespace

void GgufMetadata::AddText(std::string_view key, std::string_view text) {
  AppendString(key, &bytes_);
  AppendType(GgufValueType::kString, &bytes_);
  AppendString(text, &bytes_);
  ++count_;
}

void GgufMetadata::AddU32(std::string_view key, uint32_t number) {
  AppendString(key, &bytes_);
  AppendType(GgufValueType::kU32, &bytes_);
  AppendNumber(number, &bytes_);
  ++count_;
}

void GgufMetadata::AddF32(std::string_view key, float number) {
  AppendString(key, &bytes_);
  AppendType(GgufValueType::kF32, &bytes_);
  AppendNumber(number, &bytes_);
  ++count_;
}

void GgufMetadata::AddBool(std::string_view key, bool flag) {
  AppendString(key, &bytes_);
  AppendType(GgufValueType::kBool, &bytes_);
  AppendNumber(static_cast<uint8_t>(flag ? 1 : 0), &bytes_);
  ++count_;
}

void GgufMetadata::AddTexts(std::string_view key, std::span<const std::string> texts) {
  AppendString(key, &bytes_);
  AppendType(GgufValueType::kArray, &bytes_);
  AppendType(GgufValueType::kString, &bytes_);
  AppendNumber(uint64_t{texts.size()}, &bytes_);
  for (const std::string& text : texts) AppendString(text, &bytes_);
  ++count_;
}

void GgufMetadata::AddI32s(std::string_view key, std::span<const int32_t> numbers) {
  AppendString(key, &bytes_);
  AppendNumbers(GgufValueType::kI32, numbers, &bytes_);
  ++count_;
}

void GgufMetadata::AddF32s(std::string_view key, std::span<const float> numbers) {
  AppendString(key, &bytes_);
  AppendNumbers(GgufValueType::kF32, numbers, &bytes_);
  ++count_;
}

GgufWriter::GgufWriter(const std::filesystem::path& path, const GgufMetadata& metadata,
                       std::vector<GgufTarget> targets)
    : targets_(std::move(targets)), file_(path) {
  AppendText(MakeHeader(metadata, targets_));
}

void GgufWriter::AppendText(std::string_view bytes) {
  file_.Append(bytes);
  file_bytes_ += bytes.size();
}

void GgufWriter::Append(std::span<const std::byte> bytes) {
  OCTAVO_CHECK(next_ < targets_.size());
  const GgufTarget& target = targets_[next_++];
  OCTAVO_CHECK(bytes.size() == BytesOf(target), target.name);
  AppendText({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  AppendText(std::string(Aligned(bytes.size()) - bytes.size(), '\0'));
}

void GgufWriter::Commit() {
  OCTAVO_CHECK(next_ == targets_.size());
  file_.Commit();
}

}  // namespace octavo
