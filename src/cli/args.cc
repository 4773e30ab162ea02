#include "cli/args.h"

#include <cstdio>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/utf8.h"

namespace octavo {
namespace {

constexpr const char* kDescription =
    "octavo reads documents on the computer you already own: page pictures and PDFs in;\n"
    "Markdown with headings, tables and LaTeX, JSON with boxes, or answers to questions out.\n"
    "It needs no network and no GPU; nothing leaves this machine.\n"
    "\n"
    "Start here:\n"
    "  octavo parse report.pdf -o out           out/report.md, pictures in out/images\n"
    "  octavo parse scan.png -o -               Markdown on the screen\n"
    "  octavo ask line.png \"Text Recognition:\"  what it reads in the picture of one line";

constexpr const char* kFooter =
    "\"octavo COMMAND --help\" explains a command. Results go to stdout or files, everything else "
    "to\n"
    "stderr.\n"
    "Exit codes: 0 done, 1 internal error, 2 wrong flag or wish, 3 not found, 4 damaged file,\n"
    "5 not supported, 6 out of memory or over a limit, 7 read or write failed, 130 interrupted.\n"
    "Environment: OCTAVO_MODEL, the model; OCTAVO_ISA, a kernel table (scalar, avx2, …).";

// As CLI::IsMember, without repeating the choices in the help: the type name shows them.
CLI::Validator OneOf(std::vector<std::string> choices) {
  return CLI::IsMember(std::move(choices)).description("");
}

void AddModelFlags(CLI::App* app, std::string* model_dir, std::string* compute, int* num_threads,
                   int64_t* memory_limit) {
  app->add_option(
         "--model", *model_dir,
         "Model folder (Hugging Face or GGUF files) or .octavo file; default: OCTAVO_MODEL, else "
         "octavo-nano")
      ->type_name("MODEL");
  app->add_option("--compute", *compute, "Arithmetic; default: as the checkpoint is stored")
      ->check(OneOf({"f32", "bf16", "int8"}))
      ->type_name("f32|bf16|int8");
  app->add_option("--threads", *num_threads, "Threads; default: physical cores that may be used")
      ->check(CLI::Range(1, 256));
  app->add_option("--memory-limit", *memory_limit,
                  "Memory that it may take, as 900M or 2G; a model that needs more is refused "
                  "before it is loaded; default: 80 % of what there is")
      ->transform(CLI::AsSizeValue(true).description(""))
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 56).description(""))
      ->type_name("BYTES");
}

void AddAttentionFlag(CLI::App* app, std::string* attention) {
  app->add_option(
         "--attention", *attention,
         "The vision tower's attention; int16: 16-bit integers, error about 0.1 %; default: "
         "f32 with --compute f32, else what is faster here")
      ->check(OneOf({"f32", "int16"}))
      ->type_name("f32|int16");
}

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
  app->add_option("--format", options->formats,
                  "What to write, of md, content_list, content_list_v2, middle and model; default: "
                  "md,content_list,model")
      ->delimiter(',')
      ->check(OneOf({"md", "content_list", "content_list_v2", "middle", "model"}))
      ->type_name("LIST");
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
  app->add_option("--layout", options->layout,
                  "Who finds the blocks: the model, white space, or white space where the model "
                  "does not (auto)")
      ->check(OneOf({"auto", "model", "whitespace"}))
      ->type_name("auto|model|whitespace")
      ->capture_default_str();
  app->add_flag("--image-analysis", options->image_analysis,
                "Have pictures and charts described, by a model that was trained for it");
  app->add_option(
         "--max-pixels", options->max_pixels,
         "Width x height up to which the model is shown a picture; default: the model's own")
      ->check(CLI::Range(int64_t{784}, int64_t{51'380'224}));
  AddModelFlags(app, &options->model_dir, &options->compute, &options->num_threads,
                &options->memory_limit);
  AddAttentionFlag(app, &options->attention);
  app->add_flag("--timings", options->timings, "Seconds by stage, to stderr");
  app->add_flag("--json", options->json_events, "Progress as JSON lines on stdout");
  app->footer(
      "Writes DIR/NAME.md, DIR/NAME_content_list.json, DIR/NAME_model.json and DIR/images. A run "
      "that\n"
      "was interrupted goes on where it stopped; what is already read and unchanged is skipped.\n"
      "Example: octavo parse letters/ report.pdf --pages 1-3 -o out");
}

void AddAnswerFlags(CLI::App* app, AnswerOptions* options, int64_t* max_pixels) {
  app->add_option("--max-tokens", options->max_new_tokens, "End an answer after so many tokens")
      ->check(CLI::Range(1, 1 << 20));
  app->add_option("--max-pixels", *max_pixels,
                  "Width x height up to which the model is shown a picture")
      ->check(CLI::Range(int64_t{784}, int64_t{51'380'224}));
  app->add_option("--temperature", options->temperature, "0: always the likeliest token")
      ->check(CLI::Range(0.0, 10.0))
      ->capture_default_str();
  app->add_option("--seed", options->seed, "Of sampling; the same seed gives the same answer");
}

