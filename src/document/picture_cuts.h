// Pictures cut out of a page, for the folder beside the Markdown.
#ifndef OCTAVO_DOCUMENT_PICTURE_CUTS_H_
#define OCTAVO_DOCUMENT_PICTURE_CUTS_H_

#include "octavo/document.h"
#include "vision/image.h"

namespace octavo {

// Cuts every image, chart, image_block and table of the page as JPEG of quality 75 (Pillow's and so
// MinerU's) and names it by page, number and a hash of its bytes, so that the pictures of several
// documents can stand in one folder.
void CutPictures(const Image& image, Page* page);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_PICTURE_CUTS_H_
