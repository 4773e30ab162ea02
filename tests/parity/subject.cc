#include "tests/parity/subject.h"

#include <cmath>
#include <set>
#include <utility>

#include "base/str_cat.h"

namespace octavo::parity {
namespace {

// The table whose slots the doubles below call; one subject at a time.
KernelTable g_original;

void TanhGelu(float* x, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const float y = x[i];
    x[i] = 0.5f * y * (1 + std::tanh(0.7978845608f * (y + 0.044715f * y * y * y)));
  }
}

void LayerNormEpsilon(const float* x, const float* weight, const float* bias, float eps,
                      int64_t count, float* y) {
  g_original.layer_norm(x, weight, bias, eps * 10, count, y);
}

void RmsNormEpsilon(const float* x, const float* weight, float eps, int64_t count, float* y) {
  g_original.rms_norm(x, weight, eps * 10, count, y);
}

void InterleavedRotary(float* x, const float* cos, const float* sin, int64_t half) {
  for (int64_t j = 0; j < half; ++j) {
    const float a = x[2 * j];
    const float b = x[2 * j + 1];
    x[2 * j] = a * cos[j] - b * sin[j];
    x[2 * j + 1] = b * cos[j] + a * sin[j];
  }
}

void UnscaledSoftmaxLanes(const SoftmaxLanes& lanes) {
  for (int64_t i = 0; i < lanes.keys * kPanelColumns; ++i) lanes.scores[i] *= 4;
  g_original.softmax_lanes(lanes);
}

void UnscaledSoftmaxRows(const SoftmaxRows& rows) {
  for (int64_t r = 0; r < rows.rows; ++r) {
    for (int64_t i = 0; i < rows.keys; ++i) rows.scores[r * rows.row_stride + i] *= 4;
  }
  g_original.softmax_rows(rows);
}

void GatedByQuickGelu(float* gate, const float* up, int64_t count) {
  g_original.quick_gelu(gate, count);
  for (int64_t i = 0; i < count; ++i) gate[i] *= up[i];
}

void ZeroBias(testing::EditedCheckpoint* checkpoint, const std::string& part) {
  const std::vector<TensorInfo> tensors = checkpoint->Tensors();
  for (const TensorInfo& tensor : tensors) {
    if (tensor.name.find(part) == std::string::npos) continue;
    checkpoint->EditTensor(tensor.name, [](std::vector<float>* values) {
      std::fill(values->begin(), values->end(), 0.0f);
    });
  }
}

// One frame of all patches: everything attends to everything.
void JoinImages(std::vector<Patches>* images) {
  if (images->size() < 2) return;
  Patches joined;
  joined.grid_t = 1;
  joined.grid_h = 2;
  joined.patch_dim = images->front().patch_dim;
  int64_t num_patches = 0;
  for (const Patches& image : *images) num_patches += image.num_patches();
  joined.grid_w = static_cast<int>(num_patches / 2);
  joined.values = AlignedBuffer<float>(static_cast<size_t>(num_patches * joined.patch_dim));
  float* out = joined.values.data();
  for (const Patches& image : *images) {
    out = std::copy_n(image.values.data(), image.num_patches() * image.patch_dim, out);
  }
  images->clear();
  images->push_back(std::move(joined));
}

void CountPromptInPresence(SamplingParams* params, std::span<const int32_t> prompt_ids) {
  for (const int32_t id : std::set<int32_t>(prompt_ids.begin(), prompt_ids.end())) {
    params->logit_bias[id] -= params->presence_penalty;
  }
}

void EditConfig(Subject* subject, const char* from, const char* to) {
  subject->edit_checkpoint = [from, to](testing::EditedCheckpoint* checkpoint) {
    checkpoint->EditTextFile("config.json", from, to);
  };
}

}  // namespace

