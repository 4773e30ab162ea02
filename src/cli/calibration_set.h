// Calibration samples: the lines of pages, as `octavo parse` would send them.
#ifndef OCTAVO_CLI_CALIBRATION_SET_H_
#define OCTAVO_CLI_CALIBRATION_SET_H_

#include <span>
#include <string>
#include <vector>

#include "cli/builtin_pages.h"
#include "document/model_card.h"
#include "quantize/calibration.h"

namespace octavo {

struct CalibrationSet {
  std::vector<std::string> pages;  // names, for the report
  std::vector<CalibrationSample> samples;
};

// At most `max_lines` lines of each page, evenly spread, cut at white space as the model's card
// says; for a model that knows layout also the whole of the first page with the layout prompt.
CalibrationSet SamplesOfBuiltinPages(std::span<const BuiltinPage> pages, const ModelCard& card,
                                     int max_lines);

// The same of pictures and PDFs, a folder standing for those in it; of a PDF the first page, of
// all at most 64. Throws kNotFound (no such file, a folder without any), kInvalidArgument (nothing
// to read on the pages), and as decoding and PdfFile do.
CalibrationSet SamplesOfFiles(const std::vector<std::string>& paths, const ModelCard& card,
                              int max_lines);

}  // namespace octavo

#endif  // OCTAVO_CLI_CALIBRATION_SET_H_
