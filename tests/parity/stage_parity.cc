// Stage by stage: tolerances of the reference data's README, recommended for either engine.
#include <algorithm>
#include <cmath>

#include "base/str_cat.h"
#include "tests/parity/model_run.h"
#include "tests/parity/parity.h"
#include "text/tokenizer_loader.h"

namespace octavo::parity {
namespace {

// Of int16 attention with f32 arithmetic around it: the bound of ops/full_attention_int16_test.cc.
constexpr Tolerance kInt16Tolerance = {.rel_rms = 0.002};

bool IsInt16(const Subject& subject) {
  return subject.compute == Compute::kF32 && subject.attention == VisionAttention::kInt16;
}

Tolerance StageTolerance(const Subject& subject, const std::string& stage) {
  if (IsInt16(subject)) return kInt16Tolerance;
  if (subject.compute == Compute::kF32) {
    return {.max_abs = 1e-4, .rel_rms = 2e-5, .scales_with_rms = true};
  }
  return {.rel_rms = stage.rfind("vit.", 0) == 0 ? 0.012 : 0.03};
}

// Every `<|image_pad|>` of the prompt repeated as often as its image has tokens.
std::string ExpandImagePads(const std::string& prompt, const std::vector<Patches>& images) {
  const std::string pad = "<|image_pad|>";
  std::string expanded;
  size_t begin = 0;
  for (const Patches& image : images) {
    const size_t place = prompt.find(pad, begin);
    if (place == std::string::npos) break;
    expanded += prompt.substr(begin, place - begin);
    for (int64_t i = 0; i < image.num_patches() / 4; ++i) expanded += pad;
    begin = place + pad.size();
  }
  return expanded + prompt.substr(begin);
}

std::vector<Patches> PreprocessAll(const StageCase& stage_case, const PreprocessorConfig& config,
                                   const PreprocessRules& rules) {
  std::vector<Patches> patches;
  for (const Image& image : stage_case.images) patches.push_back(Preprocess(image, config, rules));
  return patches;
}

void CheckPixelValues(const std::string& name, const StageCase& stage_case,
                      const std::vector<Patches>& images, Report* report) {
  if (!stage_case.tensors.Has(name)) return;
  std::vector<float> values;
  for (const Patches& image : images) {
    const auto span = image.values.span();
    values.insert(values.end(), span.begin(), span.end());
  }
  report->CheckEqual(StrCat(stage_case.name, " ", name), values,
                     stage_case.tensors.Get(name).floats);
}

std::vector<GridThw> CheckGrids(const StageCase& stage_case, const std::vector<Patches>& images,
                                Report* report) {
  std::vector<GridThw> grids;
  std::vector<int32_t> numbers;
  for (const Patches& image : images) {
    grids.push_back({image.grid_t, image.grid_h, image.grid_w});
    numbers.insert(numbers.end(), {image.grid_t, image.grid_h, image.grid_w});
  }
  if (!images.empty()) {
    report->CheckEqual(stage_case.name + " grid_thw", numbers,
                       stage_case.tensors.Get("grid_thw").ints);
  }
  return grids;
}

void CheckPositions(const StageCase& stage_case, const MropePositions& positions, Report* report) {
  std::vector<int32_t> joined;
  for (const auto& stream : positions.streams) {
    joined.insert(joined.end(), stream.begin(), stream.end());
  }
  report->CheckEqual(stage_case.name + " position_ids", joined,
                     stage_case.tensors.Get("position_ids").ints);
  report->Check(positions.delta == stage_case.rope_delta, stage_case.name + " rope_delta",
                StrCat(positions.delta, ", expected ", stage_case.rope_delta));
}

void CheckObservedStages(const StageCase& stage_case, const ModelRun& run, const Subject& subject,
                         Report* report) {
  for (const std::string& name : stage_case.tensors.Names()) {
    if (name.rfind("vit.", 0) != 0 && name.rfind("lm.", 0) != 0) continue;
    const std::string what = stage_case.name + " " + name;
    const auto found = run.stages().find(name);
    if (found == run.stages().end()) {
      report->Check(false, what, "the model has no such stage");
      continue;
    }
    report->CheckClose(what, found->second.Matrix(), stage_case.tensors.Get(name).Matrix(),
                       StageTolerance(subject, name));
  }
}

// The plain greedy run's tokens are fed, so that one near-tie does not hide what follows.
void CheckDecodeLogits(const StageCase& stage_case, std::vector<float> last, ModelRun* run,
                       const Subject& subject, Report* report) {
  const std::vector<int32_t>& steps = stage_case.tensors.Get("decode_logits_steps").ints;
  const ConstFloatMatrix expected = stage_case.tensors.Get("decode_logits").Matrix();
  const auto tokens = stage_case.runs.at("plain.fp32").at("tokens").get<std::vector<int32_t>>();
  int32_t step = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    for (; step < steps[i]; ++step) last = run->Decode(tokens[static_cast<size_t>(step)]);
    report->CheckClose(StrCat(stage_case.name, " decode_logits step ", steps[i]),
                       ConstFloatMatrix(last.data(), 1, expected.cols),
                       expected.Rows(static_cast<int64_t>(i), 1), LogitsTolerance(subject));
    report->Hash(last);
  }
}

// Patches of a case come from the checkpoint's own preprocessor file.
PreprocessorConfig ReadPreprocessor(const Checkpoint& checkpoint) {
  return ParsePreprocessorConfig(checkpoint.GetTextFile("preprocessor_config.json"),
                                 checkpoint.Source());
}

void CheckCase(const StageCase& stage_case, const Subject& subject, Report* report) {
  const auto checkpoint = OpenSubject(stage_case.checkpoint, subject);
  const PreprocessorConfig preprocessor = ReadPreprocessor(*checkpoint);
  std::vector<Patches> images = PreprocessAll(stage_case, preprocessor, subject.fast_rules);
  CheckPixelValues("pixel_values_fast", stage_case, images, report);
  CheckPixelValues("pixel_values_slow", stage_case,
                   PreprocessAll(stage_case, preprocessor, subject.slow_rules), report);
  const std::vector<GridThw> grids = CheckGrids(stage_case, images, report);

  const Tokenizer tokenizer =
      LoadTokenizerJson(checkpoint->GetTextFile("tokenizer.json"), checkpoint->Source());
  const std::vector<int32_t>& ids = stage_case.tensors.Get("input_ids").ints;
  report->CheckEqual(stage_case.name + " input_ids",
                     tokenizer.Encode(ExpandImagePads(stage_case.prompt_text, images)), ids);

  ModelRun run(*checkpoint, subject);
  MropePositions positions = ComputeMropePositions(ids, grids, run.config());
  CheckPositions(stage_case, positions, report);
  if (subject.edit_positions) subject.edit_positions(&positions);
  run.Encode(std::move(images));
  const StoredTensor& expected = stage_case.tensors.Get("logits");
  const std::vector<int32_t>& rows = stage_case.tensors.Get("logits_rows").ints;
  const std::vector<float> logits = run.Prefill(ids, positions, rows);
  CheckObservedStages(stage_case, run, subject, report);
  const ConstFloatMatrix got(logits.data(), static_cast<int64_t>(rows.size()),
                             expected.Matrix().cols);
  report->CheckClose(stage_case.name + " logits", got, expected.Matrix(), LogitsTolerance(subject));
  report->Hash(logits);
  const float* last = got.row(got.rows - 1);
  CheckDecodeLogits(stage_case, {last, last + got.cols}, &run, subject, report);
}

bool HasWeights(const std::filesystem::path& form) {
  return std::filesystem::exists(form / "model.safetensors") ||
         std::filesystem::exists(form / "model.safetensors.index.json");
}

void CheckOtherForms(const std::filesystem::path& folder, const std::vector<StageCase>& cases,
                     const Subject& subject, Report* report) {
  const std::filesystem::path forms = folder / "tiny-qwen2vl";
  const StoredTensors f32_logits(folder / "stages" / "main-flat-fp32.logits.safetensors");
  for (const StageCase& stage_case : cases) {
    if (stage_case.variant != "main") continue;
    const std::vector<float> flat = LastLogits(stage_case.checkpoint, stage_case, subject);
    for (const char* form : {"main-nested-bf16", "main-sharded-bf16"}) {
      if (!HasWeights(forms / form)) {
        report->Note(StrCat("not checked: ", form, " has no weights here"));
        continue;
      }
      report->CheckEqual(StrCat(form, ".", stage_case.scene, " logits equal the flat form's"),
                         LastLogits(forms / form, stage_case, subject), flat);
    }
    const std::vector<float> got = LastLogits(forms / "main-flat-fp32", stage_case, subject);
    const StoredTensor& expected = f32_logits.Get(stage_case.scene + ".logits_last");
    const auto cols = static_cast<int64_t>(got.size());
    report->CheckClose(StrCat("main-flat-fp32.", stage_case.scene, " logits_last"),
                       ConstFloatMatrix(got.data(), 1, cols),
                       ConstFloatMatrix(expected.floats.data(), 1, cols), LogitsTolerance(subject));
  }
}

// (x - mean) / sqrt(var + eps) * weight + bias, or without mean and bias, in double.
std::vector<float> NormInDouble(ConstFloatMatrix x, const std::vector<float>& weight,
                                const std::vector<float>& bias, double eps) {
  std::vector<float> out;
  const auto cols = static_cast<double>(x.cols);
  for (int64_t r = 0; r < x.rows; ++r) {
    double mean = 0;
    double squares = 0;
    for (int64_t c = 0; c < x.cols && !bias.empty(); ++c) {
      mean += static_cast<double>(x.row(r)[c]) / cols;
    }
    for (int64_t c = 0; c < x.cols; ++c) {
      const double d = static_cast<double>(x.row(r)[c]) - mean;
      squares += d * d / cols;
    }
    for (int64_t c = 0; c < x.cols; ++c) {
      const auto i = static_cast<size_t>(c);
      const double y = (static_cast<double>(x.row(r)[c]) - mean) / std::sqrt(squares + eps);
      out.push_back(static_cast<float>(y * static_cast<double>(weight[i]) +
                                       (bias.empty() ? 0.0 : static_cast<double>(bias[i]))));
    }
  }
  return out;
}

std::vector<float> ReadVector(const Checkpoint& checkpoint, const char* name) {
  const LoadedTensor tensor = checkpoint.Get(name);
  std::vector<float> values(static_cast<size_t>(tensor.view.shape.num_elements()));
  ToFloats(tensor.view, 0, tensor.view.shape.num_elements(), values.data());
  return values;
}

// At the stages' usual size of numbers an epsilon ten times too large drowns in rounding. With
// inputs of variance about 1e-6 it changes the first norm of either tower by more than a tenth.
void CheckEpsilons(const StageCase& stage_case, const Subject& subject, Report* report) {
  testing::EditedCheckpoint checkpoint(OpenSubject(stage_case.checkpoint, subject));
  const auto shrink = [](std::vector<float>* values) {
    for (float& x : *values) x *= 0x1p-10f;
  };
  checkpoint.EditTensor("visual.patch_embed.proj.weight", shrink);
  checkpoint.EditTensor("model.embed_tokens.weight", shrink);
  ModelRun run(checkpoint, subject);
  std::vector<Patches> images =
      PreprocessAll(stage_case, ReadPreprocessor(checkpoint), subject.fast_rules);
  images.resize(1);
  run.Encode(std::move(images));
  // The text after the pictures, so that every row is a small embedding.
  const std::vector<int32_t>& prompt = stage_case.tensors.Get("input_ids").ints;
  const std::vector<int32_t> ids(prompt.end() - 6, prompt.end());
  const std::vector<int32_t> last_row = {5};
  run.Prefill(ids, ComputeMropePositions(ids, {}, run.config()), last_row);

  const auto check = [&](const char* in, const char* out, const std::string& weight,
                         bool has_bias) {
    const ConstFloatMatrix x = run.stages().at(in).Matrix();
    std::vector<float> bias;
    if (has_bias) bias = ReadVector(checkpoint, (weight + ".bias").c_str());
    const std::vector<float> expected =
        NormInDouble(x, ReadVector(checkpoint, (weight + ".weight").c_str()), bias, 1e-6);
    report->CheckClose(StrCat(stage_case.name, " ", out, " of small variance"),
                       run.stages().at(out).Matrix(),
                       ConstFloatMatrix(expected.data(), x.rows, x.cols),
                       {.max_abs = 1e-4, .rel_rms = 2e-5, .scales_with_rms = true});
  };
  check("vit.patch_embed", "vit.block.0.norm1", "visual.blocks.0.norm1", true);
  check("lm.input_embeds", "lm.layer.0.input_layernorm", "model.layers.0.input_layernorm", false);
}

}  // namespace

