#include "document/page_skew.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace octavo {
namespace {

constexpr size_t kMinLetters = 60;
constexpr size_t kMaxLetters = 20'000;
constexpr double kMaxSlope = 0.06;
constexpr double kMinSlope = 0.005;

struct Point {
  double x = 0;
  double y = 0;
};

// Where letters stand on their line: the middles of their lower edges.
std::vector<Point> Feet(const PageInk& ink) {
  std::vector<Point> feet;
  for (const InkComponent& letter : ink.letters) {
    if (feet.size() == kMaxLetters) break;
    const PixelBox& box = letter.box;
    if (2 * box.height() < ink.unit || box.height() > 3 * ink.unit) continue;
    feet.push_back({(box.x0 + box.x1) / 2.0, static_cast<double>(box.y1)});
  }
  return feet;
}

// Letters this near to each other tell the slope of their lines; those of another column stand
// where they like.
constexpr int kBandUnits = 30;

// The feet of an upright band of the page.
using Band = std::vector<Point>;

std::vector<Band> BandsOf(const std::vector<Point>& feet, int width) {
  std::vector<Band> bands;
  for (const Point& foot : feet) {
    const auto number = static_cast<size_t>(std::max(0.0, foot.x) / width);
    if (number >= bands.size()) bands.resize(number + 1);
    bands[number].push_back(foot);
  }
  return bands;
}

// How well the feet of a band fall into few rows if its lines have this slope: the sum of the
// squares of a histogram across them.
double SharpnessOf(const Band& band, double slope, double bin, std::vector<int>* counts) {
  if (band.empty()) return 0;
  const auto [low, high] = std::minmax_element(
      band.begin(), band.end(),
      [slope](const Point& a, const Point& b) { return a.y - slope * a.x < b.y - slope * b.x; });
  const double first = low->y - slope * low->x;
  const double last = high->y - slope * high->x;
  counts->assign(static_cast<size_t>((last - first) / bin) + 1, 0);
  for (const Point& foot : band) {
    ++(*counts)[static_cast<size_t>((foot.y - slope * foot.x - first) / bin)];
  }
  double sum = 0;
  for (const int count : *counts) sum += static_cast<double>(count) * count;
  return sum;
}

// The frame of a straightened page: its size, and the turn from it to the page.
struct Frame {
  Frame(int page_width, int page_height, double slope)
      : cosine(1 / std::hypot(1.0, slope)), sine(slope * cosine), page{page_width, page_height} {
    const double grow = std::abs(slope) / 2;
    width = page_width + 2 * static_cast<int>(std::ceil(grow * page_height));
    height = page_height + 2 * static_cast<int>(std::ceil(grow * page_width));
  }

  // The place on the page of a place on the straightened one.
  Point Before(double x, double y) const {
    const double dx = x - width / 2.0;
    const double dy = y - height / 2.0;
    return {page.width / 2.0 + cosine * dx - sine * dy,
            page.height / 2.0 + sine * dx + cosine * dy};
  }

  double pixels() const { return static_cast<double>(width) * height; }

  struct Size {
    int width = 0;
    int height = 0;
  };
  double cosine;
  double sine;
  Size page;
  int width = 0;
  int height = 0;
};

// The colour at a place between the middles of four pixels; paper beyond the edges.
void Sample(const Image& page, const Point& at, uint8_t paper, uint8_t* out) {
  if (at.x < 0 || at.y < 0 || at.x > page.width || at.y > page.height) {
    std::fill_n(out, 3, paper);
    return;
  }
  const double x = std::clamp(at.x - 0.5, 0.0, page.width - 1.0);
  const double y = std::clamp(at.y - 0.5, 0.0, page.height - 1.0);
  const int x0 = static_cast<int>(x);
  const int y0 = static_cast<int>(y);
  const auto right = static_cast<float>(x - x0);
  const auto below = static_cast<float>(y - y0);
  const ptrdiff_t next = x0 + 1 < page.width ? 3 : 0;
  const uint8_t* upper = page.row(y0) + ptrdiff_t{3} * x0;
  const uint8_t* lower = page.row(std::min(y0 + 1, page.height - 1)) + ptrdiff_t{3} * x0;
  for (ptrdiff_t c = 0; c < 3; ++c) {
    const float top = upper[c] + right * static_cast<float>(upper[c + next] - upper[c]);
    const float bottom = lower[c] + right * static_cast<float>(lower[c + next] - lower[c]);
    out[c] = static_cast<uint8_t>(std::lrint(top + below * (bottom - top)));
  }
}

}  // namespace

double FindPageSkew(const PageInk& ink, int width, int height) {
  constexpr double kCoarse = 0.002;
  constexpr double kFine = 0.0005;
  // Straight pages are sharpest as they are, but for chance.
  constexpr double kMinGain = 1.15;
  constexpr double kMostGrowth = 1.5;
  const std::vector<Point> feet = Feet(ink);
  if (feet.size() < kMinLetters) return 0;
  const double bin = std::max(1.0, ink.unit / 8.0);
  const std::vector<Band> bands = BandsOf(feet, kBandUnits * std::max(1, ink.unit));
  std::vector<int> counts;
  const auto sharpness_at = [&](double slope) {
    double sum = 0;
    for (const Band& band : bands) sum += SharpnessOf(band, slope, bin, &counts);
    return sum;
  };
  const double straight = sharpness_at(0);
  double best = 0;
  double most = straight;
  const auto search = [&](double middle, double reach, double step) {
    const int num_steps = static_cast<int>(std::lround(reach / step));
    for (int i = -num_steps; i <= num_steps; ++i) {
      const double sharpness = sharpness_at(middle + i * step);
      if (sharpness <= most) continue;
      most = sharpness;
      best = middle + i * step;
    }
  };
  search(0, kMaxSlope, kCoarse);
  search(best, kCoarse, kFine);
  if (std::abs(best) < kMinSlope || most < kMinGain * straight) return 0;
  const Frame frame(width, height, best);
  return frame.pixels() <= kMostGrowth * width * height ? best : 0;
}

Image Straighten(const Image& page, double slope, uint8_t paper, const StopCheck& check) {
  const Frame frame(page.width, page.height, slope);
  Image out(frame.width, frame.height);
  for (int y = 0; y < out.height; ++y) {
    if (check) check();
    uint8_t* pixel = out.row(y);
    for (int x = 0; x < out.width; ++x, pixel += 3) {
      Sample(page, frame.Before(x + 0.5, y + 0.5), paper, pixel);
    }
  }
  return out;
}

std::array<double, 4> BoxBeforeStraightening(const std::array<double, 4>& box, double slope,
                                             int width, int height) {
  const Frame frame(width, height, slope);
  std::array<double, 4> out = {1, 1, 0, 0};
  for (const double x : {box[0], box[2]}) {
    for (const double y : {box[1], box[3]}) {
      const Point corner = frame.Before(x * frame.width, y * frame.height);
      out[0] = std::min(out[0], corner.x / width);
      out[1] = std::min(out[1], corner.y / height);
      out[2] = std::max(out[2], corner.x / width);
      out[3] = std::max(out[3], corner.y / height);
    }
  }
  for (double& edge : out) edge = std::clamp(edge, 0.0, 1.0);
  return out;
}

}  // namespace octavo
