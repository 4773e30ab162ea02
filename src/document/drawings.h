// Frames around drawings, told from those around print.
#ifndef OCTAVO_DOCUMENT_DRAWINGS_H_
#define OCTAVO_DOCUMENT_DRAWINGS_H_

#include <cstdint>
#include <vector>

#include "document/ink_components.h"

namespace octavo {

// Those of the frames that hold something drawn (a shape, a slanted line) and hardly a letter:
// a figure with its border, or a plot with its axes. Not: frames of tables and boxes of text, empty
// fields of forms, borders of more than half of a page of `page_area` pixels. `components`: all of
// the page, its frames among them. `unit`: usual height of a letter.
std::vector<PixelBox> FindDrawings(const std::vector<PixelBox>& frames,
                                   const std::vector<InkComponent>& components, int unit,
                                   int64_t page_area);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_DRAWINGS_H_
