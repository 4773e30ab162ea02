// The pictures of display formulas that white space found, in the size that the model in use reads
// best.
#ifndef OCTAVO_DOCUMENT_FORMULA_CROPS_H_
#define OCTAVO_DOCUMENT_FORMULA_CROPS_H_

#include <array>

#include "document/ink_map.h"
#include "document/model_card.h"
#include "vision/image.h"

namespace octavo {

struct FormulaCrop {
  Image picture;           // empty if the box has no pixel
  int max_new_tokens = 0;  // that it can hold at one token a character, with room to spare: a model
                           // that loops is stopped there
};

// The pixels of a formula with a small margin, rescaled to letters of the sizes that the card
// names, narrower where the formula is wider than the card's limit, with paper to the right and
// below up to its least width and to the multiples that it names (which may be over the limit),
// then padded and enlarged like every crop; dark on light, whatever the page is. bbox: fractions of
// the page. map: of the page; letter_height: of its letters, in map pixels (PageInk::unit).
FormulaCrop CropOfFormula(const Image& page, const std::array<double, 4>& bbox, const InkMap& map,
                          int letter_height, const ModelCard& card);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_FORMULA_CROPS_H_
