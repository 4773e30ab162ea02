// ModelRun: one model on one kernel table, driven stage by stage as the engine drives it.
#ifndef OCTAVO_TESTS_PARITY_MODEL_RUN_H_
#define OCTAVO_TESTS_PARITY_MODEL_RUN_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "model/model.h"
#include "tests/parity/subject.h"

namespace octavo::parity {

// Rows of every stage that were observed, in order.
struct ObservedStage {
  int64_t cols = 0;
  std::vector<float> values;
  ConstFloatMatrix Matrix() const {
    return {values.data(), static_cast<int64_t>(values.size()) / std::max<int64_t>(cols, 1), cols};
  }
};

class ModelRun {
 public:
  // Opens the checkpoint and applies the subject's edits. `subject` outlives the run.
  ModelRun(const Checkpoint& checkpoint, const Subject& subject);

  const ModelConfig& config() const { return model_->config(); }
  const std::map<std::string, ObservedStage>& stages() const { return stages_; }

  // Encodes the images in slices of different sizes and keeps their embeddings, end to end.
  void Encode(std::vector<Patches> images);

  // Computes the prompt in chunks that end after the rows named, and returns their logits
  // [rows, vocab_size]; starts a new sequence.
  std::vector<float> Prefill(std::span<const int32_t> ids, const MropePositions& positions,
                             std::span<const int32_t> logits_rows);

  // Computes one more token; returns its logits.
  std::vector<float> Decode(int32_t id);

 private:
  void Step(std::span<const int32_t> ids, const MropePositions& positions, bool wants_logits,
            float* logits);

  const Subject& subject_;
  ThreadPool pool_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<KvCache> cache_;
  std::vector<int32_t> block_table_;
  std::vector<ImageEmbeddings> embeddings_;
  StageObserver observer_;
  std::map<std::string, ObservedStage> stages_;

  int64_t num_cached_ = 0;
  int64_t next_image_token_ = 0;  // of all images, end to end
  int32_t delta_ = 0;
};

}  // namespace octavo::parity

#endif  // OCTAVO_TESTS_PARITY_MODEL_RUN_H_
