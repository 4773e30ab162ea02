// Repairs of Mermaid flow charts as models write them: one function per step, and all in order.
// Source: mineru-vl-utils 2.0.7, mermaid_*.py and image_analysis_postprocess.py.
#ifndef OCTAVO_DOCUMENT_MERMAID_REPAIR_H_
#define OCTAVO_DOCUMENT_MERMAID_REPAIR_H_

#include <string>
#include <string_view>

namespace octavo {

// On lines with -->: ends of edges that are no identifiers get one, and their words as a label;
// parentheses go from the labels of edges; lines are indented by two.
std::string LegalizeMermaidNames(std::string_view content);

// Drops lines whose edge has one unquoted pipe after the arrow.
std::string DropBrokenMermaidEdges(std::string_view content);

// "subgraph 1) Trigger" to "subgraph sg_1_Trigger["1) Trigger"]".
std::string LegalizeMermaidSubgraphs(std::string_view content);

// Takes the chart out of its fence, corrects the header's typing errors and arrows with blanks,
// quotes labels in square brackets, and fences it as "mermaid". Blank stays empty.
std::string NormalizeMermaid(std::string_view content);

// All steps; a chart that repeats itself becomes empty.
std::string RepairMermaid(std::string_view content);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_MERMAID_REPAIR_H_
