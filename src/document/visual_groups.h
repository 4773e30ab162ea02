// Which captions and footnotes belong to which picture, table, chart or code block.
#ifndef OCTAVO_DOCUMENT_VISUAL_GROUPS_H_
#define OCTAVO_DOCUMENT_VISUAL_GROUPS_H_

#include <vector>

#include "document/middle.h"

namespace octavo {

// Takes the bodies and the "caption" and "footnote" blocks out of `blocks` (in reading order) and
// returns them as blocks of "image", "table", "chart" and "code" with their parts in order. What
// belongs to no body stays, as "text". Pictures inside an image block become its sub_images. Code
// blocks have their sub_type and guess_lang on the body, and hand them on.
// Source: mineru 3.4.5, visual_magic_model_utils.py, regroup_visual_blocks.
std::vector<MiddleBlock> TakeVisualGroups(std::vector<MiddleBlock>* blocks);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_VISUAL_GROUPS_H_
