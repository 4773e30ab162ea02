// Samples of 1 to 64 bits, whole numbers or floats, to 8 bits.
#ifndef OCTAVO_VISION_SAMPLE_DEPTH_H_
#define OCTAVO_VISION_SAMPLE_DEPTH_H_

#include <cstddef>
#include <cstdint>
#include <limits>

#include "vision/image_codec.h"

namespace octavo {

// How samples are stored: packed without gaps, the first in the highest bits; those of 16, 32 and
// 64 bits in the machine's byte order.
struct SampleDepth {
  int num_bits = 8;  // whole numbers: 1 to 16, 32; floats: 16, 32, 64
  bool is_float = false;
  bool is_grey = false;  // matters to SampleRule::kAsPillow only
};

bool IsKnownDepth(const SampleDepth& depth);

// The range of float samples that becomes 0 to 255. A picture says nothing about it, so it is
// guessed from the smallest and largest sample: 0 to the least of 1, 255 and 65535 that holds them
// all, else from the smallest to the largest.
class FloatRange {
 public:
  // Samples that are no number, or infinite, do not count. REQUIRES: depth.is_float.
  void Add(const uint8_t* samples, size_t num_samples, const SampleDepth& depth);
  double low() const;
  double high() const;  // >= low()

 private:
  double smallest_ = std::numeric_limits<double>::infinity();
  double largest_ = -std::numeric_limits<double>::infinity();
};

// [num_samples]. Floats that are no number become 255, as paper is. `range` is that of the whole
// picture; not used for whole numbers and by kAsPillow. REQUIRES: IsKnownDepth(depth).
void SamplesTo8Bits(const uint8_t* samples, size_t num_samples, const SampleDepth& depth,
                    SampleRule rule, const FloatRange& range, uint8_t* out);

// [num_samples] colour indices of 1 to 8 bits, unscaled.
void UnpackIndices(const uint8_t* samples, size_t num_samples, int num_bits, uint8_t* out);

}  // namespace octavo

#endif  // OCTAVO_VISION_SAMPLE_DEPTH_H_
