// TensorMaker: the bytes of one tensor as an export plan wants them, out of a checkpoint's.
#ifndef OCTAVO_QUANTIZE_TENSOR_MAKER_H_
#define OCTAVO_QUANTIZE_TENSOR_MAKER_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "base/thread_pool.h"
#include "formats/checkpoint.h"
#include "quantize/export_plan.h"
#include "quantize/round_to_nearest.h"

namespace octavo {

struct MadeTensor {
  std::span<const std::byte> bytes;  // a matrix: PackedBytes, 64-byte aligned; else f32 numbers
  std::shared_ptr<const void> owner;
  std::optional<RoundingError> rounding;  // of matrices that were rounded to groups
};

// One thread at a time. Checkpoint and pool outlive the object.
class TensorMaker {
 public:
  TensorMaker(const Checkpoint& checkpoint, ThreadPool* pool)
      : checkpoint_(checkpoint), pool_(pool) {}

  // `source` is the checkpoint's entry for the tensor. Matrices that lie there as planned are not
  // copied. Does not depend on the number of threads. Throws as Checkpoint's functions do;
  // kDataLoss (a NaN or an infinity), kUnsupported (no float dtype, weights too large for scales of
  // 16 bits); both name the tensor. std::bad_alloc.
  MadeTensor Make(const PlannedTensor& planned, const TensorInfo& source) const;

 private:
  const Checkpoint& checkpoint_;
  ThreadPool* const pool_;
};

}  // namespace octavo

#endif  // OCTAVO_QUANTIZE_TENSOR_MAKER_H_