void AddAsk(CLI::App* root, std::vector<std::string>* words, AskOptions* options) {
  CLI::App* app = root->add_subcommand("ask", "Ask a question about one or more pictures");
  app->add_option("words", *words, "picture files, then the question in quotes")
      ->required()
      ->expected(1, 65)
      ->type_name("IMAGE... QUESTION");
  AddModelFlags(app, &options->model_dir, &options->compute, &options->num_threads,
                &options->memory_limit);
  AddAttentionFlag(app, &options->attention);
  AddAnswerFlags(app, &options->answer, &options->max_pixels);
}

void AddChat(CLI::App* root, ChatOptions* options) {
  CLI::App* app = root->add_subcommand(
      "chat", "Ask question after question about pictures; earlier turns are kept");
  app->add_option("pictures", options->pictures, "picture files")
      ->required()
      ->expected(1, 64)
      ->type_name("IMAGE...");
  AddModelFlags(app, &options->model_dir, &options->compute, &options->num_threads,
                &options->memory_limit);
  AddAttentionFlag(app, &options->attention);
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
  app->add_option("--compute", options->computes,
                  "Arithmetic, one or more; default: as the checkpoint is stored")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(OneOf({"f32", "bf16", "int8"}))
      ->type_name("LIST");
  app->add_option("--attention", options->attentions,
                  "The vision tower's attention, one or more; see parse")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(OneOf({"f32", "int16"}))
      ->type_name("LIST");
  app->add_option("--layout", options->layouts, "Who finds the blocks, one or more; see parse")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(OneOf({"auto", "model", "whitespace"}))
      ->type_name("LIST")
      ->default_str("auto");
  app->add_option("--dpi", options->dpi, "Resolution at which PDF pages are drawn")
      ->check(CLI::Range(36, 600))
      ->capture_default_str();
  app->add_option(
         "--max-pixels", options->max_pixels,
         "Width x height up to which the model is shown a picture; default: the model's own")
      ->check(CLI::Range(int64_t{784}, int64_t{51'380'224}));
  app->add_option("--threads", options->num_threads,
                  "Threads; default: physical cores that may be used")
      ->check(CLI::Range(1, 256));
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

void AddInspect(CLI::App* root, InspectOptions* options) {
  CLI::App* app = root->add_subcommand(
      "inspect", "Show a model's parts, sizes and memory plan, and whether it is whole");
  app->add_option("model", options->path, "Model folder, .octavo or GGUF file")
      ->required()
      ->type_name("MODEL");
  app->add_option("--compute", options->compute, "Arithmetic that the memory plan is for")
      ->check(OneOf({"f32", "bf16", "int8"}))
      ->type_name("f32|bf16|int8");
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
  AddModelFlags(app, &options->model_dir, &options->compute, &options->num_threads,
                &options->memory_limit);
  app->add_option("--weights", options->weights,
                  "Form of the language model's matrices, rounded in memory as octavo quantize "
                  "does; default: as they are stored")
      ->check(OneOf({"w4", "w8", "bf16", "f32"}))
      ->type_name("w4|w8|bf16|f32");
  for (const auto& [flag, value, what] :
       {std::tuple{"--vision", &options->vision, "Form of the vision tower's matrices"},
        std::tuple{"--head", &options->head, "Form of the table of embeddings and the head"}}) {
    app->add_option(flag, *value, std::string(what) + "; default: w8 beside w4 and w8")
        ->check(OneOf({"w4", "w8", "keep"}))
        ->type_name("w4|w8|keep");
  }
  AddAttentionFlag(app, &options->attention);
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
  CLI::Option* json = app->add_flag("--json", options->json, "Only the closing JSON line");
  app->add_flag("--csv", options->csv, "Only CSV, a line for each phase")->excludes(json);
  app->add_option("--write-synthetic", options->write_synthetic,
                  "Write the random checkpoint as Hugging Face files and stop")
      ->type_name("DIR");
  app->footer("Example: octavo bench --weights w4 --vision w4 --head w4 --batch 1,4,8");
}

void AddThreads(CLI::App* app, int* num_threads) {
  app->add_option("--threads", *num_threads,
                  "Threads; default: physical cores that may be used; the result is the same")
      ->check(CLI::Range(1, 256));
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
  app->add_option("--weights", options->weights, "Form of the matrices; keep: as they are stored")
      ->check(OneOf({"keep", "bf16", "f32"}))
      ->type_name("keep|bf16|f32")
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
                  "File whose name ends in .octavo, or a folder to write model.octavo in")
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
  app->add_option("--method", options->method,
                  "awq: scaled and clipped by what the layers read on calibration pages; rtn: each "
                  "weight to the nearest step")
      ->check(OneOf({"awq", "rtn", "gptq"}))
      ->type_name("awq|rtn")
      ->capture_default_str();
  app->add_option("--calibration", options->calibration,
                  "Pictures, PDFs or folders for awq; default: pages that are built in")
      ->type_name("PAGES");
  for (const auto& [flag, value, what] :
       {std::tuple{"--vision", &options->vision, "Form of the vision tower's matrices; default w8"},
        std::tuple{"--head", &options->head,
                   "Form of the table of embeddings and the head; default w8"}}) {
    app->add_option(flag, *value, what)
        ->check(OneOf({"w8", "w4", "keep"}))
        ->type_name("w8|w4|keep");
  }
  app->add_option(
         "--format", options->format,
         "Container; awq: a folder for AutoAWQ's readers, vision tower and embeddings kept")
      ->check(OneOf({"octavo", "awq", "gguf"}))
      ->type_name("octavo|awq")
      ->capture_default_str();
  app->add_option("--report", options->report, "JSON with the error of each tensor and the quality")
      ->type_name("FILE");
  app->add_option(
         "--min-agreement", options->min_agreement,
         "Share of tokens that must agree with the source, or the result is kept aside and "
         "the command fails")
      ->check(CLI::Range(0.0, 1.0).description(""))
      ->type_name("0..1");
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

// The first word; CLI11 says of another one only that a command is missing.
bool IsCommandOrFlag(const CLI::App& app, const std::string& word) {
  if (word.starts_with('-')) return true;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == word) return true;
  }
  return false;
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
  AddModelFlags(app, &options->model_dir, &options->compute, &options->num_threads,
                &options->memory_limit);
  AddAttentionFlag(app, &options->attention);
  app->add_option("--max-running", options->max_running, "Requests decoded together")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  app->add_option(
         "--max-pixels", options->max_pixels,
         "Width x height up to which the model is shown a picture; default: the model's own")
      ->check(CLI::Range(int64_t{784}, int64_t{51'380'224}));
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
  app->add_option("--grace", options->grace_seconds,
                  "Seconds for answers under way when it is told to stop")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str();
  app->footer(
      "GET /health, /v1/models, /metrics; POST /v1/chat/completions. docs/server.md says the "
      "rest.\n"
      "Example: octavo serve --model MinerU2.5 --port 30000");
}

