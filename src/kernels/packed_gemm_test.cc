// Packed weights in every table that runs here, bit for bit against their definition.
#include "kernels/packed_gemm.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/packed_test_support.h"
#include "kernels/reference.h"

namespace octavo {
namespace {

// A packed matrix of whole panels, and rows of activations.
struct Operands {
  GroupLayout layout;
  int64_t rows, panels, k;
  AlignedBuffer<std::byte> matrix;
  std::vector<ReferenceActivations> x;

  Operands(const GroupLayout& l, int64_t num_rows, int64_t num_panels, int64_t depth,
           const MakeBlock& make, const std::vector<std::vector<float>>& activations)
      : layout(l),
        rows(num_rows),
        panels(num_panels),
        k(depth),
        matrix(MakePanels(l, num_panels, depth, make)) {
    for (const std::vector<float>& row : activations) {
      x.push_back(ReferenceQuantize(row, l.group_size));
    }
  }

  std::vector<float> Want() const {
    std::vector<float> want;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < panels * kPanel; ++c) {
        want.push_back(
            ReferencePackedProduct(x[static_cast<size_t>(r)], layout, matrix.data(), k, c, 0.0f));
      }
    }
    return want;
  }
};

// Counts of the last product.
struct Pieces {
  int64_t all = 0, safe = 0;
};

// Rows [first, first + count) by a table; [count][panels * 16].
std::vector<float> Multiply(const KernelTable& kernels, const Operands& o, int64_t first,
                            int64_t count, Pieces* pieces = nullptr) {
  const int64_t groups = o.k / o.layout.group_size;
  const int64_t x_stride = o.k + 3, groups_stride = groups + 1;
  std::vector<int8_t> x(static_cast<size_t>(count * x_stride), 77);
  std::vector<ActivationGroup> x_groups(static_cast<size_t>(count * groups_stride));
  for (int64_t r = 0; r < count; ++r) {
    const ReferenceActivations& row = o.x[static_cast<size_t>(first + r)];
    std::copy(row.q.begin(), row.q.end(), x.begin() + r * x_stride);
    std::copy(row.groups.begin(), row.groups.end(), x_groups.begin() + r * groups_stride);
  }
  AlignedBuffer<std::byte> scratch(kGemmPackedScratchBytes);
  const int64_t row_stride = o.panels * kPanel + 5;
  std::vector<float> sums(static_cast<size_t>(count * row_stride), 3.5f);
  Pieces counted;
  GemmPacked g;
  g.x = x.data();
  g.x_row_stride = x_stride;
  g.x_groups = x_groups.data();
  g.x_groups_row_stride = groups_stride;
  g.w = {o.matrix.data(), GroupBlockOffset(o.layout, o.k, 1, 0), o.layout.group_size,
         o.layout.scale_dtype == DType::kBF16, o.layout.is_7bit};
  g.sums = sums.data();
  g.sums_row_stride = row_stride;
  g.rows = count;
  g.num_groups = groups;
  g.panels = o.panels;
  g.scratch = scratch.data();
  g.pieces = &counted.all;
  g.safe_pieces = &counted.safe;
  (o.layout.bits == 4 ? kernels.gemm_w4a8 : kernels.gemm_w8a8)(g);
  if (pieces != nullptr) *pieces = counted;
  std::vector<float> y;
  for (int64_t r = 0; r < count; ++r) {
    const auto row = sums.begin() + r * row_stride;
    y.insert(y.end(), row, row + o.panels * kPanel);
    EXPECT_TRUE(
        std::all_of(row + o.panels * kPanel, row + row_stride, [](float v) { return v == 3.5f; }))
        << "written past row " << r;
  }
  return y;
}

std::string Describe(const Operands& o) {
  return (testing::Message() << o.layout.bits << " bits" << (o.layout.is_7bit ? " (7)" : "")
                             << ", group " << o.layout.group_size << ", k " << o.k)
      .GetString();
}

