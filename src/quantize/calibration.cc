#include "quantize/calibration.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/str_cat.h"
#include "octavo/error.h"
#include "text/chat_template.h"
#include "text/tokenizer_loader.h"

namespace octavo {
namespace {

constexpr int kStepTokens = 256;
constexpr int kMaxSequences = 32;  // answer tokens that are judged at once

struct Prepared {
  Patches patches;
  std::vector<int32_t> ids;
  MropePositions positions;
  ImageEmbeddings image;
};

int32_t Likeliest(const float* logits, int64_t count) {
  return static_cast<int32_t>(std::max_element(logits, logits + count) - logits);
}

// One model and the samples that run through it, one sequence at a time.
class Runner {
 public:
  Runner(const Checkpoint& checkpoint, ModelOptions options, const ops::Context& context,
         InputCollector* collector)
      : preprocessor_(ParsePreprocessorConfig(checkpoint.GetTextFile("preprocessor_config.json"),
                                              checkpoint.Source())),
        tokenizer_(
            LoadTokenizerJson(checkpoint.GetTextFile("tokenizer.json"), checkpoint.Source())),
        model_(checkpoint, Limited(options), context),
        collector_(collector) {
    if (collector_ != nullptr) {
      observer_ = [this](std::string_view stage, ConstFloatMatrix rows) {
        collector_->Take(stage, rows);
      };
    }
  }

  const ModelConfig& config() const { return model_.config(); }

  // The prompt and its picture, before the picture is encoded.
  Prepared Prepare(const CalibrationSample& sample) const {
    Prepared prepared;
    prepared.patches = Preprocess(sample.picture, preprocessor_);
    const VisionConfig& vision = config().vision;
    const int64_t cell = int64_t{vision.spatial_merge_size} * vision.spatial_merge_size;
    const std::vector<ChatMessage> chat = {
        {ChatMessage::Role::kUser,
         {{ChatPart::Kind::kImage, ""}, {ChatPart::Kind::kText, sample.prompt}}}};
    prepared.ids = EncodeChat(tokenizer_, chat, {prepared.patches.num_patches() / cell}, false);
    const GridThw grid = {prepared.patches.grid_t, prepared.patches.grid_h,
                          prepared.patches.grid_w};
    prepared.positions = ComputeMropePositions(prepared.ids, std::span(&grid, 1), config());
    return prepared;
  }

  void Encode(Prepared* prepared) {
    const auto encoding = model_.StartVisionEncoding(std::move(prepared->patches), observer());
    while (!encoding->Advance(1e12)) {
    }
    prepared->image = encoding->TakeEmbeddings();
  }

  // Greedy, until an end token or the limit.
  std::vector<int32_t> Answer(const Prepared& prepared, int max_tokens) {
    StartSequence(prepared, static_cast<size_t>(max_tokens));
    std::vector<int32_t> ids = prepared.ids;
    std::vector<float> logits(static_cast<size_t>(config().text.vocab_size));
    const FloatMatrix row(logits.data(), 1, config().text.vocab_size);
    std::vector<int32_t> answer;
    const int64_t room = config().text.max_position_embeddings;
    int64_t done = 0;
    while (static_cast<int>(answer.size()) < max_tokens &&
           static_cast<int64_t>(ids.size()) < room) {
      const auto all = static_cast<int64_t>(ids.size());
      for (; done < all; done += std::min<int64_t>(kStepTokens, all - done)) {
        const int64_t count = std::min<int64_t>(kStepTokens, all - done);
        const bool is_last = done + count == all;
        ForwardBatch batch;
        Append(prepared, ids, done, count, is_last, &batch);
        model_.Forward(batch, *cache_, is_last ? row : FloatMatrix(logits.data(), 0, row.cols));
      }
      const int32_t next = Likeliest(logits.data(), row.cols);
      answer.push_back(next);
      ids.push_back(next);
      const std::vector<int32_t>& ends = config().eos_token_ids;
      if (std::find(ends.begin(), ends.end(), next) != ends.end()) break;
    }
    return answer;
  }

  // The likeliest token before each of the answer, all of it given.
  std::vector<int32_t> Judge(const Prepared& prepared, const std::vector<int32_t>& answer) {
    StartSequence(prepared, answer.size());
    std::vector<int32_t> ids = prepared.ids;
    ids.insert(ids.end(), answer.begin(), answer.end());
    const auto num_prompt = static_cast<int64_t>(prepared.ids.size());
    const int64_t vocab = config().text.vocab_size;
    std::vector<float> logits(static_cast<size_t>(kMaxSequences * vocab));
    std::vector<int32_t> likeliest;
    const int64_t last_wanted = num_prompt + static_cast<int64_t>(answer.size()) - 1;
    for (int64_t done = 0; done < last_wanted;) {
      ForwardBatch batch;
      int64_t wanted = 0;
      if (done < num_prompt - 1) {
        const int64_t count = std::min<int64_t>(kStepTokens, num_prompt - 1 - done);
        Append(prepared, ids, done, count, false, &batch);
        done += count;
      } else {
        // Tokens of one sequence as sequences of one token each: keys of all are there before any
        // is asked.
        for (; wanted < kMaxSequences && done < last_wanted; ++wanted, ++done) {
          Append(prepared, ids, done, 1, true, &batch);
        }
      }
      model_.Forward(batch, *cache_, {logits.data(), wanted, vocab}, observer());
      for (int64_t i = 0; i < wanted; ++i) {
        likeliest.push_back(Likeliest(logits.data() + i * vocab, vocab));
      }
    }
    return likeliest;
  }

