#include "document/ink_map.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace octavo {
namespace {

constexpr int64_t kMaxMapPixels = 16'000'000;
constexpr int kTile = 32;  // of the background grid, map pixels
// Contrast (0 to 255) below which nothing is print, and the range of the threshold.
constexpr int kMinContrast = 28;
constexpr int kMinThreshold = 24;
constexpr int kMaxThreshold = 110;
// A tile this much darker than the paper is no paper.
constexpr int kPanelContrast = 70;

struct GrayMap {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> values;

  uint8_t* row(int y) {
    return values.data() + static_cast<size_t>(y) * static_cast<size_t>(width);
  }
  const uint8_t* row(int y) const {
    return values.data() + static_cast<size_t>(y) * static_cast<size_t>(width);
  }
};

// Luma with weights of 299, 587 and 114 thousandths, in 1/65536.
int LumaOf(const uint8_t* rgb) { return (19595 * rgb[0] + 38470 * rgb[1] + 7471 * rgb[2]) >> 16; }

// Luma of the page, averaged over scale x scale pixels.
GrayMap ToGray(const Image& page, int scale) {
  GrayMap gray;
  gray.width = std::max(1, page.width / scale);
  gray.height = std::max(1, page.height / scale);
  gray.values.resize(static_cast<size_t>(gray.width) * static_cast<size_t>(gray.height));
  std::vector<int> sums(static_cast<size_t>(gray.width));
  for (int y = 0; y < gray.height; ++y) {
    std::fill(sums.begin(), sums.end(), 0);
    for (int dy = 0; dy < scale; ++dy) {
      const uint8_t* in = page.row(y * scale + dy);
      for (int x = 0; x < gray.width; ++x) {
        for (int dx = 0; dx < scale; ++dx, in += 3) sums[static_cast<size_t>(x)] += LumaOf(in);
      }
    }
    uint8_t* out = gray.row(y);
    for (int x = 0; x < gray.width; ++x) {
      out[x] = static_cast<uint8_t>(sums[static_cast<size_t>(x)] / (scale * scale));
    }
  }
  return gray;
}

using Histogram = std::array<int64_t, 256>;

// Smallest value with at least `share` of the counts at or below it.
int Percentile(const Histogram& histogram, double share) {
  int64_t total = 0;
  for (const int64_t count : histogram) total += count;
  const auto wanted = static_cast<int64_t>(share * static_cast<double>(total));
  int64_t seen = 0;
  for (int value = 0; value < 256; ++value) {
    seen += histogram[static_cast<size_t>(value)];
    if (seen > wanted) return value;
  }
  return 255;
}

// True if it was dark.
bool InvertIfDark(GrayMap* gray) {
  constexpr int kDarkMedian = 100;
  Histogram histogram{};
  for (const uint8_t value : gray->values) ++histogram[value];
  if (Percentile(histogram, 0.5) >= kDarkMedian) return false;
  for (uint8_t& value : gray->values) value = static_cast<uint8_t>(255 - value);
  return true;
}

// The paper's brightness on a grid of tiles.
struct Background {
  int columns = 0;
  int rows = 0;
  std::vector<int> values;

