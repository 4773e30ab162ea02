// Captions found by their words: "Figure 3: ..." beside a picture, "Table 2. ..." beside a table.
#ifndef OCTAVO_DOCUMENT_CAPTIONS_H_
#define OCTAVO_DOCUMENT_CAPTIONS_H_

#include <string_view>
#include <vector>

#include "octavo/document.h"

namespace octavo {

enum class CaptionKind { kNone, kFigure, kTable };

// "Figure", "Fig." or "Table" with a number and nothing more, or with a colon, a full stop or a
// dash behind it: "Figure 3 shows" begins a sentence. One letter of the word may be misread.
CaptionKind CaptionKindOf(std::string_view text);

// Text that begins as a caption and stands next to a picture or table in reading order, at most
// `reach` (a fraction of the page's height) above or below it, becomes image_caption or
// table_caption: of the kind that its word says where both are next to it.
void MarkCaptions(double reach, std::vector<ContentBlock>* blocks);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_CAPTIONS_H_