Tolerance LogitsTolerance(const Subject& subject) {
  if (IsInt16(subject)) return kInt16Tolerance;
  if (subject.compute == Compute::kF32) return {.max_abs = 5e-4, .rel_rms = 4e-5};
  return {.max_abs = 0.8, .rel_rms = 0.03};
}

std::vector<float> LastLogits(const std::filesystem::path& path, const StageCase& stage_case,
                              const Subject& subject) {
  const auto checkpoint = OpenSubject(path, subject);
  std::vector<Patches> images =
      PreprocessAll(stage_case, ReadPreprocessor(*checkpoint), subject.fast_rules);
  ModelRun run(*checkpoint, subject);
  std::vector<GridThw> grids;
  for (const Patches& image : images) grids.push_back({image.grid_t, image.grid_h, image.grid_w});
  run.Encode(std::move(images));
  const std::vector<int32_t>& ids = stage_case.tensors.Get("input_ids").ints;
  const std::vector<int32_t> last_row = {static_cast<int32_t>(ids.size()) - 1};
  return run.Prefill(ids, ComputeMropePositions(ids, grids, run.config()), last_row);
}

void CheckStages(const std::filesystem::path& folder, const Subject& subject, Report* report) {
  std::vector<StageCase> cases = ReadStageCases(folder);
  for (StageCase& stage_case : cases) CheckCase(stage_case, subject, report);
  CheckOtherForms(folder, cases, subject, report);
  for (const StageCase& stage_case : cases) {
    if (stage_case.scene == "layout_a") CheckEpsilons(stage_case, subject, report);
  }
}

}  // namespace octavo::parity
