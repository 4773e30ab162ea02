#include "document/whitespace_layout.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace octavo {
namespace {

struct Item {
  PixelBox box;
  bool is_picture = false;
  int64_t num_pixels = 0;
  int64_t num_runs = 1;
};
using Items = std::vector<Item>;

// Half-open stretch of columns.
struct Stretch {
  int x0 = 0;
  int x1 = 0;
  int width() const { return x1 - x0; }
};

struct Strip {
  Items items;
  PixelBox box;
  std::vector<Stretch> blank;  // wide enough for a gutter, margins included
};

PixelBox BoxOf(const Items& items) {
  PixelBox box = items.front().box;
  for (const Item& item : items) box.Include(item.box);
  return box;
}

int MedianHeight(const Items& items) {
  std::vector<int> heights;
  for (const Item& item : items) heights.push_back(item.box.height());
  const auto middle = heights.begin() + static_cast<ptrdiff_t>(heights.size() / 2);
  std::nth_element(heights.begin(), middle, heights.end());
  return *middle;
}

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Blank stretches of at least `min_width` between the items; the margins to both sides count as
// endless if `with_margins`.
std::vector<Stretch> BlankStretches(const Items& items, int min_width, bool with_margins) {
  std::vector<Stretch> covered;
  for (const Item& item : items) covered.push_back({item.box.x0, item.box.x1});
  std::sort(covered.begin(), covered.end(),
            [](const Stretch& a, const Stretch& b) { return a.x0 < b.x0; });
  constexpr int kFar = std::numeric_limits<int>::max() / 4;
  std::vector<Stretch> blank;
  int end = -kFar;
  for (const Stretch& stretch : covered) {
    const bool is_margin = end == -kFar;
    if (stretch.x0 - end >= min_width && (with_margins || !is_margin)) {
      blank.push_back({end, stretch.x0});
    }
    end = std::max(end, stretch.x1);
  }
  if (with_margins) blank.push_back({end, kFar});
  return blank;
}

// Width of the longest stretch of items without a gap of min_gap.
int LongestStretch(const Items& items, int min_gap) {
  int x0 = BoxOf(items).x0;
  int longest = 0;
  for (const Stretch& gap : BlankStretches(items, min_gap, false)) {
    longest = std::max(longest, gap.x0 - x0);
    x0 = gap.x1;
  }
  return std::max(longest, BoxOf(items).x1 - x0);
}

// True if the first of the items (from left to right) is a disc, a square or a dash at half height,
// apart from the words: what stands before the entries of a list. Letters of that size are not
// filled.
bool StartsWithBullet(const Items& items, double letter_height) {
  if (items.size() < 2) return false;
  const Item& mark = items[0];
  const int width = mark.box.width();
  const int height = mark.box.height();
  const bool is_filled = 100 * mark.num_pixels >= int64_t{68} * width * height;
  const bool is_disc = is_filled && std::max(width, height) <= 0.65 * letter_height &&
                       3 * std::min(width, height) >= 2 * std::max(width, height);
  const bool is_dash = is_filled && height <= 0.25 * letter_height && width >= 2 * height &&
                       width <= 1.6 * letter_height;
  if (!is_disc && !is_dash) return false;
  if (items[1].box.x0 - mark.box.x1 < 0.35 * letter_height) return false;
  std::vector<double> bottoms;
  for (const Item& item : items) bottoms.push_back(item.box.y1);
  const double baseline = Median(bottoms);
  const double centre = (mark.box.y0 + mark.box.y1) / 2.0;
  return centre < baseline - 0.15 * letter_height && centre > baseline - 0.75 * letter_height;
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
  // True for a strip that is one line, in letters of any size: from ascender to descender a line is
  // at most some 2.6 times as high as its usual letter.
  bool IsOneLine(const Strip& strip) const {
    return strip.box.height() * 5 <= 13 * std::max(unit_, MedianHeight(strip.items));
  }

  std::vector<Strip> CutIntoStrips(Items items) const;
  void JoinThinStrips(std::vector<Strip>* strips) const;
  ColumnRun FindColumns(const std::vector<Strip>& strips) const;
  ColumnRun RunFrom(const std::vector<Strip>& strips, size_t first, const Stretch& gap) const;
  bool IsColumnsOfText(const std::vector<Strip>& strips, const ColumnRun& run) const;

  // `continues`: the lines belong to the column that is being read, unless columns are found.
  void ReadRegion(Items items, int depth, bool continues);
  void ReadColumns(const std::vector<Strip>& strips, const ColumnRun& run, int depth);
  void ReadStrips(std::vector<Strip> strips, int depth, bool continues);
  void ChainLines(Items items);
  void AddLine(const Items& items);
  void FindCells(Items items, LayoutLine* line) const;

  // In a frame or the grid of a table.
  bool IsFramed(const PixelBox& box) const {
    return std::any_of(rules_.begin(), rules_.end(), [&](const PixelBox& rule) {
      return rule.x0 <= box.x0 && rule.x1 >= box.x1 && rule.y0 <= box.y0 && rule.y1 >= box.y1;
    });
  }

  int unit_;
  const std::vector<PixelBox>& rules_;
  Items items_;
  std::vector<LayoutLine> lines_;
  int column_ = 0;
};

std::vector<Strip> LineFinder::CutIntoStrips(Items items) const {
  std::sort(items.begin(), items.end(),
            [](const Item& a, const Item& b) { return a.box.y0 < b.box.y0; });
  std::vector<Strip> strips;
  for (Item& item : items) {
    if (strips.empty() || item.box.y0 > strips.back().box.y1) {
      strips.push_back({{}, item.box, {}});
    }
    strips.back().box.Include(item.box);
    strips.back().items.push_back(item);
  }
  JoinThinStrips(&strips);
  for (Strip& strip : strips) strip.blank = BlankStretches(strip.items, min_gutter(), true);
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

// The longest run of strips that starts at `first`, whose gap it shares, and has it blank.
ColumnRun LineFinder::RunFrom(const std::vector<Strip>& strips, size_t first,
                              const Stretch& gap) const {
  ColumnRun run{first, first, gap, 0};
  size_t end = first;
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
      // The longer column goes on alone, as long as its lines follow closely.
      if (strips[i].box.y0 - strips[i - 1].box.y1 > unit_ * 5 / 2) break;
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
    Items sides[2];
    for (const Item& item : strips[i].items) {
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

void LineFinder::ReadRegion(Items items, int depth, bool continues) {
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
  Items parts[4];  // above, left, right, below
  for (size_t i = 0; i < strips.size(); ++i) {
    for (const Item& item : strips[i].items) {
      size_t part = item.box.x0 >= run.gutter.x1 ? 2 : 1;
      if (i < run.first) part = 0;
      if (i >= run.last) part = 3;
      parts[part].push_back(item);
    }
  }
  for (Items& part : parts) {
    if (!part.empty()) ReadRegion(std::move(part), depth + 1, false);
  }
}

void LineFinder::ReadStrips(std::vector<Strip> strips, int depth, bool continues) {
  constexpr int kMaxDepth = 16;
  if (!continues) ++column_;
  for (Strip& strip : strips) {
    const bool has_picture = std::any_of(strip.items.begin(), strip.items.end(),
                                         [](const Item& item) { return item.is_picture; });
    if (!has_picture && IsOneLine(strip)) {
      AddLine(strip.items);
      continue;
    }
    if (strips.size() == 1 || depth >= kMaxDepth) {
      ChainLines(std::move(strip.items));
      continue;
    }
    // Alone, a tall strip may show a gutter that was too short to count among its neighbours.
    const int column = column_;
    ReadRegion(std::move(strip.items), depth + 1, true);
    if (column_ != column) ++column_;
  }
}

// Letters from left to right, each to the line whose last letter stands beside it.
void LineFinder::ChainLines(Items items) {
  struct Chain {
    Items items;
    PixelBox last;
  };
  std::sort(items.begin(), items.end(),
            [](const Item& a, const Item& b) { return a.box.x0 < b.box.x0; });
  // Letters that are large for the page have large dots.
  const int unit = std::max(unit_, MedianHeight(items));
  std::vector<Chain> chains;
  Items small;
  for (const Item& item : items) {
    if (item.is_picture) {
      lines_.push_back({item.box, true, column_, 0, 0, 0, {}, {}, false, false});
      continue;
    }
    if (item.box.height() * 2 < unit) {
      small.push_back(item);
      continue;
    }
    Chain* best = nullptr;
    double best_overlap = 0.4;
    for (Chain& chain : chains) {
      if (item.box.x0 - chain.last.x1 > 6 * unit) continue;
      const int overlap =
          std::min(item.box.y1, chain.last.y1) - std::max(item.box.y0, chain.last.y0);
      const double share =
          static_cast<double>(overlap) / std::min(item.box.height(), chain.last.height());
      if (share > best_overlap) {
        best_overlap = share;
        best = &chain;
      }
    }
    if (best == nullptr) {
      chains.emplace_back();
      best = &chains.back();
    }
    best->items.push_back(item);
    best->last = item.box;
  }
  // Dots, commas and accents go to the line whose letters are nearest.
  for (const Item& item : small) {
    Chain* best = nullptr;
    int best_distance = 2 * unit;
    for (Chain& chain : chains) {
      for (const Item& letter : chain.items) {
        const int dx = std::max({0, letter.box.x0 - item.box.x1, item.box.x0 - letter.box.x1});
        const int dy = std::max({0, letter.box.y0 - item.box.y1, item.box.y0 - letter.box.y1});
        if (dx + 2 * dy < best_distance) {
          best_distance = dx + 2 * dy;
          best = &chain;
        }
      }
    }
    if (best != nullptr) best->items.push_back(item);
  }
  std::stable_sort(chains.begin(), chains.end(), [](const Chain& a, const Chain& b) {
    return a.items.front().box.y1 < b.items.front().box.y1;
  });
  for (Chain& chain : chains) AddLine(chain.items);
}

void LineFinder::AddLine(const Items& items) {
  LayoutLine line;
  line.box = BoxOf(items);
  line.column = column_;
  line.num_letters = static_cast<int>(items.size());
  std::vector<int> heights;
  int64_t num_pixels = 0;
  int64_t num_runs = 0;
  for (const Item& item : items) {
    heights.push_back(item.box.height());
    num_pixels += item.num_pixels;
    num_runs += item.num_runs;
  }
  const size_t rank = heights.size() * 9 / 10;
  std::nth_element(heights.begin(), heights.begin() + static_cast<ptrdiff_t>(rank), heights.end());
  line.letter_height = heights[rank];
  line.stroke_width = static_cast<double>(num_pixels) / static_cast<double>(num_runs);
  FindCells(items, &line);
  lines_.push_back(std::move(line));
}

void LineFinder::FindCells(Items items, LayoutLine* line) const {
  const double letter_height = line->letter_height;
  std::sort(items.begin(), items.end(),
            [](const Item& a, const Item& b) { return a.box.x0 < b.box.x0; });
  line->has_bullet = StartsWithBullet(items, letter_height);
  line->cells.push_back({items[line->has_bullet ? 1 : 0].box.x0, line->box.x1});
  // A word gap is a quarter of an em; letters are set much closer. A gap of 1.4 em parts cells or,
  // in a narrow justified column, words; twice as much never parts words. In a grid the lines part
  // cells, too, so that these may stand closer.
  const int min_gap = std::max(2, static_cast<int>(letter_height * 0.28));
  const double min_cell_gap = (IsFramed(line->box) ? 1.2 : 2.0) * letter_height;
  for (const Stretch& blank : BlankStretches(items, min_gap, false)) {
    if (blank.x1 <= line->cells.front().x0) continue;  // behind the bullet
    line->gaps.push_back({blank.x0, blank.x1});
    if (blank.width() <= min_cell_gap) continue;
    line->cells.back().x1 = blank.x0;
    line->cells.push_back({blank.x1, line->box.x1});
    if (blank.width() > 3 * letter_height) line->is_row = true;
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
