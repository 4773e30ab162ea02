#include "engine/encoder_cache.h"

#include <algorithm>

namespace octavo {

SharedEmbeddings EncoderCache::Find(const Xxh128Digest& picture) noexcept {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const auto& entry) { return entry.first == picture; });
  if (found == entries_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found);
  return found->second;
}

void EncoderCache::Add(const Xxh128Digest& picture, SharedEmbeddings embeddings) {
  const int64_t num_tokens = embeddings->num_tokens;
  if (num_tokens > max_tokens_) return;
  entries_.emplace_front(picture, std::move(embeddings));
  num_tokens_ += num_tokens;
  while (num_tokens_ > max_tokens_) {
    num_tokens_ -= entries_.back().second->num_tokens;
    entries_.pop_back();
  }
}

}  // namespace octavo
