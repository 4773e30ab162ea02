// Subject: what a parity run examines, and the mistakes that can be planted in it.
//
// Production code has no switch for any of them: a mistake is a kernel table with one slot
// exchanged, an edited checkpoint, or a step of the run done wrong.
#ifndef OCTAVO_TESTS_PARITY_SUBJECT_H_
#define OCTAVO_TESTS_PARITY_SUBJECT_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/kernel_table.h"
#include "model/model.h"
#include "octavo/engine.h"
#include "tests/testing/edited_checkpoint.h"
#include "vision/preprocess.h"

namespace octavo::parity {

struct Subject {
  KernelTable kernels{};
  std::string kernels_name;  // as DescribeKernels says
  Compute compute = Compute::kF32;
  VisionAttention attention = VisionAttention::kF32;
  int num_threads = 1;

  PreprocessRules fast_rules = {ResampleRule::kTorchvision, NormalizeRule::kFast};
  PreprocessRules slow_rules = {ResampleRule::kPillow13, NormalizeRule::kSlow};

  // Hooks; empty ones change nothing.
  std::function<void(testing::EditedCheckpoint*)> edit_checkpoint;
  std::function<void(MropePositions*)> edit_positions;
  std::function<void(std::vector<Patches>*)> edit_patches;
  std::function<void(SamplingParams*, std::span<const int32_t> prompt_ids)> edit_sampling;
  int32_t decode_position_offset = 0;
};

struct Mistake {
  const char* name;
  const char* what;
  void (*plant)(Subject* subject);
};

const std::vector<Mistake>& Mistakes();

// Throws kInvalidArgument if there is no mistake of that name; the message lists all.
void PlantMistake(std::string_view name, Subject* subject);

}  // namespace octavo::parity

#endif  // OCTAVO_TESTS_PARITY_SUBJECT_H_
