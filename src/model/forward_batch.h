// ForwardBatch: what one step of the language model runs, tokens of several sequences end to end.
#ifndef OCTAVO_MODEL_FORWARD_BATCH_H_
#define OCTAVO_MODEL_FORWARD_BATCH_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace octavo {

struct ForwardSequence {
  std::span<const int32_t> block_table;
  int64_t num_cached = 0;     // tokens already in the cache
  int64_t num_new = 0;        // tokens in this batch
  bool wants_logits = false;  // logits after its last token
  // With wants_logits: how many tokens at the end are only a guess, so that the logits before each
  // of them are wanted, too: num_drafted + 1 rows. Less than num_new.
  int64_t num_drafted = 0;
};
struct ForwardBatch {
  std::vector<int32_t> token_ids;                 // of all sequences, in order
  std::array<std::vector<int32_t>, 3> positions;  // same length
  // Row of image embeddings that replaces token i's embedding, or null. Same length.
  std::vector<const float*> image_rows;
  std::vector<ForwardSequence> sequences;
};

}  // namespace octavo

#endif  // OCTAVO_MODEL_FORWARD_BATCH_H_
