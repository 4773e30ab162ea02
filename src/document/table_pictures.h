// Pictures inside tables: which table has which, and the codes that stand for them in its text.
#ifndef OCTAVO_DOCUMENT_TABLE_PICTURES_H_
#define OCTAVO_DOCUMENT_TABLE_PICTURES_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "document/block.h"
#include "document/ink_components.h"
#include "octavo/document.h"
#include "vision/image.h"

namespace octavo {

// Every table's images (blocks of type "image" that it covers by 0.9 or more), from top to bottom
// and left to right; an image goes to the table that covers most of it, then to the smaller one.
// Source: mineru-vl-utils 2.0.7, table_image_processor.py, build_table_image_map.
std::map<size_t, std::vector<size_t>> FindTablePictures(const std::vector<ContentBlock>& blocks);

// A code in a table's text and what it becomes.
struct PictureCode {
  std::string code;    // "[K7TX]"
  std::string source;  // of the <img>
};

// Every code, with or without blanks inside its brackets, becomes <img src="…"/>. A code shorter
// than its brackets is passed over. Source: the same, replace_table_image_tokens.
std::string ReplacePictureCodes(std::string_view html, const std::vector<PictureCode>& codes);

// Code number n (from 0) of a table: four letters and figures that cannot be taken for one another,
// in square brackets. Different for every n below 10 000.
std::string PictureCodeText(size_t number);

// The crop of a table as it is sent, its pictures painted over with their codes.
struct MaskedPicture {
  Bbox bbox;  // fractions of the page
  std::string code;
};
Image CropOfTable(const Image& page, const ContentBlock& table,
                  const std::vector<MaskedPicture>& pictures);

// Paints over a rectangle of a table's crop in the colour around it and writes the code into it, if
// it fits. The box is in pixels, within the image. Source: the same, mask_and_encode_table_image;
// the letters are octavo's own, as a font file is not to be had everywhere.
void MaskPicture(const PixelBox& box, std::string_view code, Image* crop);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_TABLE_PICTURES_H_
