#include "cli/args_models.h"

#include <tuple>

#include <CLI/CLI.hpp>

#include "cli/args_shared.h"

namespace octavo {

void AddInspect(CLI::App* root, InspectOptions* options) {
  CLI::App* app = root->add_subcommand(
      "inspect", "Show a model's parts, sizes and memory plan, and whether it is whole");
  app->add_option("model", options->path, "Model folder, .octavo or GGUF file")
      ->required()
      ->type_name("MODEL");
  AddChoice(app, "--compute", &options->compute, {"f32", "bf16", "int8", "int16"},
            "Arithmetic that the memory plan is for");
  AddAttentionFlag(app, &options->attention);
  app->add_flag("--json", options->json, "One JSON object instead of the table");
}

void AddBench(CLI::App* root, std::string* image, BenchOptions* options) {
  CLI::App* app = root->add_subcommand(
      "bench", "Measure this machine's limits, then encode, prefill and decode as shares of them");
  app->add_option("--synthetic", options->synthetic,
                  "Random weights of this architecture, made in memory")
      ->check(CLI::IsMember({"mineru2.5", "tiny"}))
      ->capture_default_str();
  AddModelFlags(app, &options->model);
  // Unlike the other commands, which look for one.
  app->get_option("--model")->description(
      "Model folder (Hugging Face or GGUF files) or .octavo file instead; default: --synthetic, "
      "which needs none");
  AddChoice(app, "--weights", &options->weights, {"w4", "w8", "bf16", "f32"},
            "Form of the language model's matrices, rounded in memory as octavo quantize "
            "does; default: as they are stored");
  for (const auto& [flag, value, what] :
       {std::tuple{"--vision", &options->vision, "Form of the vision tower's matrices"},
        std::tuple{"--head", &options->head, "Form of the table of embeddings and the head"}}) {
    AddChoice(app, flag, value, {"w4", "w8", "keep"},
              std::string(what) + "; default: w8 beside w4 and w8");
  }
  app->add_option("--image", *image, "Size of the page picture in pixels, multiples of 28")
      ->type_name("WxH")
      ->capture_default_str();
  app->add_option("--decode-steps", options->decode_steps, "Steps of decoding")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app->add_option("--batch", options->batches,
                  "Sequences decoded together; one or more numbers, in turn")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1, 64))
      ->type_name("LIST")
      ->default_str("1");
  app->add_option("--crops", options->num_crops,
                  "Crops of 448x448 pixels read together, 64 tokens each, after one alone; 0: none")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  app->add_option("--replay", options->replay,
                  "Decode these answers, JSON lines with \"answer\", as if the model wrote them, "
                  "without drafts and with: what drafts save")
      ->type_name("FILE");
  CLI::Option* json = app->add_flag("--json", options->json, "Only the closing JSON line");
  app->add_flag("--csv", options->csv, "Only CSV, a line for each phase")->excludes(json);
  app->add_option("--write-synthetic", options->write_synthetic,
                  "Write the random checkpoint as Hugging Face files and stop")
      ->type_name("DIR");
  app->footer("Example: octavo bench --weights w4 --vision w4 --head w4 --batch 1,4,8");
}

void AddConvert(CLI::App* root, ConvertOptions* options) {
  CLI::App* app = root->add_subcommand(
      "convert", "Write a model as one .octavo file, which opens at once and is used in place");
  app->add_option("model", options->model, "Model folder, GGUF or .octavo file")
      ->required()
      ->type_name("MODEL");
  app->add_option("-o,--output", options->output,
                  "File whose name ends in .octavo, or a folder to write model.octavo in")
      ->required()
      ->type_name("PATH");
  AddChoice(app, "--weights", &options->weights, {"keep", "bf16", "f32"},
            "Form of the matrices; keep: as they are stored")
      ->capture_default_str();
  AddThreads(app, &options->num_threads);
  app->add_flag("--force", options->force, "Overwrite a file that is there");
}

void AddQuantize(CLI::App* root, QuantizeOptions* options) {
  CLI::App* app = root->add_subcommand(
      "quantize", "Write a smaller model: weights rounded to groups of 4 or 8 bits");
  app->add_option("--model", options->model,
                  "Model folder or .octavo file; default: OCTAVO_MODEL, else octavo-nano")
      ->type_name("MODEL");
  app->add_option("-o,--output", options->output,
                  "File whose name ends in .octavo, or a folder to write model.octavo in; with "
                  "--format awq and gguf a folder")
      ->required()
      ->type_name("PATH");
  app->add_option("--w_bit", options->w_bit, "Bits of the language model's weights")
      ->check(CLI::IsMember({4, 8}).description(""))
      ->type_name("4|8")
      ->capture_default_str();
  app->add_option("--q_group_size", options->q_group_size,
                  "Weights that share a scale; 64 or 32 where it does not divide a row")
      ->check(CLI::IsMember({32, 64, 128}).description(""))
      ->type_name("32|64|128")
      ->capture_default_str();
  AddChoice(app, "--method", &options->method, {"awq", "rtn", "gptq"},
            "awq: scaled and clipped by what the layers read on calibration pages; gptq: "
            "rounded so that errors make up for each other there; rtn: to the nearest step")
      ->capture_default_str();
  app->add_option("--calibration", options->calibration,
                  "Pictures, PDFs or folders for awq, gptq; default: pages that are built in")
      ->type_name("PAGES");
  for (const auto& [flag, value, what] :
       {std::tuple{"--vision", &options->vision, "Form of the vision tower's matrices; default w8"},
        std::tuple{"--head", &options->head,
                   "Form of the table of embeddings and the head; default w8"}}) {
    AddChoice(app, flag, value, {"w8", "w4", "keep"}, what);
  }
  AddChoice(app, "--format", &options->format, {"octavo", "awq", "gguf"},
            "Container; awq: a folder for AutoAWQ's readers, vision tower and embeddings kept; "
            "gguf: llama.cpp's language and vision file")
      ->capture_default_str();
  app->add_option("--report", options->report, "JSON with the error of each tensor and the quality")
      ->type_name("FILE");
  CheckReal(app->add_option("--min-agreement", options->min_agreement,
                            "Share of tokens that must agree with the source, or the result is "
                            "kept aside and the command fails"),
            0, 1);
  app->add_flag("!--no-quality", options->quality, "Do not compare the result with its source");
  AddThreads(app, &options->num_threads);
  app->add_flag("--resume", options->resume, "Go on with what an interrupted run left")
      ->excludes(app->add_flag("--force", options->force,
                               "Overwrite files that are there, also what a run left"));
  app->footer(
      "w8: 8 bits within +-63, twice the bytes of w4. A matrix that no group of 32 or more "
      "divides\n"
      "stays as it is and is named.\n"
      "Example: octavo quantize --model MinerU2.5 --w_bit 4 --q_group_size 128 --output small");
}

}  // namespace octavo
