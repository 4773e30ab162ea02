#include "document/line_chains.h"

#include <algorithm>
#include <utility>

namespace octavo {
namespace {

struct Chain {
  InkItems items;
  PixelBox last;
};

// The chain whose last letter shares most of its height with `letter`; null if none stands beside
// it.
Chain* FindChainBeside(const InkItem& letter, int unit, std::vector<Chain>* chains) {
  Chain* best = nullptr;
  double best_share = 0.4;
  for (Chain& chain : *chains) {
    if (letter.box.x0 - chain.last.x1 > 6 * unit) continue;
    const int common =
        std::min(letter.box.y1, chain.last.y1) - std::max(letter.box.y0, chain.last.y0);
    const double share =
        static_cast<double>(common) / std::min(letter.box.height(), chain.last.height());
    if (share > best_share) {
      best_share = share;
      best = &chain;
    }
  }
  return best;
}

// Steps down count twice: a comma belongs to the letter before it, not to the one below.
int Distance(const PixelBox& a, const PixelBox& b) {
  const int dx = std::max({0, a.x0 - b.x1, b.x0 - a.x1});
  const int dy = std::max({0, a.y0 - b.y1, b.y0 - a.y1});
  return dx + 2 * dy;
}

Chain* FindNearestChain(const InkItem& dot, int unit, std::vector<Chain>* chains) {
  Chain* best = nullptr;
  int best_distance = 2 * unit;
  for (Chain& chain : *chains) {
    for (const InkItem& letter : chain.items) {
      const int distance = Distance(dot.box, letter.box);
      if (distance >= best_distance) continue;
      best_distance = distance;
      best = &chain;
    }
  }
  return best;
}

}  // namespace

std::vector<InkItems> ChainLetters(InkItems letters, int unit) {
  if (letters.empty()) return {};
  std::sort(letters.begin(), letters.end(),
            [](const InkItem& a, const InkItem& b) { return a.box.x0 < b.box.x0; });
  // Letters that are large for the page have large dots.
  unit = std::max(unit, MedianHeight(letters));
  std::vector<Chain> chains;
  InkItems dots;
  for (const InkItem& letter : letters) {
    if (letter.box.height() * 2 < unit) {
      dots.push_back(letter);
      continue;
    }
    Chain* chain = FindChainBeside(letter, unit, &chains);
    if (chain == nullptr) chain = &chains.emplace_back();
    chain->items.push_back(letter);
    chain->last = letter.box;
  }
  for (const InkItem& dot : dots) {
    Chain* chain = FindNearestChain(dot, unit, &chains);
    if (chain != nullptr) chain->items.push_back(dot);
  }
  std::stable_sort(chains.begin(), chains.end(), [](const Chain& a, const Chain& b) {
    return a.items.front().box.y1 < b.items.front().box.y1;
  });
  std::vector<InkItems> lines;
  lines.reserve(chains.size());
  for (Chain& chain : chains) lines.push_back(std::move(chain.items));
  return lines;
}

}  // namespace octavo
