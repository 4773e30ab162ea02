// Answers of Image Analysis: what kind of picture it is, and its words, table, formula or chart.
#ifndef OCTAVO_DOCUMENT_IMAGE_ANALYSIS_H_
#define OCTAVO_DOCUMENT_IMAGE_ANALYSIS_H_

#include "document/otsl.h"
#include "octavo/document.h"

namespace octavo {

// Turns the answer in the content of an image or chart into its fields: a table or formula picture
// becomes a table or equation (formulas are repaired by others), a chart gets its repaired pipe
// table, a flow chart its repaired Mermaid text, all else its words or caption; sub_type is the
// class, of charts the sub-class. An answer without tags gives empty content. Never throws on what
// a model wrote. REQUIRES: content that is not empty.
// Source: mineru-vl-utils 2.0.7, image_analysis_postprocess.py and post_process/__init__.py.
void ApplyImageAnalysis(OtslRule otsl_rule, ContentBlock* block);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_IMAGE_ANALYSIS_H_
