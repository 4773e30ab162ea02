#include "formats/safetensors_writer.h"

#include <cstring>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/check.h"

namespace octavo {
namespace {

size_t BytesOf(const TensorInfo& info) {
  return static_cast<size_t>(info.shape.num_elements()) * DTypeSize(info.dtype);
}

// Length field and header; the data area that follows starts at a multiple of 8.
std::string MakeHeader(const std::vector<TensorInfo>& tensors) {
  nlohmann::ordered_json header;
  header["__metadata__"] = {{"format", "pt"}};
  size_t offset = 0;
  for (const TensorInfo& info : tensors) {
    std::vector<int64_t> dims;
    dims.reserve(kMaxRank);
    for (int i = 0; i < info.shape.rank(); ++i) dims.push_back(info.shape[i]);
    const size_t end = offset + BytesOf(info);
    header[info.name] = {
        {"dtype", DTypeName(info.dtype)}, {"shape", dims}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string json = header.dump();
  json.resize((json.size() + 7) / 8 * 8, ' ');
  const uint64_t length = json.size();
  std::string out(sizeof length, '\0');
  std::memcpy(out.data(), &length, sizeof length);
  return out + json;
}

}  // namespace

SafetensorsWriter::SafetensorsWriter(const std::filesystem::path& path,
                                     std::vector<TensorInfo> tensors)
    : tensors_(std::move(tensors)), file_(path) {
  const std::string header = MakeHeader(tensors_);
  file_.Append(header);
  file_bytes_ = header.size();
}

void SafetensorsWriter::Append(std::span<const std::byte> bytes) {
  OCTAVO_CHECK(next_ < tensors_.size());
  const TensorInfo& info = tensors_[next_++];
  OCTAVO_CHECK(bytes.size() == BytesOf(info), info.name);
  file_.Append({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  file_bytes_ += bytes.size();
}

void SafetensorsWriter::Commit() {
  OCTAVO_CHECK(next_ == tensors_.size());
  file_.Commit();
}

}  // namespace octavo
