// From a page's blocks to MinerU's middle form.
#ifndef OCTAVO_DOCUMENT_MIDDLE_BUILDER_H_
#define OCTAVO_DOCUMENT_MIDDLE_BUILDER_H_

#include <vector>

#include "document/middle.h"
#include "octavo/document.h"

namespace octavo {

// One page without para_blocks. Under kKeepText, unlike mineru: doc_title and paragraph_title are
// titles; index, formula_number, list_item and unattached blocks of unknown kind are text; captions
// and footnotes of no kind keep their words; code keeps the language that the model's own fence
// names; titles and formulas without content are left out. Contents that are absent count as empty.
// Source: mineru 3.4.5, vlm_magic_model.py.
MiddlePage BuildMiddlePage(const Page& page, MiddleRule rule = MiddleRule::kKeepText);

// All pages that could be read, with para_blocks: text and reference lists joined.
std::vector<MiddlePage> BuildMiddle(const std::vector<Page>& pages,
                                    MiddleRule rule = MiddleRule::kKeepText);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_MIDDLE_BUILDER_H_