 private:
  static ModelOptions Limited(ModelOptions options) {
    options.max_batch_tokens = kStepTokens;
    options.max_sequences = kMaxSequences;
    return options;
  }
  const StageObserver* observer() const { return collector_ == nullptr ? nullptr : &observer_; }

  void StartSequence(const Prepared& prepared, size_t more) {
    const size_t blocks = (prepared.ids.size() + more) / kKvBlockSize + 1;
    if (cache_ == nullptr || cache_->capacity_blocks() < static_cast<int>(blocks)) {
      const DType dtype = model_.options().compute == Compute::kF32 ? DType::kF32 : DType::kBF16;
      cache_ = std::make_unique<KvCache>(config().text, dtype, static_cast<int>(blocks));
    }
    table_.clear();
    for (size_t i = 0; i < blocks; ++i) table_.push_back(static_cast<int32_t>(i));
    image_begin_ = static_cast<int64_t>(
        std::find(prepared.ids.begin(), prepared.ids.end(), config().image_token_id) -
        prepared.ids.begin());
  }

  void Append(const Prepared& prepared, const std::vector<int32_t>& ids, int64_t begin,
              int64_t count, bool wants_logits, ForwardBatch* batch) const {
    for (int64_t i = begin; i < begin + count; ++i) {
      const bool in_prompt = i < static_cast<int64_t>(prepared.ids.size());
      const int64_t image_row = i - image_begin_;
      const bool in_image = image_row >= 0 && image_row < prepared.image.num_tokens;
      batch->token_ids.push_back(ids[static_cast<size_t>(i)]);
      batch->image_rows.push_back(in_image ? prepared.image.values.data() +
                                                 image_row * config().text.hidden_size
                                           : nullptr);
      for (size_t axis = 0; axis < 3; ++axis) {
        batch->positions[axis].push_back(
            in_prompt ? prepared.positions.streams[axis][static_cast<size_t>(i)]
                      : static_cast<int32_t>(i) + prepared.positions.delta);
      }
    }
    batch->sequences.push_back({.block_table = table_,
                                .num_cached = begin,
                                .num_new = count,
                                .wants_logits = wants_logits});
  }

  const PreprocessorConfig preprocessor_;
  const Tokenizer tokenizer_;
  Model model_;
  InputCollector* const collector_;
  StageObserver observer_;
  std::unique_ptr<KvCache> cache_;
  std::vector<int32_t> table_;
  int64_t image_begin_ = 0;
};

void RequireFinite(const Checkpoint& checkpoint, const InputCollector* collector) {
  if (collector == nullptr || collector->is_finite()) return;
  throw Error(ErrorCode::kDataLoss,
              StrCat(checkpoint.Source(),
                     ": numbers inside the model are not finite while calibration pages run"));
}

std::vector<Prepared> PrepareAll(Runner* runner, const std::vector<CalibrationSample>& samples,
                                 InputCollector* collector) {
  if (samples.empty()) throw Error(ErrorCode::kInvalidArgument, "no calibration pages");
  std::vector<Prepared> prepared;
  int64_t patches = 0;
  for (const CalibrationSample& sample : samples) {
    prepared.push_back(runner->Prepare(sample));
    patches += prepared.back().patches.num_patches();
  }
  if (collector != nullptr) {
    const VisionConfig& vision = runner->config().vision;
    const int cell = vision.spatial_merge_size * vision.spatial_merge_size;
    collector->Expect("vit.block.", patches);
    collector->Expect("vit.merger", patches / cell);
  }
  return prepared;
}

}  // namespace

std::vector<CalibrationAnswer> RunCalibration(const Checkpoint& checkpoint,
                                              const ModelOptions& options,
                                              const std::vector<CalibrationSample>& samples,
                                              const ops::Context& context,
                                              InputCollector* collector,
                                              const CalibrationProgress& progress) {
  Runner runner(checkpoint, options, context, collector);
  std::vector<Prepared> prepared = PrepareAll(&runner, samples, collector);
  std::vector<CalibrationAnswer> answers;
  int64_t tokens = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    if (progress) progress(i);
    runner.Encode(&prepared[i]);
    answers.push_back({prepared[i].ids, runner.Answer(prepared[i], samples[i].max_answer_tokens)});
    tokens += static_cast<int64_t>(prepared[i].ids.size() + answers[i].answer_ids.size()) - 1;
  }
  if (collector != nullptr) {
    collector->Expect("lm.", tokens);
    for (size_t i = 0; i < samples.size(); ++i) {
      runner.Judge(prepared[i], answers[i].answer_ids);
    }
  }
  RequireFinite(checkpoint, collector);
  return answers;
}

std::vector<std::vector<int32_t>> LikeliestTokens(const Checkpoint& checkpoint,
                                                  const ModelOptions& options,
                                                  const std::vector<CalibrationSample>& samples,
                                                  const std::vector<CalibrationAnswer>& answers,
                                                  const ops::Context& context,
                                                  InputCollector* collector) {
  OCTAVO_CHECK(samples.size() == answers.size());
  Runner runner(checkpoint, options, context, collector);
  std::vector<Prepared> prepared = PrepareAll(&runner, samples, collector);
  if (collector != nullptr) {
    int64_t tokens = 0;
    for (const CalibrationAnswer& answer : answers) {
      tokens += static_cast<int64_t>(answer.prompt_ids.size() + answer.answer_ids.size()) - 1;
    }
    collector->Expect("lm.", tokens);
  }
  std::vector<std::vector<int32_t>> likeliest;
  for (size_t i = 0; i < samples.size(); ++i) {
    runner.Encode(&prepared[i]);
    likeliest.push_back(runner.Judge(prepared[i], answers[i].answer_ids));
    prepared[i] = {};
  }
  RequireFinite(checkpoint, collector);
  return likeliest;
}

}  // namespace octavo
