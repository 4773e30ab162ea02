// Two-step extraction of one page over the engine: layout, then every block; or, by white space,
// every line.
#ifndef OCTAVO_DOCUMENT_EXTRACTOR_H_
#define OCTAVO_DOCUMENT_EXTRACTOR_H_

#include "document/ink_components.h"
#include "document/ink_map.h"
#include "document/model_card.h"
#include "octavo/document.h"
#include "octavo/engine.h"
#include "vision/image.h"

namespace octavo {

// Const and safe from any thread.
class Extractor {
 public:
  // All outlive the extractor.
  Extractor(Engine& engine, const ModelCard& card, const ParseOptions& options);

  // Fills blocks, pictures, layout, warnings and the timings of layout and recognition. A block
  // whose request fails keeps absent content and gives a warning. Throws kCancelled, and the first
  // request's Error when every request of a step failed. REQUIRES: a non-empty image.
  void ReadPage(const Image& image, Page* page) const;

 private:
  // False if the answer is of no use; then a warning says why.
  bool ReadByModel(const Image& image, const InkMap& map, const PageInk& ink, Page* page) const;
  void ReadBlocks(const Image& image, const InkMap& map, const PageInk& ink, Page* page) const;
  void ReadUprightByWhitespace(const Image& image, const InkMap& map, const PageInk& ink,
                               Page* page) const;
  void ReadStraightByWhitespace(const Image& image, const InkMap& map, const PageInk& ink,
                                Page* page) const;
  void ThrowIfCancelled() const;
  void ReadByWhitespace(const Image& image, const InkMap& map, const PageInk& ink,
                        Page* page) const;
  void ReadFoundFormulas(const Image& image, const InkMap& map, const PageInk& ink,
                         Page* page) const;

  Engine& engine_;
  const ModelCard& card_;
  const ParseOptions& options_;
};

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_EXTRACTOR_H_
