// Watches a layout answer while it is written, so that a model that was never trained for layout,
// or that lost its way, does not write junk up to the end of its context.
#ifndef OCTAVO_DOCUMENT_LAYOUT_GUARD_H_
#define OCTAVO_DOCUMENT_LAYOUT_GUARD_H_

#include <set>
#include <string>
#include <string_view>

namespace octavo {

// One thread. No answer that layout_check.h accepts is stopped, except by the number of blocks.
class LayoutGuard {
 public:
  static constexpr int kMaxBlocks = 3000;

  // Takes what was written next; says in a few words why the answer is not worth waiting for, or
  // "".
  std::string Add(std::string_view text);

 private:
  std::string CheckBlock();

  std::string pending_;  // from the last <|box_start|> on; before the first: everything
  bool has_start_ = false;
  int num_blocks_ = 0;   // complete ones
  int num_invalid_ = 0;  // of these
  std::set<std::string> seen_;
};

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_LAYOUT_GUARD_H_
