// Pictures cut out of a page, for the folder beside the Markdown.
#ifndef OCTAVO_DOCUMENT_PICTURE_CUTS_H_
#define OCTAVO_DOCUMENT_PICTURE_CUTS_H_

#include <string>

#include "octavo/document.h"
#include "vision/image.h"

namespace octavo {

// Adds a picture to those of the page, as JPEG of quality 75 (Pillow's and so MinerU's), and
// returns its name: page, number and a hash of its bytes, so that the pictures of several documents
// can stand in one folder. Empty, and nothing added, for a picture without pixels or too large for
// JPEG.
std::string AddPicture(const Image& cut, Page* page);

// Cuts every image, chart, image_block, table and display formula out of the page, of which that
// was not done before.
void CutPictures(const Image& image, Page* page);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_PICTURE_CUTS_H_
