// Marks of list items, and which items stand in one list.
#ifndef OCTAVO_DOCUMENT_LISTS_H_
#define OCTAVO_DOCUMENT_LISTS_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "document/ink_components.h"

namespace octavo {

struct ListMark {
  enum class Kind { kNone, kBullet, kNumber, kLetter };
  Kind kind = Kind::kNone;
  int number = 0;    // of kNumber
  char closing = 0;  // of kNumber and kLetter: '.', ')' or ']'
};

// "- ", "* ", "• ", "1. ", "(a) ", "[12] " and the like at the start.
ListMark ListMarkOf(std::string_view text);

inline bool StartsWithListMark(std::string_view text) {
  return ListMarkOf(text).kind != ListMark::Kind::kNone;
}

// A paragraph as lists see it.
struct ListItem {
  ListMark mark;  // kNone: no item
  PixelBox box;
  int num_lines = 1;
  bool is_hanging = false;      // its further lines begin behind the mark
  bool has_print_mark = false;  // a disc or dash that was seen in print, whatever was read
};

// Paragraphs from `begin` to `end`, exclusive, are the items of one list.
struct ListRun {
  size_t begin = 0;
  size_t end = 0;
};

// Neighbours with marks, from top to bottom. A list ends where the numbers begin anew and where
// items whose lines hang meet paragraphs whose lines do not. One item alone is a list if its mark
// is printed or its lines hang; a number may just as well begin a sentence. `tolerance`: what is no
// difference of places, map pixels.
std::vector<ListRun> FindLists(const std::vector<ListItem>& paragraphs, double tolerance);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_LISTS_H_
