// Packed weights by activations of 16 bits in every table that runs here, bit for bit against their
// definition.
#include <algorithm>
#include <limits>

#include "kernels/packed_gemm.h"
#include "kernels/packed_test_support.h"
#include "kernels/reference.h"

namespace octavo {
namespace {

// A packed matrix of whole panels, and rows of activations.
struct Operands {
  GroupLayout layout;
  int64_t panels, k;
  AlignedBuffer<std::byte> matrix;
  std::vector<ReferenceActivations16> x;

  Operands(const GroupLayout& l, int64_t num_panels, int64_t depth, const MakeBlock& make,
           const std::vector<std::vector<float>>& activations)
      : layout(l), panels(num_panels), k(depth), matrix(MakePanels(l, num_panels, depth, make)) {
    for (const std::vector<float>& row : activations) {
      x.push_back(ReferenceQuantize16(row, l.group_size));
    }
  }
  int64_t rows() const { return static_cast<int64_t>(x.size()); }
  int64_t groups() const { return k / layout.group_size; }

  std::vector<float> Want() const {
    std::vector<float> want;
    for (const ReferenceActivations16& row : x) {
      for (int64_t c = 0; c < panels * kPanel; ++c) {
        want.push_back(ReferencePackedProduct(row, layout, matrix.data(), k, c, 0.0f));
      }
    }
    return want;
  }
};

// Rows of activations from the first one on as kernels take them: with gaps between them.
struct PlacedRows {
  int64_t stride, scales_stride;
  std::vector<int16_t> q;
  std::vector<float> scales;

