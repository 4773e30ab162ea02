#include "evaluate/edit_distance.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <unordered_map>
#include <vector>

namespace octavo {
namespace {

constexpr int64_t kWord = 64;

// Both sequences with their values numbered from 0, so that a table by value is an array.
struct Numbered {
  std::vector<uint32_t> pattern;  // the rows
  std::vector<uint32_t> text;     // the columns
  size_t num_values = 0;
};

Numbered NumberValues(std::u32string_view pattern, std::u32string_view text) {
  std::unordered_map<char32_t, uint32_t> numbers;
  const auto number = [&](std::u32string_view values) {
    std::vector<uint32_t> out;
    out.reserve(values.size());
    for (const char32_t value : values) {
      out.push_back(numbers.emplace(value, static_cast<uint32_t>(numbers.size())).first->second);
    }
    return out;
  };
  Numbered numbered;
  numbered.pattern = number(pattern);
  numbered.text = number(text);
  numbered.num_values = numbers.size();
  return numbered;
}

// The matrix of distances of prefixes, computed in stripes of 64 rows from top to bottom; a stripe
// is one machine word that runs along the columns. Between stripes only the differences of
// neighbouring columns along the last row are kept, each -1, 0 or 1.
class StripedMatrix {
 public:
  explicit StripedMatrix(const Numbered& numbered)
      : numbered_(numbered),
        matches_(numbered.num_values, 0),
        differences_(numbered.text.size(), 1) {}

  // An upper bound of the distance; exact if it is at most `band`, because then no cell further
  // than that from the diagonal lies on the best path.
  int64_t DistanceWithin(int64_t band) {
    const auto num_rows = static_cast<int64_t>(numbered_.pattern.size());
    const auto num_columns = static_cast<int64_t>(numbered_.text.size());
    std::fill(differences_.begin(), differences_.end(), static_cast<int8_t>(1));
    int64_t first = 0;      // columns left of it are outside the band
    int64_t corner = 0;     // the distance above the stripe's rows, at column `first`
    int64_t end_score = 0;  // the distance below the stripe's rows, at its last column
    for (int64_t row = 0; row < num_rows; row += kWord) {
      const int64_t height = std::min(kWord, num_rows - row);
      const int64_t end = std::min(num_columns, row + height + band + 1);
      const int64_t next_first = std::clamp<int64_t>(row + height - band, first, end);
      FillMatches(row, height);
      const StripeScores scores = RunStripe({first, next_first, end, height}, corner);
      ClearMatches(row, height);
      first = next_first;
      corner = scores.at_next_first;
      end_score = scores.at_end;
    }
    return end_score;
  }

 private:
  struct Stripe {
    int64_t first;       // its columns are first + 1 to end
    int64_t next_first;  // where the next stripe begins
    int64_t end;
    int64_t height;  // 1 to 64 rows
  };
  struct StripeScores {
    int64_t at_next_first;
    int64_t at_end;
  };

  // `corner` is the score above the stripe at column `first`. Cells outside the band count as one
  // more than their neighbour, the most that they can be.
  StripeScores RunStripe(const Stripe& stripe, int64_t corner) {
    const uint64_t last_row = uint64_t{1} << (stripe.height - 1);
    uint64_t up = ~uint64_t{0};  // rows where the distance grows by one from the row above
    uint64_t down = 0;           // rows where it falls by one
    StripeScores scores = {corner + stripe.height, corner + stripe.height};
    for (int64_t column = stripe.first; column < stripe.end; ++column) {
      int8_t& difference = differences_[static_cast<size_t>(column)];
      uint64_t match = matches_[numbered_.text[static_cast<size_t>(column)]];
      const uint64_t vertical = match | down;
      match |= difference < 0 ? 1U : 0U;
      const uint64_t diagonal = (((match & up) + up) ^ up) | match;
      uint64_t right_up = down | ~(diagonal | up);
      uint64_t right_down = up & diagonal;
      const int below =
          ((right_up & last_row) != 0 ? 1 : 0) - ((right_down & last_row) != 0 ? 1 : 0);
      right_up = (right_up << 1) | (difference > 0 ? 1U : 0U);
      right_down = (right_down << 1) | (difference < 0 ? 1U : 0U);
      up = right_down | ~(vertical | right_up);
      down = right_up & vertical;
      difference = static_cast<int8_t>(below);
      scores.at_end += below;
      if (column + 1 == stripe.next_first) scores.at_next_first = scores.at_end;
    }
    return scores;
  }

  void FillMatches(int64_t row, int64_t height) {
    for (int64_t i = 0; i < height; ++i) {
      matches_[numbered_.pattern[static_cast<size_t>(row + i)]] |= uint64_t{1} << i;
    }
  }
  void ClearMatches(int64_t row, int64_t height) {
    for (int64_t i = 0; i < height; ++i) {
      matches_[numbered_.pattern[static_cast<size_t>(row + i)]] = 0;
    }
  }

  const Numbered& numbered_;
  std::vector<uint64_t> matches_;    // by value: rows of the stripe that hold it
  std::vector<int8_t> differences_;  // by column, along the row above the stripe
};

// Texts of cells are so short that preparing the matrix would cost more than the matrix: row by row
// on the stack. Tables of many cells compare millions of them.
constexpr size_t kMaxShort = 40;

int64_t ShortDistance(std::u32string_view a, std::u32string_view b) {
  std::array<int, kMaxShort + 1> row;
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (size_t i = 0; i < a.size(); ++i) {
    int diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const int above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

int64_t EditDistance(std::u32string_view a, std::u32string_view b) {
  // What both begin or end with costs nothing.
  const auto head = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
  a.remove_prefix(static_cast<size_t>(head));
  b.remove_prefix(static_cast<size_t>(head));
  const auto tail = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin();
  a.remove_suffix(static_cast<size_t>(tail));
  b.remove_suffix(static_cast<size_t>(tail));
  const auto longer = static_cast<int64_t>(std::max(a.size(), b.size()));
  const auto shorter = static_cast<int64_t>(std::min(a.size(), b.size()));
  if (shorter == 0) return longer;
  if (longer <= static_cast<int64_t>(kMaxShort)) return ShortDistance(a, b);
  const Numbered numbered = NumberValues(a, b);
  StripedMatrix matrix(numbered);
  for (int64_t band = std::max<int64_t>(2 * kWord, longer - shorter);; band *= 2) {
    const int64_t distance = matrix.DistanceWithin(band);
    if (distance <= band || band >= longer) return distance;
  }
}

double NormalizedEditDistance(std::u32string_view a, std::u32string_view b) {
  const size_t longer = std::max(a.size(), b.size());
  if (longer == 0) return 0;
  return static_cast<double>(EditDistance(a, b)) / static_cast<double>(longer);
}

}  // namespace octavo
