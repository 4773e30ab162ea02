// Repair of chart tables in which the model repeated itself.
#ifndef OCTAVO_DOCUMENT_CHART_REPAIR_H_
#define OCTAVO_DOCUMENT_CHART_REPAIR_H_

#include <string>
#include <string_view>

namespace octavo {

// Content with signs of repetition (escaped pipes, runs of line feeds, characters, lines or words,
// overlong cells, the whole twice) becomes the largest legal pipe table in it, in normal form;
// without signs or without such a table it stays.
// Source: mineru-vl-utils 2.0.7, chart_invalid_repetition.py. Case is folded for ASCII only.
std::string RepairChart(std::string_view content);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_CHART_REPAIR_H_
