#include "document/whitespace_layout.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <utility>

#include "document/ink_items.h"
#include "document/line_chains.h"

namespace octavo {
namespace {

struct Strip {
  InkItems items;
  PixelBox box;
  std::vector<Stretch> blank;  // wide enough for a gutter, margins included
};

// Width of the longest stretch of items without a gap of min_gap.
int LongestStretch(const InkItems& items, int min_gap) {
  int x0 = BoxOf(items).x0;
  int longest = 0;
  for (const Stretch& gap : BlankStretches(items, min_gap, false)) {
    longest = std::max(longest, gap.x0 - x0);
    x0 = gap.x1;
  }
  return std::max(longest, BoxOf(items).x1 - x0);
}

// Neighbouring strips with a common gutter.
struct ColumnRun {
  size_t first = 0;
  size_t last = 0;  // exclusive
  Stretch gutter;
  int height = 0;
};

class LineFinder {
 public:
  explicit LineFinder(const PageInk& page) : unit_(page.unit), rules_(page.rules) {
    for (const InkComponent& letter : page.letters) {
      items_.push_back({letter.box, false, letter.num_pixels, letter.num_runs});
    }
    for (const PixelBox& picture : page.pictures) items_.push_back({picture, true, 0, 1});
  }

  std::vector<LayoutLine> Find() && {
    if (!items_.empty()) ReadRegion(std::move(items_), 0, false);
    return std::move(lines_);
  }

 private:
  // Lines on a page stand at least this far apart from columns beside them.
  int min_gutter() const { return std::max(3, unit_ * 9 / 5); }
  // In a line of large letters words stand as far apart as columns of small print do.
  int GutterOf(const Strip& strip) const {
    if (!IsOneLine(strip)) return min_gutter();
    return std::max(min_gutter(), MedianHeight(strip.items) * 9 / 5);
  }
  // True for a strip that is one line, in letters of any size: from ascender to descender a line is
  // at most some 2.6 times as high as its usual letter.
  bool IsOneLine(const Strip& strip) const {
    return strip.box.height() * 5 <= 13 * std::max(unit_, MedianHeight(strip.items));
  }

  std::vector<Strip> CutIntoStrips(InkItems items) const;
  void JoinThinStrips(std::vector<Strip>* strips) const;
  ColumnRun FindColumns(const std::vector<Strip>& strips) const;
  bool IsRestOfColumn(const std::vector<Strip>& strips, size_t first, size_t rest,
                      const Stretch& gutter) const;
  ColumnRun RunFrom(const std::vector<Strip>& strips, size_t first, const Stretch& gap) const;
  bool IsColumnsOfText(const std::vector<Strip>& strips, const ColumnRun& run) const;

  // `continues`: the lines belong to the column that is being read, unless columns are found.
  void ReadRegion(InkItems items, int depth, bool continues);
  void ReadColumns(const std::vector<Strip>& strips, const ColumnRun& run, int depth);
  void ReadStrips(std::vector<Strip> strips, int depth, bool continues);
  void ReadChains(const InkItems& items);