// All rows at once and the first 1..17 by themselves.
void ExpectSameForAllRowCounts(const KernelTable& kernels, const Operands& o) {
  SCOPED_TRACE(Describe(o));
  const std::vector<float> want = o.Want();
  for (int64_t count = 1; count <= o.rows; ++count) {
    const int64_t first = o.rows - count;
    const std::vector<float> part(want.begin() + first * o.panels * kPanel, want.end());
    ASSERT_TRUE(SameBits(Multiply(kernels, o, first, count), part)) << count << " rows";
  }
}

class PackedGemmTest : public KernelTest {};

TEST_P(PackedGemmTest, GivesTheDefinitionsBitsForEveryRemainder) {
  for (const GroupLayout& layout : PackedLayouts()) {
    for (const int64_t k : {32, 64, 128, 192, 384, 896}) {
      if (k % layout.group_size != 0) continue;
      ExpectSameForAllRowCounts(kernels(),
                                Operands(layout, 17, 2, k, AnyBlock(layout), RandomRows(17, k, 1)));
    }
  }
}

TEST_P(PackedGemmTest, GivesTheDefinitionsBitsForLongAndManyRows) {
  for (const GroupLayout& layout : PackedLayouts()) {
    for (const int64_t k : {1280, 1408}) {
      const Operands o(layout, 40, 1, k, AnyBlock(layout), RandomRows(40, k, 1));
      SCOPED_TRACE(Describe(o));
      EXPECT_TRUE(SameBits(Multiply(kernels(), o, 0, 40), o.Want()));
    }
  }
}

TEST_P(PackedGemmTest, HoldsAtTheExtremes) {
  constexpr int64_t kK = 256;
  const std::vector<std::vector<float>> rows = ExtremeRows(kK);
  const auto num_rows = static_cast<int64_t>(rows.size());
  for (const GroupLayout& layout : PackedLayouts()) {
    if (layout.bits == 4) {
      for (const int q : {0, 15}) {
        for (const int zero : {0, 8, 16}) {
          ExpectSameForAllRowCounts(
              kernels(), Operands(layout, num_rows, 1, kK, Uniform(q, q, zero, zero, 1), rows));
        }
      }
    } else {
      const int low = layout.is_7bit ? 128 - 63 : 0, high = layout.is_7bit ? 128 + 63 : 255;
      for (const int q : {low, high}) {
        for (const int zero : {layout.is_7bit ? 128 : 0, layout.is_7bit ? 128 : 255}) {
          ExpectSameForAllRowCounts(
              kernels(), Operands(layout, num_rows, 1, kK, Uniform(q, q, zero, zero, 1), rows));
        }
      }
    }
    for (const float scale : {0.0f, 1e-7f, -0.5f, 60000.0f}) {
      MakeBlock make = AnyBlock(layout);
      const MakeBlock scaled = [&](const GroupLayout& l, Random* random) {
        BlockValues values = make(l, random);
        for (uint16_t& bits : values.scale) bits = ScaleBits(l, scale);
        return values;
      };
      ExpectSameForAllRowCounts(kernels(), Operands(layout, num_rows, 1, kK, scaled, rows));
    }
  }
}

TEST_P(PackedGemmTest, NonFiniteActivationsSpoilTheirRowOnly) {
  const GroupLayout layout;
  std::vector<std::vector<float>> rows = RandomRows(7, 128, 1);
  rows[2][5] = std::numeric_limits<float>::infinity();
  rows[4][100] = std::numeric_limits<float>::quiet_NaN();
  const Operands o(layout, 7, 1, 128, AnyBlock(layout), rows);
  const std::vector<float> want = o.Want();
  const std::vector<float> got = Multiply(kernels(), o, 0, 7);
  for (size_t i = 0; i < want.size(); ++i) {
    if (i / 16 == 2 || i / 16 == 4) {
      EXPECT_TRUE(std::isnan(got[i])) << i;
    } else {
      EXPECT_EQ(got[i], want[i]) << i;
    }
  }
}