const std::vector<Mistake>& Mistakes() {
  static const std::vector<Mistake> mistakes = {
      {"merger-gelu-tanh", "the merger's GELU by the tanh approximation",
       [](Subject* s) { s->kernels.gelu = TanhGelu; }},
      {"mlp-gelu", "GELU instead of QuickGELU in the vision MLP",
       [](Subject* s) { s->kernels.quick_gelu = g_original.gelu; }},
      {"gate-quick-gelu", "QuickGELU instead of SiLU in the language model's MLP",
       [](Subject* s) { s->kernels.silu_multiply = GatedByQuickGelu; }},
      {"layer-norm-epsilon", "1e-5 instead of 1e-6 in LayerNorm",
       [](Subject* s) { s->kernels.layer_norm = LayerNormEpsilon; }},
      {"rms-norm-epsilon", "1e-5 instead of 1e-6 in RMSNorm",
       [](Subject* s) { s->kernels.rms_norm = RmsNormEpsilon; }},
      {"attention-scale", "attention scores four times too large",
       [](Subject* s) {
         s->kernels.softmax_lanes = UnscaledSoftmaxLanes;
         s->kernels.softmax_rows = UnscaledSoftmaxRows;
       }},
      {"attention-across-images", "patches of one image attend to those of another",
       [](Subject* s) { s->edit_patches = JoinImages; }},
      {"rotary-interleaved", "pairs of neighbours turned instead of halves",
       [](Subject* s) { s->kernels.rotary = InterleavedRotary; }},
      {"rope-theta", "rotary base 1e4 instead of the config's",
       [](Subject* s) { EditConfig(s, "\"rope_theta\": 1000000.0", "\"rope_theta\": 10000.0"); }},
      {"mrope-axes-swapped", "rows and columns exchanged in the position streams",
       [](Subject* s) {
         s->edit_positions = [](MropePositions* p) { std::swap(p->streams[1], p->streams[2]); };
       }},
      {"mrope-sections", "a position stream on the next section's frequencies",
       [](Subject* s) {
         s->edit_positions = [](MropePositions* p) {
           std::swap(p->streams[0], p->streams[1]);
           std::swap(p->streams[1], p->streams[2]);
         };
       }},
      {"cache-position", "decoded tokens one position too far",
       [](Subject* s) { s->decode_position_offset = 1; }},
      {"k-bias-dropped", "k_proj without its bias",
       [](Subject* s) {
         s->edit_checkpoint = [](testing::EditedCheckpoint* c) { ZeroBias(c, "k_proj.bias"); };
       }},
      {"resampler-order", "Pillow's resampling, its vertical pass first, instead of torchvision's",
       [](Subject* s) { s->fast_rules.resample = ResampleRule::kPillow13; }},
      {"pillow-pass-order", "horizontal pass first where Pillow 13 runs the vertical one first",
       [](Subject* s) { s->slow_rules.resample = ResampleRule::kPillowHorizontalFirst; }},
      {"normalize-order", "pixels divided by 255 before the mean is subtracted",
       [](Subject* s) { s->fast_rules.normalize = NormalizeRule::kSlow; }},
      {"presence-counts-prompt", "the presence penalty counts prompt tokens",
       [](Subject* s) { s->edit_sampling = CountPromptInPresence; }},
      {"presence-and-frequency-swapped", "each penalty by the other's amount",
       [](Subject* s) {
         s->edit_sampling = [](SamplingParams* p, std::span<const int32_t>) {
           std::swap(p->presence_penalty, p->frequency_penalty);
         };
       }},
      {"ngram-off-by-one", "n-grams one token longer than asked",
       [](Subject* s) {
         s->edit_sampling = [](SamplingParams* p, std::span<const int32_t>) {
           if (p->no_repeat_ngram_size > 0) ++p->no_repeat_ngram_size;
         };
       }},
      {"repetition-as-presence", "the repetition penalty subtracted instead of divided",
       [](Subject* s) {
         s->edit_sampling = [](SamplingParams* p, std::span<const int32_t>) {
           if (p->repetition_penalty == 1) return;
           p->presence_penalty = p->repetition_penalty;
           p->repetition_penalty = 1;
         };
       }},
  };
  return mistakes;
}

void PlantMistake(std::string_view name, Subject* subject) {
  std::string names;
  for (const Mistake& mistake : Mistakes()) {
    if (name == mistake.name) {
      g_original = subject->kernels;
      mistake.plant(subject);
      return;
    }
    names += StrCat(names.empty() ? "" : ", ", mistake.name);
  }
  throw Error(ErrorCode::kInvalidArgument, StrCat("no mistake \"", name, "\"; there are ", names));
}

}  // namespace octavo::parity