  PlacedRows(const Operands& o, int64_t first)
      : stride(o.k + 3),
        scales_stride(o.groups() + 1),
        q(static_cast<size_t>((o.rows() - first) * stride), 77),
        scales(static_cast<size_t>((o.rows() - first) * scales_stride), 77.0f) {
    for (int64_t r = first; r < o.rows(); ++r) {
      const ReferenceActivations16& row = o.x[static_cast<size_t>(r)];
      for (int64_t i = 0; i < o.k; ++i) {
        const int64_t place = i / 4 * 4 + Activation16Place(static_cast<int>(i % 4));
        q[static_cast<size_t>((r - first) * stride + place)] = row.q[static_cast<size_t>(i)];
      }
      std::copy(row.scales.begin(), row.scales.end(), scales.begin() + (r - first) * scales_stride);
    }
  }
};

// The last rows from `first` on, groups [begin, end), into sums [rows][panels * 16 + 5].
void Multiply(const KernelTable& kernels, const Operands& o, int64_t first, int64_t begin,
              int64_t end, std::vector<float>* sums) {
  const PlacedRows x(o, first);
  AlignedBuffer<std::byte> scratch(kGemmPackedScratchBytes);
  GemmPackedA16 g;
  g.x = x.q.data() + begin * o.layout.group_size;
  g.x_row_stride = x.stride;
  g.x_groups = x.scales.data() + begin;
  g.x_groups_row_stride = x.scales_stride;
  g.w = {o.matrix.data() + GroupBlockOffset(o.layout, o.k, 0, begin),
         GroupBlockOffset(o.layout, o.k, 1, 0), o.layout.group_size,
         o.layout.scale_dtype == DType::kBF16, o.layout.is_7bit};
  g.sums = sums->data();
  g.sums_row_stride = o.panels * kPanel + 5;
  g.rows = o.rows() - first;
  g.num_groups = end - begin;
  g.panels = o.panels;
  g.accumulate = begin > 0;
  g.scratch = scratch.data();
  (o.layout.bits == 4 ? kernels.packed_a16.gemm_w4 : kernels.packed_a16.gemm_w8)(g);
}

std::vector<float> NewSums(const Operands& o, int64_t rows) {
  return std::vector<float>(static_cast<size_t>(rows * (o.panels * kPanel + 5)), 3.5f);
}

// Without what lies between rows, which must be as it was.
std::vector<float> Columns(const Operands& o, const std::vector<float>& sums) {
  std::vector<float> y;
  const int64_t stride = o.panels * kPanel + 5;
  for (auto row = sums.begin(); row != sums.end(); row += stride) {
    y.insert(y.end(), row, row + o.panels * kPanel);
    EXPECT_TRUE(
        std::all_of(row + o.panels * kPanel, row + stride, [](float v) { return v == 3.5f; }));
  }
  return y;
}

// All rows at once, and fewer and fewer of the last.
void ExpectSameForAllRowCounts(const KernelTable& kernels, const Operands& o) {
  const std::vector<float> want = o.Want();
  for (int64_t first = 0; first < o.rows(); ++first) {
    std::vector<float> sums = NewSums(o, o.rows() - first);
    Multiply(kernels, o, first, 0, o.groups(), &sums);
    const std::vector<float> part(want.begin() + first * o.panels * kPanel, want.end());
    ASSERT_TRUE(SameBits(Columns(o, sums), part))
        << o.layout.bits << " bits, group " << o.layout.group_size << ", k " << o.k << ", "
        << o.rows() - first << " rows";
  }
}

class PackedA16Test : public KernelTest {};

TEST_P(PackedA16Test, GivesTheDefinitionsBitsForEveryRemainder) {
  for (const GroupLayout& layout : PackedLayouts()) {
    for (const int64_t k : {32, 64, 128, 192, 384, 896}) {
      if (k % layout.group_size != 0) continue;
      ExpectSameForAllRowCounts(kernels(),
                                Operands(layout, 3, k, AnyBlock(layout), RandomRows(17, k, 1)));
    }
  }
}

TEST_P(PackedA16Test, GivesTheDefinitionsBitsForLongAndManyRows) {
  for (const GroupLayout& layout : PackedLayouts()) {
    for (const int64_t k : {1280, 1408}) {
      const Operands o(layout, 2, k, AnyBlock(layout), RandomRows(40, k, 1));
      std::vector<float> sums = NewSums(o, 40);
      Multiply(kernels(), o, 0, 0, o.groups(), &sums);
      EXPECT_TRUE(SameBits(Columns(o, sums), o.Want()));
    }
  }
}

TEST_P(PackedA16Test, HoldsAtTheExtremes) {
  constexpr int64_t kK = 256;
  for (const GroupLayout& layout : PackedLayouts()) {
    const int low = layout.is_7bit ? 128 - 63 : 0;
    const int high = layout.bits == 4 ? 15 : layout.is_7bit ? 128 + 63 : 255;
    const int most_zero = layout.bits == 4 ? 16 : layout.is_7bit ? 128 : 255;
    for (const int q : {low, high}) {
      for (const int zero : {layout.is_7bit ? 128 : 0, most_zero}) {
        ExpectSameForAllRowCounts(
            kernels(), Operands(layout, 1, kK, Uniform(q, q, zero, zero, 1), ExtremeRows(kK)));
      }
    }
  }
}

TEST_P(PackedA16Test, AccumulatesAcrossCalls) {
  for (const GroupLayout& layout : PackedLayouts()) {
    const Operands o(layout, 2, 512, AnyBlock(layout), RandomRows(15, 512, 3));
    std::vector<float> sums = NewSums(o, 15);
    Multiply(kernels(), o, 0, 0, o.groups() / 2, &sums);
    Multiply(kernels(), o, 0, o.groups() / 2, o.groups(), &sums);
    EXPECT_TRUE(SameBits(Columns(o, sums), o.Want()));
  }
}

TEST_P(PackedA16Test, NoGroupsSumUpToZero) {
  const GroupLayout layout;
  for (const int64_t rows : {1, 40}) {
    const Operands o(layout, 2, 128, AnyBlock(layout), RandomRows(rows, 128, 1));
    std::vector<float> sums = NewSums(o, rows);
    Multiply(kernels(), o, 0, 0, 0, &sums);
    EXPECT_EQ(Columns(o, sums), std::vector<float>(static_cast<size_t>(rows * 2 * kPanel)));
  }
}

TEST_P(PackedA16Test, NonFiniteActivationsSpoilTheirRowOnly) {
  const GroupLayout layout;
  std::vector<std::vector<float>> rows = RandomRows(14, 128, 1);
  rows[2][5] = std::numeric_limits<float>::infinity();
  rows[4][100] = std::numeric_limits<float>::quiet_NaN();
  const Operands o(layout, 1, 128, AnyBlock(layout), rows);
  std::vector<float> sums = NewSums(o, 14);
  Multiply(kernels(), o, 0, 0, 1, &sums);
  const std::vector<float> want = o.Want(), got = Columns(o, sums);
  for (size_t i = 0; i < want.size(); ++i) {
    if (i / 16 == 2 || i / 16 == 4) {
      EXPECT_TRUE(std::isnan(got[i])) << i;
    } else {
      EXPECT_EQ(got[i], want[i]) << i;
    }
  }
}

TEST_P(PackedA16Test, QuantisesRowsAsDefined) {
  const std::vector<std::vector<float>> rows = RowsToQuantise(384, 32767);
  for (const int group_size : {32, 64, 128}) {
    for (size_t r = 0; r < rows.size(); ++r) {
      SCOPED_TRACE(testing::Message() << "row " << r << ", group " << group_size);
      const ReferenceActivations16 want = ReferenceQuantize16(rows[r], group_size);
      Misaligned<float> x(rows[r]);
      Misaligned<int16_t> q(std::vector<int16_t>(rows[r].size(), 1));
      Misaligned<float> scales(std::vector<float>(want.scales.size()));
      kernels().packed_a16.quantize_row(x.data(), 384, group_size, q.data(), scales.data());
      for (size_t i = 0; i < want.q.size(); ++i) {
        const size_t place = i / 4 * 4 + static_cast<size_t>(Activation16Place(i % 4));
        ASSERT_EQ(q[place], want.q[i]) << i;
      }
      for (size_t g = 0; g < want.scales.size(); ++g) {
        ASSERT_EQ(std::isnan(scales[g]), std::isnan(want.scales[g])) << g;
        if (std::isnan(want.scales[g])) continue;
        ASSERT_EQ(scales[g], want.scales[g]) << g;
      }
      ASSERT_TRUE(q.GuardsHold() && scales.GuardsHold());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, PackedA16Test, testing::ValuesIn(PackedTables()),
                         [](const auto& param_info) {
                           return std::string(param_info.param->name);
                         });

}  // namespace
}  // namespace octavo
