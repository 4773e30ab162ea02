// Vocabulary: the bytes of every token, by id, and the id of given bytes.
#ifndef OCTAVO_TEXT_VOCABULARY_H_
#define OCTAVO_TEXT_VOCABULARY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace octavo {

// Ids may have holes; no two ids have the same bytes. Const and safe from any thread.
class Vocabulary {
 public:
  Vocabulary() = default;

  // Tokens in any order: id and bytes. `num_ids`: one more than the largest id.
  // REQUIRES: ids in [0, num_ids), each once; bytes not empty, together below 2^32.
  // Sets *duplicate to an id whose bytes another id has too; nullopt if there is none. The
  // vocabulary is fit for use only in that case.
  Vocabulary(const std::vector<std::pair<int32_t, std::string>>& tokens, int32_t num_ids,
             std::optional<int32_t>* duplicate);

  // Empty for an id without a token, and for any other number.
  std::string_view Bytes(int32_t id) const noexcept;
  std::optional<int32_t> Find(std::string_view bytes) const noexcept;
  int32_t num_ids() const noexcept;
  size_t memory_bytes() const noexcept;

 private:
  // The slot of the token with these bytes, or the empty one where it would be put.
  size_t FindSlot(std::string_view bytes) const noexcept;

  std::string bytes_;              // of all tokens, by id
  std::vector<uint32_t> offsets_;  // [num_ids + 1] into bytes_
  std::vector<int32_t> slots_;     // open addressing, a power of two; kEmptySlot or an id
};

}  // namespace octavo

#endif  // OCTAVO_TEXT_VOCABULARY_H_