  int unit_;
  const std::vector<PixelBox>& rules_;
  InkItems items_;
  std::vector<LayoutLine> lines_;
  int column_ = 0;
};

std::vector<Strip> LineFinder::CutIntoStrips(InkItems items) const {
  std::sort(items.begin(), items.end(),
            [](const InkItem& a, const InkItem& b) { return a.box.y0 < b.box.y0; });
  std::vector<Strip> strips;
  for (InkItem& item : items) {
    if (strips.empty() || item.box.y0 > strips.back().box.y1) {
      strips.push_back({{}, item.box, {}});
    }
    strips.back().box.Include(item.box);
    strips.back().items.push_back(item);
  }
  JoinThinStrips(&strips);
  for (Strip& strip : strips) strip.blank = BlankStretches(strip.items, GutterOf(strip), true);
  return strips;
}

// Accents, dots of leaders and hyphens that stand alone between two lines belong to the nearer
// line; a thin strip far from any (a dotted rule) is nothing to read.
void LineFinder::JoinThinStrips(std::vector<Strip>* strips) const {
  std::vector<Strip> kept;
  for (size_t i = 0; i < strips->size(); ++i) {
    Strip& strip = (*strips)[i];
    if (strip.box.height() * 5 >= unit_ * 3) {
      kept.push_back(std::move(strip));
      continue;
    }
    const int above =
        kept.empty() ? std::numeric_limits<int>::max() : strip.box.y0 - kept.back().box.y1;
    const int below = i + 1 < strips->size() ? (*strips)[i + 1].box.y0 - strip.box.y1
                                             : std::numeric_limits<int>::max();
    const int reach = unit_ * 3 / 5;
    if (std::min(above, below) > reach) continue;
    Strip& target = above <= below ? kept.back() : (*strips)[i + 1];
    target.box.Include(strip.box);
    target.items.insert(target.items.end(), strip.items.begin(), strip.items.end());
  }
  *strips = std::move(kept);
}

// True if all strips from `rest` on stand on one side of the gutter, and one of them is about as
// wide as the strips from `first` on are there: then the columns end with the page, and a heading,
// a formula or a picture only keeps the longer one at a distance.
bool LineFinder::IsRestOfColumn(const std::vector<Strip>& strips, size_t first, size_t rest,
                                const Stretch& gutter) const {
  const bool is_left = strips[rest].box.x1 <= gutter.x0;
  // A table may reach into the gutter.
  const auto is_of_side = [&](const PixelBox& box) {
    return is_left ? box.x1 + min_gutter() <= gutter.x1 : box.x0 - min_gutter() >= gutter.x0;
  };
  InkItems before;
  for (size_t i = first; i < rest; ++i) {
    for (const InkItem& item : strips[i].items) {
      if (is_of_side(item.box)) before.push_back(item);
    }
  }
  if (before.empty()) return false;
  const PixelBox column = BoxOf(before);
  bool has_full_line = false;
  for (size_t i = rest; i < strips.size(); ++i) {
    const PixelBox& box = strips[i].box;
    if (!is_of_side(box)) return false;
    has_full_line = has_full_line || (std::abs(box.x0 - column.x0) <= 2 * unit_ &&
                                      std::abs(box.x1 - column.x1) <= 2 * unit_);
  }
  return has_full_line;
}

// The longest run of strips that starts at `first`, whose gap it shares, and has it blank.
ColumnRun LineFinder::RunFrom(const std::vector<Strip>& strips, size_t first,
                              const Stretch& gap) const {
  ColumnRun run{first, first, gap, 0};
  size_t end = first;
  bool is_rest = false;  // all that follows belongs to the longer column
  for (size_t i = first; i < strips.size(); ++i) {
    Stretch common{0, 0};
    for (const Stretch& blank : strips[i].blank) {
      const Stretch shared{std::max(blank.x0, run.gutter.x0), std::min(blank.x1, run.gutter.x1)};
      if (shared.width() > common.width()) common = shared;
    }
    if (common.width() < min_gutter()) break;
    const bool is_left_only = strips[i].box.x1 <= common.x0;
    const bool is_right_only = strips[i].box.x0 >= common.x1;
    if (is_left_only || is_right_only) {
      // The longer column goes on alone, as long as its lines follow closely, or it fills the page.
      const bool is_close = strips[i].box.y0 - strips[i - 1].box.y1 <= unit_ * 5 / 2;
      is_rest = is_rest || (!is_close && IsRestOfColumn(strips, first, i, common));
      if (!is_close && !is_rest) break;
      end = i + 1;
      continue;
    }
    run.gutter = common;
    run.height += strips[i].box.height();
    end = i + 1;
  }
  run.last = end;
  return run;
}

// Text runs on in columns; the cells of a table are read across. Columns whose lines stand at
// different heights, or whose lines are long on both sides, are text.
bool LineFinder::IsColumnsOfText(const std::vector<Strip>& strips, const ColumnRun& run) const {
  std::vector<double> left;
  std::vector<double> right;
  int uneven_height = 0;
  for (size_t i = run.first; i < run.last; ++i) {
    InkItems sides[2];
    for (const InkItem& item : strips[i].items) {
      sides[item.box.x0 >= run.gutter.x1 ? 1 : 0].push_back(item);
    }
    if (sides[0].empty() || sides[1].empty()) continue;
    left.push_back(LongestStretch(sides[0], min_gutter()));
    right.push_back(LongestStretch(sides[1], min_gutter()));
    if (strips[i].box.height() > unit_ * 4) uneven_height += strips[i].box.height();
  }
  if (2 * uneven_height >= run.height) return true;
  return std::min(Median(left), Median(right)) >= 14.0 * unit_;
}

ColumnRun LineFinder::FindColumns(const std::vector<Strip>& strips) const {
  // Four lines of text with their leading.
  const int min_height = unit_ * 8;
  ColumnRun best;
  for (size_t i = 0; i < strips.size(); ++i) {
    // The first and the last stretch are the margins.
    for (size_t g = 1; g + 1 < strips[i].blank.size(); ++g) {
      const ColumnRun run = RunFrom(strips, i, strips[i].blank[g]);
      if (run.height < min_height || run.height <= best.height) continue;
      if (IsColumnsOfText(strips, run)) best = run;
    }
  }
  return best;
}

void LineFinder::ReadRegion(InkItems items, int depth, bool continues) {
  constexpr int kMaxDepth = 12;
  std::vector<Strip> strips = CutIntoStrips(std::move(items));
  if (strips.empty()) return;
  if (depth < kMaxDepth) {
    const ColumnRun run = FindColumns(strips);
    if (run.height > 0) {
      ReadColumns(strips, run, depth);
      return;
    }
  }
  ReadStrips(std::move(strips), depth, continues);
}

void LineFinder::ReadColumns(const std::vector<Strip>& strips, const ColumnRun& run, int depth) {
  InkItems parts[4];  // above, left, right, below
  for (size_t i = 0; i < strips.size(); ++i) {
    for (const InkItem& item : strips[i].items) {
      size_t part = item.box.x0 >= run.gutter.x1 ? 2 : 1;
      if (i < run.first) part = 0;
      if (i >= run.last) part = 3;
      parts[part].push_back(item);
    }
  }
  for (InkItems& part : parts) {
    if (!part.empty()) ReadRegion(std::move(part), depth + 1, false);
  }
}

void LineFinder::ReadStrips(std::vector<Strip> strips, int depth, bool continues) {
  constexpr int kMaxDepth = 16;
  if (!continues) ++column_;
  for (Strip& strip : strips) {
    const bool has_picture = std::any_of(strip.items.begin(), strip.items.end(),
                                         [](const InkItem& item) { return item.is_picture; });
    if (!has_picture && IsOneLine(strip)) {
      lines_.push_back(MakeLine(strip.items, column_, rules_));
      continue;
    }
    if (strips.size() == 1 || depth >= kMaxDepth) {
      ReadChains(strip.items);
      continue;
    }
    // Alone, a tall strip may show a gutter that was too short to count among its neighbours.
    const int column = column_;
    ReadRegion(std::move(strip.items), depth + 1, true);
    if (column_ != column) ++column_;
  }
}

void LineFinder::ReadChains(const InkItems& items) {
  InkItems letters;
  for (const InkItem& item : items) {
    if (item.is_picture) {
      LayoutLine picture;
      picture.box = item.box;
      picture.is_picture = true;
      picture.column = column_;
      lines_.push_back(picture);
    } else {
      letters.push_back(item);
    }
  }
  for (const InkItems& chain : ChainLetters(std::move(letters), unit_)) {
    lines_.push_back(MakeLine(chain, column_, rules_));
  }
}

}  // namespace

WhitespaceLayout FindLines(const PageInk& page) {
  // A page of newsprint has 20,000 letters; more are texture or noise.
  constexpr size_t kMaxLetters = 60'000;
  if (page.unit == 0 || page.letters.size() > kMaxLetters) return {};
  return {page.unit, LineFinder(page).Find(), page.rules};
}

}  // namespace octavo