// One row of a tile: random size and sign, so that sums of 16 bits come near their limits and pass
// them.
std::vector<float> WildRow(int64_t k, Random* random) {
  const auto kind = random->Below(5);
  const float amplitude = 1 + static_cast<float>(random->Below(127));
  std::vector<float> row;
  for (int64_t i = 0; i < k; ++i) {
    float v = random->Uniform(-amplitude, amplitude);
    if (kind == 1) v = std::fabs(v);
    if (kind == 2) v = v < 0 ? -amplitude : amplitude;
    if (kind == 3) v = i % 4 < 2 ? amplitude : 0;
    row.push_back(v);
  }
  // One number of 127 keeps the scale at 1, and with it the amplitude.
  row[random->Below(static_cast<uint64_t>(k))] = 127;
  return row;
}

TEST_P(PackedGemmTest, EveryTileGivesTheDefinitionsBits) {
  Random random(5);
  Pieces total;
  for (int i = 0; i < 3000; ++i) {
    GroupLayout layout = PackedLayouts()[random.Below(10)];
    std::vector<std::vector<float>> rows;
    const auto num_rows = static_cast<int64_t>(1 + random.Below(20));
    for (int64_t r = 0; r < num_rows; ++r) rows.push_back(WildRow(128, &random));
    MakeBlock make = AnyBlock(layout);
    const int most = layout.bits == 4 ? 15 : layout.is_7bit ? 128 + 63 : 255;
    const int least = layout.is_7bit ? 128 - 63 : 0;
    if (i % 3 == 0) {  // only the ends of the range
      make = [&](const GroupLayout& l, Random* r) {
        BlockValues values = AnyBlock(l)(l, r);
        for (uint8_t& q : values.q) q = static_cast<uint8_t>(r->Below(2) == 0 ? least : most);
        return values;
      };
    }
    const Operands o(layout, num_rows, 1, 128, make, rows);
    Pieces pieces;
    ASSERT_TRUE(SameBits(Multiply(kernels(), o, 0, num_rows, &pieces), o.Want()))
        << "tile " << i << ": " << Describe(o) << ", " << num_rows << " rows";
    total.all += pieces.all;
    total.safe += pieces.safe;
  }
  if (total.all > 0) {  // a table that sums in 16 bits: both ways were taken
    EXPECT_GT(total.safe, total.all / 20);
    EXPECT_LT(total.safe, total.all * 19 / 20);
  }
}

// Goes on from stored sums: two halves of the groups give the bits of the whole.
TEST_P(PackedGemmTest, AccumulatesAcrossCalls) {
  for (const GroupLayout& layout : PackedLayouts()) {
    constexpr int64_t kRows = 11, kK = 512;
    const Operands o(layout, kRows, 1, kK, AnyBlock(layout), RandomRows(kRows, kK, 3));
    SCOPED_TRACE(Describe(o));
    const int64_t groups = kK / layout.group_size;
    std::vector<int8_t> x;
    std::vector<ActivationGroup> x_groups;
    for (const ReferenceActivations& row : o.x) {
      x.insert(x.end(), row.q.begin(), row.q.end());
      x_groups.insert(x_groups.end(), row.groups.begin(), row.groups.end());
    }
    AlignedBuffer<std::byte> scratch(kGemmPackedScratchBytes);
    std::vector<float> sums(kRows * kPanel, -1.0f);
    for (const int64_t half : {0, 1}) {
      GemmPacked g;
      g.x = x.data() + half * kK / 2;
      g.x_row_stride = kK;
      g.x_groups = x_groups.data() + half * groups / 2;
      g.x_groups_row_stride = groups;
      g.w = {o.matrix.data() + GroupBlockOffset(layout, kK, 0, half * groups / 2), 0,
             layout.group_size, layout.scale_dtype == DType::kBF16, layout.is_7bit};
      g.sums = sums.data();
      g.sums_row_stride = kPanel;
      g.rows = kRows;
      g.num_groups = groups / 2;
      g.panels = 1;
      g.accumulate = half == 1;
      g.scratch = scratch.data();
      (layout.bits == 4 ? kernels().gemm_w4a8 : kernels().gemm_w8a8)(g);
    }
    EXPECT_TRUE(SameBits(sums, o.Want()));
  }
}

