#include "formats/octavo_writer.h"

#include "base/check.h"
#include "base/xxh.h"

namespace octavo {
namespace {

OctavoIndex MakeIndex(const std::vector<std::pair<std::string, std::string>>& texts,
                      std::vector<OctavoTensor> tensors) {
  OctavoIndex index;
  for (const auto& [name, content] : texts) index.texts.push_back({name, {0, content.size(), 0}});
  index.tensors = std::move(tensors);
  PlaceOctavo(&index);
  return index;
}

}  // namespace

OctavoWriter::OctavoWriter(const std::filesystem::path& path,
                           const std::vector<std::pair<std::string, std::string>>& texts,
                           std::vector<OctavoTensor> tensors)
    : index_(MakeIndex(texts, std::move(tensors))), file_(path) {
  // Holds the place; hashes are known at the end.
  const std::string head = WriteOctavoIndex(index_);
  file_.Append(head);
  written_ = head.size();
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string& content = texts[i].second;
    Place(&index_.texts[i].bytes,
          {reinterpret_cast<const std::byte*>(content.data()), content.size()});
  }
}

void OctavoWriter::Place(OctavoBytes* place, std::span<const std::byte> bytes) {
  OCTAVO_CHECK(bytes.size() == place->size, bytes.size(), " bytes, expected ", place->size);
  file_.Append(std::string(static_cast<size_t>(place->offset - written_), '\0'));
  file_.Append({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  place->hash = Xxh64(bytes);
  written_ = place->offset + place->size;
}

void OctavoWriter::Append(std::span<const std::byte> bytes) {
  OCTAVO_CHECK(next_ < index_.tensors.size());
  Place(&index_.tensors[next_++].bytes, bytes);
}

void OctavoWriter::Commit() {
  OCTAVO_CHECK(next_ == index_.tensors.size() && written_ == index_.file_bytes);
  file_.Overwrite(0, WriteOctavoIndex(index_));
  file_.Commit();
}

}  // namespace octavo
