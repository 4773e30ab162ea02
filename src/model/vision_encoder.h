// VisionEncoder: patches to image embeddings, in bounded pieces of work.
#ifndef OCTAVO_MODEL_VISION_ENCODER_H_
#define OCTAVO_MODEL_VISION_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/aligned_buffer.h"
#include "model/arithmetic.h"
#include "model/config.h"
#include "model/positions.h"
#include "model/stage_observer.h"
#include "model/vision_attention.h"
#include "model/weights.h"
#include "ops/context.h"
#include "vision/preprocess.h"

namespace octavo {

// Embeddings of one image: [num_tokens, hidden_size] f32.
struct ImageEmbeddings {
  GridThw grid;
  int64_t num_tokens = 0;  // of all cells of the grid, or of those that Patches has
  AlignedBuffer<float> values;
};

// The resumable encoding of one image. Dropping it half way costs nothing.
class VisionEncoding {
 public:
  virtual ~VisionEncoding() = default;
  // Does about `budget_flops` floating-point operations of work, at least one piece: 16 rows of a
  // linear layer, or one attention task per thread. True when the embeddings are ready. How the
  // work is divided does not change the result.
  virtual bool Advance(double budget_flops) = 0;
  // Share of the work that is done, 0 to 1.
  virtual double progress() const = 0;
  // Floating-point operations of the whole encoding.
  virtual double total_flops() const = 0;
  // REQUIRES: Advance returned true. Once.
  virtual ImageEmbeddings TakeEmbeddings() = 0;
};

// Everything passed to the constructor outlives the object and its encodings. One thread at a time.
class VisionEncoder {
 public:
  VisionEncoder(const VisionConfig& config, const VisionWeights& weights, Arithmetic arithmetic,
                VisionAttention attention, const ops::Context& context)
      : config_(config),
        weights_(weights),
        arithmetic_(arithmetic),
        attention_(attention),
        context_(context) {}

  // Cells that the patches lack are not there for the others either; those have their own places
  // in the grid. REQUIRES: patches of this model's patch_dim, grid sides multiples of
  // spatial_merge_size; one frame if cells are lacking.
  // Throws std::bad_alloc.
  std::unique_ptr<VisionEncoding> Start(Patches patches, const StageObserver* observer) const;

  // Bytes of workspace arena that a piece of work takes.
  static size_t ArenaBytes(const VisionConfig& config);
  // Bytes that an encoding of so many patches holds between pieces, at its peak.
  static size_t ActivationBytes(const VisionConfig& config, VisionAttention attention,
                                int64_t num_patches);

 private:
  const VisionConfig& config_;
  const VisionWeights& weights_;
  const Arithmetic arithmetic_;
  const VisionAttention attention_;
  const ops::Context& context_;
};

}  // namespace octavo

#endif  // OCTAVO_MODEL_VISION_ENCODER_H_
