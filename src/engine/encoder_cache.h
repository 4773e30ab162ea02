// EncoderCache: keeps what the vision tower made of pictures that were asked about last.
#ifndef OCTAVO_ENGINE_ENCODER_CACHE_H_
#define OCTAVO_ENGINE_ENCODER_CACHE_H_

#include <cstdint>
#include <list>
#include <memory>
#include <utility>

#include "base/xxh.h"
#include "model/vision_encoder.h"

namespace octavo {

using SharedEmbeddings = std::shared_ptr<const ImageEmbeddings>;

// Engine thread only. A few pictures: looked through one by one.
class EncoderCache {
 public:
  // Of all pictures together; 0: nothing is kept.
  explicit EncoderCache(int64_t max_tokens) : max_tokens_(max_tokens) {}

  // nullptr: not here. What is found counts as used last.
  SharedEmbeddings Find(const Xxh128Digest& picture) noexcept;
  // Drops those used longest ago until all fit. No effect if this one alone does not. Throws
  // std::bad_alloc. REQUIRES: Find does not find it.
  void Add(const Xxh128Digest& picture, SharedEmbeddings embeddings);

  int64_t num_tokens() const { return num_tokens_; }

 private:
  const int64_t max_tokens_;
  int64_t num_tokens_ = 0;
  std::list<std::pair<Xxh128Digest, SharedEmbeddings>> entries_;  // the last used first
};

}  // namespace octavo

#endif  // OCTAVO_ENGINE_ENCODER_CACHE_H_
