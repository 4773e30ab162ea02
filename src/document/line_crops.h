// The pictures of single text lines, in the size that the model in use reads best.
#ifndef OCTAVO_DOCUMENT_LINE_CROPS_H_
#define OCTAVO_DOCUMENT_LINE_CROPS_H_

#include <vector>

#include "document/ink_map.h"
#include "document/model_card.h"
#include "document/whitespace_layout.h"
#include "vision/image.h"

namespace octavo {

// Part of a line, in pixels of the layout's map.
struct LinePiece {
  size_t line = 0;  // index into layout.lines
  size_t cell = 0;  // index into its cells
  PixelBox box;     // the crop, with a small margin
};

// Cells of lines (no pictures) in reading order; one that would be wider than the card's limit at
// the card's height is cut at its widest word gaps into pieces of about the same width.
std::vector<LinePiece> CutLines(const WhitespaceLayout& layout, const ModelCard& card, int width,
                                int height);

// The pixels of a piece, rescaled to the card's height, with paper behind up to its least width,
// then padded and enlarged like every crop; dark on light, whatever the page is. `map`: of the
// page, in whose pixels the box is. Empty if the box has no pixel.
Image CropOfLine(const Image& page, const LinePiece& piece, const InkMap& map,
                 const ModelCard& card);

// The most tokens that the line can hold, at one token a character, with room to spare: a model
// that loops is stopped there.
int MaxTokensOfLine(const Image& crop);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_LINE_CROPS_H_
