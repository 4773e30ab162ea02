// Which blocks of a page belong together: list and items; picture, table or code with its captions
// and footnotes.
#ifndef OCTAVO_DOCUMENT_PAGE_STRUCTURE_H_
#define OCTAVO_DOCUMENT_PAGE_STRUCTURE_H_

#include <cstddef>
#include <vector>

#include "octavo/document.h"

namespace octavo {

// One entry of the page's reading order.
struct PageItem {
  enum class Kind {
    kSimple,     // one block: text, title, equation, …
    kList,       // members are the items
    kVisual,     // members are the body, its captions and its footnotes, by index
    kDiscarded,  // header, footer, page number, …; after all others
  };
  Kind kind = Kind::kSimple;
  size_t block = 0;  // the block itself, the list container or the body
  std::vector<size_t> members;
};

// Lists without items vanish; captions and footnotes without body are simple blocks; pictures
// inside an image_block go with it. Source: mineru 3.4.5, vlm_magic_model.py, without the
// geometric pre-passes of visual_magic_model_utils.py.
std::vector<PageItem> FindStructure(const std::vector<ContentBlock>& blocks);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_PAGE_STRUCTURE_H_
