// The bytes of all tokens in one string, and a hash table of ids over it.
#include "text/vocabulary.h"

#include <bit>
#include <functional>

#include "base/check.h"

namespace octavo {
namespace {

constexpr int32_t kEmptySlot = -1;

}  // namespace

Vocabulary::Vocabulary(const std::vector<std::pair<int32_t, std::string>>& tokens, int32_t num_ids,
                       std::optional<int32_t>* duplicate) {
  duplicate->reset();
  OCTAVO_CHECK(num_ids >= 0, num_ids);
  std::vector<const std::string*> by_id(static_cast<size_t>(num_ids), nullptr);
  size_t num_bytes = 0;
  for (const auto& [id, bytes] : tokens) {
    OCTAVO_CHECK(id >= 0 && id < num_ids && !bytes.empty(), id);
    OCTAVO_CHECK(by_id[static_cast<size_t>(id)] == nullptr, id);
    by_id[static_cast<size_t>(id)] = &bytes;
    num_bytes += bytes.size();
  }
  OCTAVO_CHECK(num_bytes <= UINT32_MAX, num_bytes);

  bytes_.reserve(num_bytes);
  offsets_.reserve(by_id.size() + 1);
  offsets_.push_back(0);
  for (const std::string* bytes : by_id) {
    if (bytes != nullptr) bytes_ += *bytes;
    offsets_.push_back(static_cast<uint32_t>(bytes_.size()));
  }
  slots_.assign(std::bit_ceil(tokens.size() + tokens.size() / 3 + 2), kEmptySlot);
  for (int32_t id = 0; id < num_ids; ++id) {
    if (by_id[static_cast<size_t>(id)] == nullptr) continue;
    int32_t& slot = slots_[FindSlot(Bytes(id))];
    if (slot != kEmptySlot) *duplicate = id;
    slot = id;
  }
}

size_t Vocabulary::FindSlot(std::string_view bytes) const noexcept {
  size_t slot = std::hash<std::string_view>()(bytes) & (slots_.size() - 1);
  while (slots_[slot] != kEmptySlot && Bytes(slots_[slot]) != bytes) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

std::string_view Vocabulary::Bytes(int32_t id) const noexcept {
  if (id < 0 || id >= num_ids()) return {};
  const auto i = static_cast<size_t>(id);
  return std::string_view(bytes_).substr(offsets_[i], offsets_[i + 1] - offsets_[i]);
}

std::optional<int32_t> Vocabulary::Find(std::string_view bytes) const noexcept {
  if (slots_.empty()) return std::nullopt;
  const int32_t id = slots_[FindSlot(bytes)];
  if (id == kEmptySlot) return std::nullopt;
  return id;
}

int32_t Vocabulary::num_ids() const noexcept {
  return offsets_.empty() ? 0 : static_cast<int32_t>(offsets_.size() - 1);
}

size_t Vocabulary::memory_bytes() const noexcept {
  return bytes_.capacity() + offsets_.capacity() * sizeof(uint32_t) +
         slots_.capacity() * sizeof(int32_t);
}

}  // namespace octavo
