// The products, in every table that runs here, against double precision.
#include "kernels/reference.h"
#include "kernels/test_support.h"
#include "tensor/float16.h"

namespace octavo {
namespace {

// Operands of one product in every element type: the halves hold the rounded floats' bits.
struct Operands {
  int64_t rows, panels, k;
  std::vector<float> x, w;              // [rows][k], [panels][k][16]
  std::vector<uint16_t> x_bf16;         // [rows][even k]
  std::vector<uint16_t> w_f16, w_bf16;  // [panels][k][16]
  std::vector<uint16_t> w_pairs;        // [panels][ceil(k/2)][16][2]
  int64_t even_k() const { return (k + 1) / 2 * 2; }

  Operands(int64_t num_rows, int64_t num_panels, int64_t depth)
      : rows(num_rows), panels(num_panels), k(depth) {
    x = RandomFloats(rows * k, 1);
    w = RandomFloats(panels * k * 16, 2);
    // Three significant digits fit both halves exactly.
    for (std::vector<float>* values : {&x, &w}) {
      for (float& v : *values) v = std::nearbyint(v * 128) / 128;
    }
    x_bf16.assign(static_cast<size_t>(rows * even_k()), 0);
    w_pairs.assign(static_cast<size_t>(panels * even_k() * 16), 0);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t i = 0; i < k; ++i) {
        x_bf16[static_cast<size_t>(r * even_k() + i)] = ToBFloat16(X(r, i)).bits;
      }
    }
    for (const float v : w) {
      w_f16.push_back(ToFloat16(v).bits);
      w_bf16.push_back(ToBFloat16(v).bits);
    }
    for (int64_t p = 0; p < panels; ++p) {
      for (int64_t i = 0; i < k; ++i) {
        for (int64_t c = 0; c < 16; ++c) {
          w_pairs[static_cast<size_t>(p * even_k() * 16 + (i / 2 * 16 + c) * 2 + i % 2)] =
              ToBFloat16(w[static_cast<size_t>((p * k + i) * 16 + c)]).bits;
        }
      }
    }
  }
  float X(int64_t r, int64_t i) const { return x[static_cast<size_t>(r * k + i)]; }
  Reference Dot(int64_t r, int64_t p, int64_t c) const {
    return ReferenceDot(x.data() + r * k, 1, w.data() + p * k * 16 + c, 16, k);
  }
  size_t num_sums() const { return static_cast<size_t>(rows * panels * 16); }
};

template <typename X, typename W>
GemmBlock<X, W> Describe(const Operands& o, float* sums) {
  GemmBlock<X, W> b;
  b.x_row_stride = o.k;
  b.w_panel_stride = o.k * 16;
  b.sums = sums;
  b.sums_row_stride = o.panels * 16;
  b.rows = o.rows;
  b.k = o.k;
  b.panels = o.panels;
  return b;
}

// All products of a table on the same operands.
struct Result {
  std::string name;
  std::vector<float> sums;
};

std::vector<Result> AllProducts(const KernelTable& kernels, const Operands& o) {
  std::vector<Result> results;
  const auto next = [&](const char* name) -> float* {
    results.push_back({name, std::vector<float>(o.num_sums(), 99.0f)});
    return results.back().sums.data();
  };
  for (const bool stream : {false, true}) {
    GemmF32 b = Describe<float, float>(o, next(stream ? "stream_f32" : "gemm_f32"));
    b.x = o.x.data();
    b.w = o.w.data();
    (stream ? kernels.stream_f32 : kernels.gemm_f32)(b);
  }
  GemmHalf h = Describe<float, uint16_t>(o, next("stream_f16"));
  h.x = o.x.data();
  h.w = o.w_f16.data();
  kernels.stream_f16(h);
  h.sums = next("gemm_f16");
  kernels.gemm_f16(h);
  h.w = o.w_bf16.data();
  h.sums = next("gemm_bf16");
  kernels.gemm_bf16(h);
  h.w = o.w_pairs.data();
  h.w_panel_stride = o.even_k() * 16;
  h.sums = next("stream_bf16");
  kernels.stream_bf16(h);
  if (kernels.gemm_bf16_dot != nullptr) {
    GemmBF16Dot d = Describe<uint16_t, uint16_t>(o, next("gemm_bf16_dot"));
    d.x = o.x_bf16.data();
    d.x_row_stride = o.even_k();
    d.w = o.w_pairs.data();
    d.w_panel_stride = o.even_k() * 16;
    kernels.gemm_bf16_dot(d);
  }
  return results;
}

class GemmTest : public KernelTest {};