TEST_P(PackedGemmTest, NoGroupsSumUpToZero) {
  for (const int bits : {4, 8}) {
    const GroupLayout layout{bits, 128, DType::kF16, false};
    for (const int64_t rows : {1, 40}) {
      const Operands o(layout, rows, 2, 0, AnyBlock(layout), RandomRows(rows, 0, 1));
      EXPECT_EQ(Multiply(kernels(), o, 0, rows),
                std::vector<float>(static_cast<size_t>(rows * 2 * kPanel)));
    }
  }
}

TEST_P(PackedGemmTest, QuantisesRowsAsDefined) {
  std::vector<std::vector<float>> rows = RowsToQuantise(384, 127);
  Random random(3);
  for (int i = 0; i < 200; ++i) rows.push_back(WildRow(384, &random));
  for (const int group_size : {32, 64, 128}) {
    for (size_t r = 0; r < rows.size(); ++r) {
      SCOPED_TRACE(testing::Message() << "row " << r << ", group " << group_size);
      const ReferenceActivations want = ReferenceQuantize(rows[r], group_size);
      Misaligned<float> x(rows[r]);
      Misaligned<int8_t> q(std::vector<int8_t>(rows[r].size(), 1));
      Misaligned<ActivationGroup> groups(std::vector<ActivationGroup>(want.groups.size()));
      kernels().quantize_row(x.data(), 384, group_size, q.data(), groups.data());
      ASSERT_EQ(q.values(), want.q);
      for (size_t g = 0; g < want.groups.size(); ++g) {
        ActivationGroup got = groups[g], expected = want.groups[g];
        ASSERT_EQ(std::isnan(got.scale), std::isnan(expected.scale));
        if (std::isnan(got.scale)) got.scale = expected.scale = 0;
        if (kernels().peak_int8_dot.run != nullptr && got.lane_magnitude == 0) {
          const ActivationGroup all = std::exchange(expected, {});  // its sums fit in any case
          expected.scale = all.scale;
          expected.sum = all.sum;
        }
        ASSERT_EQ(std::memcmp(&got, &expected, sizeof(got)), 0) << "group " << g;
      }
      ASSERT_TRUE(q.GuardsHold() && groups.GuardsHold());
    }
  }
}

TEST_P(PackedGemmTest, WidensBlocksExactly) {
  for (const GroupLayout& layout : PackedLayouts()) {
    const Operands o(layout, 0, 3, 2 * layout.group_size, AnyBlock(layout), {});
    SCOPED_TRACE(Describe(o));
    for (int64_t p = 0; p < 3; ++p) {
      const std::byte* block = o.matrix.data() + GroupBlockOffset(layout, o.k, p, 1);
      Misaligned<float> out(std::vector<float>(static_cast<size_t>(layout.group_size * kPanel)));
      const PackedGroups groups{block, 0, layout.group_size, layout.scale_dtype == DType::kBF16,
                                layout.is_7bit};
      (layout.bits == 4 ? kernels().widen_w4 : kernels().widen_w8)(groups, out.data());
      for (int i = 0; i < layout.group_size; ++i) {
        for (int c = 0; c < kPanel; ++c) {
          ASSERT_EQ(out[static_cast<size_t>(i * kPanel + c)], GroupWeight(layout, block, c, i))
              << i << ", " << c;
        }
      }
      EXPECT_TRUE(out.GuardsHold());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, PackedGemmTest, testing::ValuesIn(PackedTables()),
                         [](const auto& param_info) {
                           return std::string(param_info.param->name);
                         });

}  // namespace
}  // namespace octavo
