#include "cli/args_shared.h"

#include <cmath>
#include <cstdlib>

#include <CLI/CLI.hpp>

#include "base/str_cat.h"

namespace octavo {

namespace {

// The words as the name of a type: a|b|c.
std::string Alternatives(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : "|") + word;
  return all;
}

// CLI::IsMember, which would repeat the words in the help.
CLI::Validator OneOf(const std::vector<std::string>& words) {
  return CLI::IsMember(words).description("");
}

}  // namespace

CLI::Option* AddChoice(CLI::App* app, const std::string& flag, std::string* value,
                       const std::vector<std::string>& words, const std::string& help) {
  return app->add_option(flag, *value, help)->check(OneOf(words))->type_name(Alternatives(words));
}

CLI::Option* AddChoices(CLI::App* app, const std::string& flag, std::vector<std::string>* values,
                        const std::vector<std::string>& words, const std::string& help) {
  return app->add_option(flag, *values, help)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(OneOf(words))
      ->type_name("LIST");
}

CLI::Option* CheckReal(CLI::Option* option, double low, double high) {
  const auto problem = [low, high](const std::string& text) -> std::string {
    if (!std::isnan(std::strtod(text.c_str(), nullptr))) return {};
    return StrCat("Value ", text, " not in range ", low, " to ", high);
  };
  return option->check(CLI::Range(low, high))->check(problem);
}

void AddAttentionFlag(CLI::App* app, std::string* attention) {
  AddChoice(app, "--attention", attention, {"f32", "int16"},
            "The vision tower's attention; int16: 16-bit integers, error about 0.1 %; default: "
            "f32 with --compute f32, else what is faster here");
}

void AddKvCacheDTypeFlag(CLI::App* app, std::string* dtype) {
  AddChoice(app, "--kv-cache-dtype", dtype, {"f32", "bf16", "f16", "int8"},
            "What keys and values are kept as; int8: half the memory of bf16; default: f32 "
            "with --compute f32, else bf16");
}

void AddThreads(CLI::App* app, int* num_threads) {
  app->add_option("--threads", *num_threads,
                  "Threads; default: physical cores that may be used; the result is the same")
      ->check(CLI::Range(1, 256));
}

void AddMaxPixels(CLI::App* app, int64_t* max_pixels) {
  app->add_option(
         "--max-pixels", *max_pixels,
         "Width x height up to which the model is shown a picture; default: the model's own")
      ->check(CLI::Range(int64_t{784}, int64_t{51'380'224}));
}

void AddModelFlags(CLI::App* app, ModelFlags* flags) {
  app->add_option(
         "--model", flags->model_dir,
         "Model folder (Hugging Face or GGUF files) or .octavo file; default: OCTAVO_MODEL, else "
         "octavo-nano")
      ->type_name("MODEL");
  AddChoice(app, "--compute", &flags->compute, {"f32", "bf16", "int8", "int16"},
            "Arithmetic; default: as the checkpoint is stored");
  AddAttentionFlag(app, &flags->attention);
  AddKvCacheDTypeFlag(app, &flags->kv_cache_dtype);
  AddThreads(app, &flags->num_threads);
  app->add_option("--memory-limit", flags->memory_limit,
                  "Memory that it may take, as 900M or 2G; a model that needs more is refused "
                  "before it is loaded; default: 80 % of what there is")
      ->transform(CLI::AsSizeValue(true).description(""))
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 56).description(""))
      ->type_name("BYTES");
}

void AddSavingsFlags(CLI::App* app, SavingsFlags* flags) {
  AddChoice(app, "--quality", &flags->quality, {"best", "balanced", "fast"},
            "best: all of the work. balanced: --prune-blank. fast: --prune-blank "
            "--layout-side 728 --line-height 28. Single switches win");
  // A flag of CLI11 writes its variable even where it was not given.
  CLI::Option* prune = app->add_flag_callback(
      "--prune-blank", [flags] { flags->prune_blank = true; },
      "Leave out what is of one colour of the pictures that the model sees");
  app->add_flag_callback(
         "--no-prune-blank", [flags] { flags->prune_blank = false; },
         "Leave out nothing, whatever the quality")
      ->excludes(prune);
  app->add_option("--layout-side", flags->layout_side,
                  "Side of the layout picture in pixels; 1036: the reference's")
      ->check(CLI::Range(280, 1036));
  app->add_option("--line-height", flags->line_height_px,
                  "Reduce crops of larger print to lines of so many pixels; 0: none")
      ->check(CLI::Range(0, 200))
      ->type_name("PX");
}

// A step that verifies guesses gives the same answer; off: for measurements.
void AddDraftsFlag(CLI::App* app, bool* no_drafts) {
  app->add_flag("--no-drafts", *no_drafts, "One step of the model for every token; same answers");
}

void AddAnswerFlags(CLI::App* app, AnswerOptions* options, int64_t* max_pixels) {
  app->add_option("--max-tokens", options->max_new_tokens, "End an answer after so many tokens")
      ->check(CLI::Range(1, 1 << 20));
  AddMaxPixels(app, max_pixels);
  CheckReal(app->add_option("--temperature", options->temperature, "0: always the likeliest token"),
            0, 10)
      ->capture_default_str();
  app->add_option("--seed", options->seed, "Of sampling; the same seed gives the same answer");
}

}  // namespace octavo