TEST_P(GemmTest, MatchesDoubleForEveryRemainder) {
  for (int64_t rows = 1; rows <= 14; ++rows) {
    for (int64_t panels = 1; panels <= 6; ++panels) {
      for (const int64_t k : {1, 2, 3, 4, 5, 7, 64, 67}) {
        Judge judge;
        const Operands o(rows, panels, k);
        for (const Result& result : AllProducts(kernels(), o)) {
          for (int64_t r = 0; r < rows; ++r) {
            for (int64_t p = 0; p < panels; ++p) {
              for (int64_t c = 0; c < 16; ++c) {
                const Reference want = o.Dot(r, p, c);
                const double got = result.sums[static_cast<size_t>((r * panels + p) * 16 + c)];
                judge.See(result.name, got, want.value, 4 * kEps * want.magnitude + 1e-30);
              }
            }
          }
        }
      }
    }
  }
}

TEST_P(GemmTest, BitsDependOnDepthOnly) {
  const Operands o(13, 5, 131);
  const std::vector<Result> all = AllProducts(kernels(), o);
  for (int64_t r = 0; r < o.rows; ++r) {
    Operands one(1, o.panels, o.k);
    std::copy_n(o.x.begin() + r * o.k, o.k, one.x.begin());
    std::copy_n(o.x_bf16.begin() + r * o.even_k(), o.even_k(), one.x_bf16.begin());
    one.w = o.w;
    one.w_f16 = o.w_f16;
    one.w_bf16 = o.w_bf16;
    one.w_pairs = o.w_pairs;
    const std::vector<Result> single = AllProducts(kernels(), one);
    for (size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(std::memcmp(single[i].sums.data(), all[i].sums.data() + r * o.panels * 16,
                            single[i].sums.size() * sizeof(float)),
                0)
          << all[i].name << ", row " << r;
    }
  }
  // The same numbers give the same bits in whatever form weights are stored.
  for (size_t i = 1; i < 6; ++i) EXPECT_EQ(all[i].sums, all[0].sums) << all[i].name;
}

TEST_P(GemmTest, WalksStridesAndScalesWhatItAddsTo) {
  // x transposed, w by rows of three panels, sums panel by panel.
  constexpr int64_t kRows = 9, kPanels = 3, kK = 21;
  const std::vector<float> x = RandomFloats(kRows * kK, 1);
  std::vector<float> w = RandomFloats(kK * 48, 2);
  std::vector<uint16_t> w_bf16, w_f16;
  for (float& value : w) {
    value = std::nearbyint(value * 128) / 128;  // fits both halves
    w_bf16.push_back(ToBFloat16(value).bits);
    w_f16.push_back(ToFloat16(value).bits);
  }
  const std::vector<float> before = RandomFloats(kRows * 48, 3);
  const std::vector<float> by_column = RandomFloats(48, 4), by_row = RandomFloats(kRows, 5);
  for (const int scale : {0, 1, 2}) {
    Judge judge;
    std::vector<float> sums = before;
    GemmF32 b;
    b.x = x.data();
    b.x_row_stride = 1;
    b.x_k_stride = kRows;
    b.w = w.data();
    b.w_panel_stride = 16;
    b.w_k_stride = 48;
    b.sums = sums.data();
    b.sums_row_stride = 16;
    b.sums_panel_stride = kRows * 16;
    b.rows = kRows;
    b.k = kK;
    b.panels = kPanels;
    b.accumulate = true;
    if (scale == 1) b.column_scale = by_column.data();
    if (scale == 2) b.row_scale = by_row.data();
    kernels().gemm_f32(b);
    GemmHalf h;
    h.x = b.x;
    h.x_row_stride = b.x_row_stride;
    h.x_k_stride = b.x_k_stride;
    h.w_panel_stride = b.w_panel_stride;
    h.w_k_stride = b.w_k_stride;
    h.sums_row_stride = b.sums_row_stride;
    h.sums_panel_stride = b.sums_panel_stride;
    h.rows = b.rows;
    h.k = b.k;
    h.panels = b.panels;
    h.accumulate = true;
    h.column_scale = b.column_scale;
    h.row_scale = b.row_scale;
    for (const bool f16 : {true, false}) {
      std::vector<float> of_halves = before;
      h.sums = of_halves.data();
      h.w = (f16 ? w_f16 : w_bf16).data();
      (f16 ? kernels().gemm_f16 : kernels().gemm_bf16)(h);
      EXPECT_EQ(of_halves, sums) << (f16 ? "f16" : "bf16") << ", scale " << scale;
    }
    for (int64_t r = 0; r < kRows; ++r) {
      for (int64_t c = 0; c < 48; ++c) {
        const auto place = static_cast<size_t>(c / 16 * kRows * 16 + r * 16 + c % 16);
        const Reference dot = ReferenceDot(x.data() + r, kRows, w.data() + c, 48, kK);
        double old = before[place];
        if (scale == 1) old *= by_column[static_cast<size_t>(c)];
        if (scale == 2) old *= by_row[static_cast<size_t>(r)];
        judge.See("scale " + std::to_string(scale), sums[place], old + dot.value,
                  4 * kEps * (std::fabs(old) + dot.magnitude));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, GemmTest, testing::ValuesIn(RunnableKernels()),
                         [](const auto& param_info) {
                           return std::string(param_info.param->name);
                         });

}  // namespace
}  // namespace octavo