  int at(int column, int row) const {
    column = std::clamp(column, 0, columns - 1);
    row = std::clamp(row, 0, rows - 1);
    return values[static_cast<size_t>(row) * static_cast<size_t>(columns) +
                  static_cast<size_t>(column)];
  }
};

// A brightness that most of the print in the tile does not reach.
int PaperOfTile(const GrayMap& gray, int column, int row) {
  Histogram histogram{};
  for (int y = row * kTile; y < std::min(gray.height, (row + 1) * kTile); ++y) {
    const uint8_t* values = gray.row(y);
    for (int x = column * kTile; x < std::min(gray.width, (column + 1) * kTile); ++x) {
      ++histogram[values[x]];
    }
  }
  return Percentile(histogram, 0.85);
}

// Each tile becomes what `combine` makes of it and its eight neighbours.
template <typename Combine>
Background FilterTiles(const Background& in, Combine combine) {
  Background out = in;
  size_t position = 0;
  for (int row = 0; row < in.rows; ++row) {
    for (int column = 0; column < in.columns; ++column) {
      out.values[position++] = combine(std::array<int, 9>{
          in.at(column - 1, row - 1), in.at(column, row - 1), in.at(column + 1, row - 1),
          in.at(column - 1, row), in.at(column, row), in.at(column + 1, row),
          in.at(column - 1, row + 1), in.at(column, row + 1), in.at(column + 1, row + 1)});
    }
  }
  return out;
}

Background EstimateBackground(const GrayMap& gray) {
  Background tiles;
  tiles.columns = (gray.width + kTile - 1) / kTile;
  tiles.rows = (gray.height + kTile - 1) / kTile;
  Histogram histogram{};
  for (int row = 0; row < tiles.rows; ++row) {
    for (int column = 0; column < tiles.columns; ++column) {
      tiles.values.push_back(PaperOfTile(gray, column, row));
      ++histogram[static_cast<size_t>(tiles.values.back())];
    }
  }
  // The paper covers most tiles; the brightest tenth may be glare or a white label.
  const int paper = Percentile(histogram, 0.7);
  for (int& value : tiles.values) {
    if (value < paper - kPanelContrast) value = paper;
  }
  // The largest of 3 x 3 tiles bridges tiles that print fills; the mean then smooths the steps.
  const Background largest = FilterTiles(tiles, [](const std::array<int, 9>& around) {
    return *std::max_element(around.begin(), around.end());
  });
  return FilterTiles(largest, [](const std::array<int, 9>& around) {
    return std::accumulate(around.begin(), around.end(), 0) / 9;
  });
}

// Replaces brightness by darkness against the background, interpolated between tile centres.
void SubtractFrom(const Background& background, GrayMap* gray) {
  constexpr int kHalf = kTile / 2;
  std::vector<int> paper(static_cast<size_t>(background.columns) + 2);
  for (int y = 0; y < gray->height; ++y) {
    const int row = (y + kHalf) / kTile - 1;
    const int fy = y + kHalf - (row + 1) * kTile;
    // Brightness at the tile centres left and right of every stretch, times kTile.
    for (int c = 0; c < background.columns + 2; ++c) {
      paper[static_cast<size_t>(c)] =
          background.at(c - 1, row) * (kTile - fy) + background.at(c - 1, row + 1) * fy;
    }
    uint8_t* values = gray->row(y);
    for (int x = 0; x < gray->width; ++x) {
      const int c = (x + kHalf) / kTile;
      const int fx = x + kHalf - c * kTile;
      const int white =
          (paper[static_cast<size_t>(c)] * (kTile - fx) + paper[static_cast<size_t>(c) + 1] * fx) /
          (kTile * kTile);
      values[x] = static_cast<uint8_t>(std::clamp(white - values[x], 0, 255));
    }
  }
}

// The threshold that best splits the histogram in two classes (Otsu 1979).
int OtsuThreshold(const Histogram& histogram) {
  double total = 0;
  double sum = 0;
  for (size_t v = 0; v < 256; ++v) {
    total += static_cast<double>(histogram[v]);
    sum += static_cast<double>(v) * static_cast<double>(histogram[v]);
  }
  double below = 0;
  double sum_below = 0;
  double best = -1;
  int threshold = 0;
  for (size_t v = 0; v < 255; ++v) {
    below += static_cast<double>(histogram[v]);
    sum_below += static_cast<double>(v) * static_cast<double>(histogram[v]);
    if (below == 0 || below == total) continue;
    const double distance = sum_below / below - (sum - sum_below) / (total - below);
    const double between = below * (total - below) * distance * distance;
    if (between > best) {
      best = between;
      threshold = static_cast<int>(v);
    }
  }
  return threshold;
}

}  // namespace

InkMap FindInk(const Image& page) {
  InkMap map;
  const int64_t num_pixels = int64_t{page.width} * page.height;
  while (num_pixels / (int64_t{map.scale} * map.scale) > kMaxMapPixels) ++map.scale;
  GrayMap gray = ToGray(page, map.scale);
  map.is_inverted = InvertIfDark(&gray);
  SubtractFrom(EstimateBackground(gray), &gray);
  map.width = gray.width;
  map.height = gray.height;
  Histogram histogram{};
  for (const uint8_t value : gray.values) ++histogram[value];
  // The darkest ten-thousandth: some ten letters of a page.
  const bool is_blank = Percentile(histogram, 0.9999) < kMinContrast;
  const int threshold =
      is_blank ? 255 : std::clamp(OtsuThreshold(histogram), kMinThreshold, kMaxThreshold);
  map.ink = std::move(gray.values);
  for (uint8_t& value : map.ink) value = value > threshold ? 1 : 0;
  return map;
}

double InkShareInBoxes(const InkMap& map, const std::vector<std::array<double, 4>>& boxes) {
  std::vector<uint8_t> inside(map.ink.size(), 0);
  for (const auto& box : boxes) {
    const auto edge = [](double fraction, int side) {
      return std::clamp(static_cast<int>(std::lround(fraction * side)), 0, side);
    };
    const int x0 = edge(box[0], map.width);
    const int x1 = std::max(x0, edge(box[2], map.width));
    for (int y = edge(box[1], map.height); y < edge(box[3], map.height); ++y) {
      uint8_t* row = inside.data() + static_cast<size_t>(y) * static_cast<size_t>(map.width);
      std::fill(row + x0, row + x1, uint8_t{1});
    }
  }
  int64_t total = 0;
  int64_t covered = 0;
  for (size_t i = 0; i < map.ink.size(); ++i) {
    total += map.ink[i];
    covered += map.ink[i] & inside[i];
  }
  return total == 0 ? 1.0 : static_cast<double>(covered) / static_cast<double>(total);
}

double InkDensity(const InkMap& map) {
  int64_t total = 0;
  for (const uint8_t ink : map.ink) total += ink;
  return map.ink.empty() ? 0 : static_cast<double>(total) / static_cast<double>(map.ink.size());
}

}  // namespace octavo
