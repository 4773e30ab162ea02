// octavo parse: pictures, PDFs and folders of them, or standard input, to Markdown, JSON and
// cut-out pictures.
#ifndef OCTAVO_CLI_CMD_PARSE_H_
#define OCTAVO_CLI_CMD_PARSE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cli/model_flags.h"
#include "cli/savings_flags.h"

namespace octavo {

struct ParseCommandOptions {
  std::vector<std::string> inputs;  // files (PDF, pictures), folders of them, "-": stdin
  std::string output_dir;           // "-": Markdown to stdout, no files
  std::vector<std::string> formats = {"md", "content_list", "model"};
  bool force = false;        // replace files that octavo did not write
  bool timings = false;      // seconds by stage to stderr
  bool json_events = false;  // progress as JSON lines on stdout
  ModelFlags model;
  // Change results.
  std::string layout = "auto";  // "auto", "model", "whitespace"
  bool image_analysis = false;  // of pictures and charts
  SavingsFlags savings;  // no quality: what `octavo eval --gate` recorded of the model, else best
  std::string pages;     // "1-3,7"; "": all
  std::string password;
  std::string password_file;  // holds the password in its first line; "-": standard input
  int dpi = 200;
  int64_t max_pixels = 0;  // of a picture that the model sees; 0: the model's own
  // Change speed only.
  bool no_drafts = false;
};

// Writes DIR/NAME.md, NAME_content_list.json, NAME_model.json and DIR/images/ for every input NAME;
// progress goes to stderr. Returns 0, or the exit code of the first thing that failed when others
// were finished all the same. Throws Error for what stops the whole run.
int RunParse(const ParseCommandOptions& options);

}  // namespace octavo

#endif  // OCTAVO_CLI_CMD_PARSE_H_
