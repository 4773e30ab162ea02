// Answers of Image Analysis: tags, charts, flow charts, pipe tables; and answers about cells of
// tables that go on over a page. Nothing may be thrown.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "document/block.h"
#include "document/cell_merge.h"
#include "document/image_analysis.h"
#include "document/mermaid_repair.h"
#include "document/post_process.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octavo;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Bbox box = {0.1, 0.1, 0.9, 0.5};
  PostProcess({{"image", box, 0, text}, {"chart", box, 0, text}, {"table", box, 0, text}});
  for (const char* kind : {"flowchart", "chart", "pure_table"}) {
    ContentBlock block{"image", box, 0,
                       std::string("<|class_start|>") + kind + "<|class_end|><|content_start|>" +
                           text + "<|content_end|>"};
    ApplyImageAnalysis(OtslRule::kKeepText, &block);
  }
  RepairMermaid(text);
  const ContentBlock table{"table", box, 0, text};
  for (const CellMergeQuestion& question : FindCellMergeQuestions({{table}, {table}})) {
    ReadCellMergeAnswer(question, text);
  }
  return 0;
}