// "1036x1036" to two numbers; false if it is anything else.
bool SplitImageSize(const std::string& text, BenchOptions* options) {
  char rest = 0;
  return std::sscanf(text.c_str(), "%5dx%5d%c", &options->image_width, &options->image_height,
                     &rest) == 2;
}

}  // namespace

Command ParseArgs(int argc, const char* const* argv) {
  CLI::App app(kDescription, "octavo");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("octavo ") + OCTAVO_VERSION);
  app.require_subcommand(1);
  ParseCommandOptions parse;
  AskOptions ask;
  std::vector<std::string> ask_words;
  ChatOptions chat;
  EvalOptions eval;
  InspectOptions inspect;
  BenchOptions bench;
  ConvertOptions convert;
  QuantizeOptions quantize;
  ServeOptions serve;
  std::string bench_image = "1036x1036";
  AddParse(&app, &parse);
  AddAsk(&app, &ask_words, &ask);
  AddChat(&app, &chat);
  AddEval(&app, &eval);
  AddInspect(&app, &inspect);
  AddBench(&app, &bench_image, &bench);
  AddConvert(&app, &convert);
  AddQuantize(&app, &quantize);
  AddServe(&app, &serve);
  if (argc <= 1) {
    std::fputs(app.help().c_str(), stdout);
    return ExitNow{0};
  }
  if (!IsCommandOrFlag(app, argv[1])) {
    std::fprintf(stderr, "octavo: no command '%s'%s; octavo --help shows the commands\n",
                 PrintableName(argv[1]).c_str(),
                 std::string_view(argv[1]) == "pull" ? " yet: --model names a model's folder" : "");
    return ExitNow{2};
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return ExitNow{app.exit(error) == 0 ? 0 : 2};
  }
  if (app.got_subcommand("parse")) return parse;
  if (app.got_subcommand("eval")) return eval;
  if (app.got_subcommand("inspect")) return inspect;
  if (app.got_subcommand("convert")) return convert;
  if (app.got_subcommand("quantize")) return quantize;
  if (app.got_subcommand("serve")) return serve;
  if (app.got_subcommand("chat")) return chat;
  if (app.got_subcommand("ask")) {
    if (ask_words.size() < 2) {
      std::fprintf(stderr, "octavo: ask: found only '%s', expected PICTURE... \"QUESTION\"\n",
                   PrintableName(ask_words.front()).c_str());
      return ExitNow{2};
    }
    ask.question = ask_words.back();
    ask_words.pop_back();
    ask.pictures = ask_words;
    return ask;
  }
  if (!SplitImageSize(bench_image, &bench)) {
    std::fprintf(stderr, "octavo: --image %s: expected WIDTHxHEIGHT\n", bench_image.c_str());
    return ExitNow{2};
  }
  return bench;
}

void BlankSecrets(int argc, char** argv) {
  constexpr std::string_view kFlag = "--password";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    char* secret = nullptr;
    if (word == kFlag && i + 1 < argc) {
      secret = argv[++i];
    } else if (word.substr(0, kFlag.size() + 1) == "--password=") {
      secret = argv[i] + kFlag.size() + 1;
    }
    for (; secret != nullptr && *secret != 0; ++secret) *secret = '*';
  }
}

}  // namespace octavo
