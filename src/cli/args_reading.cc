#include "cli/args_reading.h"

#include <CLI/CLI.hpp>

#include "cli/args_shared.h"

namespace octavo {

void AddParse(CLI::App* root, ParseCommandOptions* options) {
  CLI::App* app = root->add_subcommand("parse", "Turn pages into Markdown, JSON and pictures");
  app->add_option("input", options->inputs,
                  "pictures or PDF files, folders of them with their sub-folders, - for stdin")
      ->required()
      ->type_name("INPUT");
  app->add_option("-o,--output", options->output_dir,
                  "Folder for the results; - writes Markdown to stdout")
      ->required()
      ->type_name("DIR");
  AddChoices(app, "--format", &options->formats,
             {"md", "content_list", "content_list_v2", "middle", "model"},
             "What to write, of md, content_list, content_list_v2, middle and model; default: "
             "md,content_list,model");
  app->add_flag("--force", options->force,
                "Read everything again and replace files that are in the way");
  app->add_option("--pages", options->pages,
                  "Pages of PDFs and TIFFs, as in 1-3,7; those that a document has are read")
      ->type_name("LIST");
  CLI::Option* password = app->add_option("--password", options->password,
                                          "Password of an encrypted PDF; others on this machine "
                                          "may see it in the list of processes for a moment");
  app->add_option("--password-file", options->password_file,
                  "File or pipe with the password in its first line; - asks for it on the terminal "
                  "or takes it from stdin")
      ->type_name("FILE")
      ->excludes(password);
  app->add_option("--dpi", options->dpi, "Resolution at which PDF pages are drawn")
      ->check(CLI::Range(36, 600))
      ->capture_default_str();
  AddChoice(app, "--layout", &options->layout, {"auto", "model", "whitespace"},
            "Who finds the blocks: the model, white space, or white space where the model "
            "does not (auto)")
      ->capture_default_str();
  AddSavingsFlags(app, &options->savings);
  app->add_flag("--image-analysis", options->image_analysis,
                "Have pictures and charts described, by a model that was trained for it");
  AddMaxPixels(app, &options->max_pixels);
  AddModelFlags(app, &options->model);
  AddDraftsFlag(app, &options->no_drafts);
  app->add_flag("--timings", options->timings, "Seconds by stage, to stderr");
  app->add_flag("--json", options->json_events, "Progress as JSON lines on stdout");
  app->footer(
      "Writes DIR/NAME.md, DIR/NAME_content_list.json, DIR/NAME_model.json and DIR/images. A run "
      "that\n"
      "was interrupted goes on where it stopped; what is already read and unchanged is skipped.\n"
      "Example: octavo parse letters/ report.pdf --pages 1-3 -o out");
}

void AddAsk(CLI::App* root, std::vector<std::string>* words, AskOptions* options) {
  CLI::App* app = root->add_subcommand("ask", "Ask a question about one or more pictures");
  app->add_option("words", *words, "picture files, then the question in quotes")
      ->required()
      ->expected(1, 65)
      ->type_name("IMAGE... QUESTION");
  AddModelFlags(app, &options->model);
  AddDraftsFlag(app, &options->no_drafts);
  AddAnswerFlags(app, &options->answer, &options->max_pixels);
}

void AddChat(CLI::App* root, ChatOptions* options) {
  CLI::App* app = root->add_subcommand(
      "chat", "Ask question after question about pictures; earlier turns are kept");
  app->add_option("pictures", options->pictures, "picture files")
      ->required()
      ->expected(1, 64)
      ->type_name("IMAGE...");
  AddModelFlags(app, &options->model);
  AddAnswerFlags(app, &options->answer, &options->max_pixels);
  app->footer(
      "Questions are lines of standard input; answers go to stdout. Ctrl-D ends.\n"
      "Example: octavo chat --model MinerU2.5 invoice.png");
}

void AddEval(CLI::App* root, EvalOptions* options) {
  CLI::App* app = root->add_subcommand(
      "eval", "Score the reading of pages against the truth beside them, settings side by side");
  app->add_option("folder", options->folder,
                  "Folder of NAME.png, NAME.pdf … with the true NAME.md and, for boxes, "
                  "NAME.layout.json beside each")
      ->required()
      ->type_name("DIR");
  app->add_option(
         "--model", options->model_dirs,
         "Model folder or file; again for a second one; default: OCTAVO_MODEL, else octavo-nano")
      ->allow_extra_args(false)
      ->type_name("MODEL");
  AddChoices(app, "--compute", &options->computes, {"f32", "bf16", "int8", "int16"},
             "Arithmetic, one or more; default: as the checkpoint is stored");
  AddChoices(app, "--attention", &options->attentions, {"f32", "int16"},
             "The vision tower's attention, one or more; see parse");
  AddKvCacheDTypeFlag(app, &options->kv_cache_dtype);
  AddChoices(app, "--layout", &options->layouts, {"auto", "model", "whitespace"},
             "Who finds the blocks, one or more; see parse")
      ->default_str("auto");
  app->add_option("--dpi", options->dpi, "Resolution at which PDF pages are drawn")
      ->check(CLI::Range(36, 600))
      ->capture_default_str();
  AddMaxPixels(app, &options->max_pixels);
  AddThreads(app, &options->num_threads);
  AddSavingsFlags(app, &options->savings);
  AddChoice(app, "--gate", &options->gate, {"balanced", "fast"},
            "Read every page with --quality best and with this one, compare, and record "
            "beside the model whether parse may use it unasked");
  app->add_flag("--json", options->json, "A JSON line for each setting instead of the table");
  app->add_flag_callback(
      "--no-timing", [options] { options->has_timing = false; },
      "Leave out the seconds: equal results then give equal bytes");
  app->footer(
      "Character error: edit distance by characters of the truth, without the marks of Markdown. "
      "TEDS:\n"
      "tables, 0 to 1; TEDS-S: their structure alone. Formulas: share that is the same. Layout F1: "
      "boxes\n"
      "of the right type that overlap by half. A page that cannot be read is wrong in all of it.\n"
      "Example: octavo eval samples --layout auto,whitespace");
}

void AddServe(CLI::App* root, ServeOptions* options) {
  CLI::App* app =
      root->add_subcommand("serve", "Answer many clients over HTTP, as OpenAI's chat does");
  app->add_option("--host", options->host, "Address to listen on")->capture_default_str();
  app->add_option("--port", options->port, "Port; 0: any free one")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  app->add_option("--api-key-file", options->api_key_file,
                  "File whose first line clients have to send as their key")
      ->type_name("FILE");
  app->add_option("--served-model-name", options->served_model_name,
                  "Name of the model; default: that of its folder")
      ->type_name("NAME");
  AddModelFlags(app, &options->model);
  app->add_option("--max-running", options->max_running, "Requests decoded together")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  AddMaxPixels(app, &options->max_pixels);
  app->add_option("--prefix-cache-tokens", options->prefix_cache_tokens,
                  "Tokens kept for requests that begin alike (picture, earlier turns); 0: none")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 24))
      ->capture_default_str();
  app->add_option("--encoder-cache-tokens", options->encoder_cache_tokens,
                  "Image tokens kept for other questions about the same pictures; 0: none")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 24))
      ->capture_default_str();
  app->add_option("--max-body-mb", options->max_body_mb, "Largest request in MiB")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  CheckReal(app->add_option("--grace", options->grace_seconds,
                            "Seconds for answers under way when it is told to stop"),
            0, 86400)
      ->capture_default_str();
  app->footer(
      "GET /health, /v1/models, /metrics; POST /v1/chat/completions. docs/server.md says the "
      "rest.\n"
      "Example: octavo serve --model MinerU2.5 --port 30000");
}

}  // namespace octavo
