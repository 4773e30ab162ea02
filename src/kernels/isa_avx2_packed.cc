// Slots of packed weights for AVX2, FMA and F16C.
//
// Many rows: one panel at a time is unpacked to bytes, up to 1280 k of it, and 192 rows pass by in
// tiles of 6 rows x 16 columns, so that weights stay in the nearest cache. Few rows: the packed
// bytes are read once, straight from memory.
#include "kernels/isa_tables.h"
#include "kernels/vec_avx2.h"
// Needs the vocabulary above.
#include "kernels/packed-inl.h"
#include "kernels/packed_avx2_rows-inl.h"
#include "kernels/packed_avx2_stream-inl.h"
#include "kernels/packed_avx2_tile-inl.h"

namespace octavo {
namespace {

constexpr int64_t kBlockRows = 192;
constexpr int64_t kBlockGroups = 10;
constexpr int64_t kBlockK = 1280;
constexpr int64_t kStreamRows = 12;

// What a kind of weights is to the tile: unsigned numbers less a centre.
enum class Kind {
  kW4,     // q - 8
  kW8,     // two halves of 4 bits, 16 (high - 8) + (low - 8)
  kW8In7,  // within +-63: q + 64 - 64
};

// Of W4 halves: 8 * 4095 still fits 16 bits. The same number bounds every product of norms.
constexpr int32_t kMostMagnitude = 4095;
constexpr int32_t kMostSum16 = 32767;

// An unpacked panel: numbers [k / 4][16][4] (of kW8 the high halves, then the low ones), and per
// group its columns.
struct Panel {
  uint8_t numbers[2 * kBlockK * kPanelColumns];
  ColumnGroup columns[kBlockGroups];
  ColumnGroup columns32[kBlockGroups];  // kW8In7: offsets for TileSums32
  int32_t part_norm[kBlockGroups];      // the greatest norms of w, as in ActivationGroup
  int32_t double_norm[kBlockGroups];
};

// The private memory of one call.
struct Scratch {
  Panel panel;
  TileGroup tiles[kBlockRows / kTileRows * kBlockGroups];
  int8_t last_rows[kTileRows * kBlockK];  // of a tile that is not full
  float last_sums[kTileRows * kPanelColumns];
};
static_assert(sizeof(Scratch) <= kGemmPackedScratchBytes);

OCTAVO_INLINE __m256i LoadBytes(const void* p) {
  return _mm256_load_si256(static_cast<const __m256i*>(p));
}
OCTAVO_INLINE void StoreBytes(void* p, __m256i v) {
  _mm256_store_si256(static_cast<__m256i*>(p), v);
}

// Scales, and offsets of `centre - zero` (the zeros as stored).
template <Kind kKind>
OCTAVO_INLINE void UnpackColumns(const std::byte* side, bool bf16, int centre, ColumnGroup* out) {
  const auto* scale = reinterpret_cast<const uint16_t*>(side);
  const std::byte* zero = side + kGroupZeroOffset;
  for (int c = 0; c < kPanelColumns; c += 8) {
    Store(out->scale + c, bf16 ? WidenBF16(scale + c) : WidenF16(scale + c));
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(zero + c));
    const __m256i zeros =
        kKind == Kind::kW4 ? _mm256_cvtepu8_epi32(bytes) : _mm256_cvtepi8_epi32(bytes);
    Store(out->offset + c, _mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_set1_epi32(centre), zeros)));
  }
}

void UnpackW4(const std::byte* block, int group_size, uint8_t* out) {
  const __m256i low = LoadBytes(kLowHalves);
  for (int i = 0; i < group_size; i += 8) {
    __builtin_prefetch(block + 4352);
    const __m256i a = LoadBytes(block), b = LoadBytes(block + 32);
    StoreBytes(out, _mm256_and_si256(a, low));
    StoreBytes(out + 32, _mm256_and_si256(b, low));
    StoreBytes(out + 64, _mm256_and_si256(_mm256_srli_epi16(a, 4), low));
    StoreBytes(out + 96, _mm256_and_si256(_mm256_srli_epi16(b, 4), low));
    block += kGroupLineBytes;
    out += 2 * kGroupLineBytes;
  }
}

void UnpackW8(const std::byte* block, int group_size, uint8_t* high, uint8_t* low_out) {
  const __m256i low = LoadBytes(kLowHalves);
  const __m256i flip = _mm256_set1_epi8(-128);
  for (int i = 0; i < group_size * kPanelColumns; i += 32) {
    __builtin_prefetch(block + i + 4352);
    const __m256i v = _mm256_xor_si256(LoadBytes(block + i), flip);
    StoreBytes(high + i, _mm256_and_si256(_mm256_srli_epi16(v, 4), low));
    StoreBytes(low_out + i, _mm256_and_si256(v, low));
  }
}

// Numbers within +-63, and the norms of their lanes.
void UnpackW8In7(const std::byte* block, int group_size, uint8_t* out, int32_t* part_norm,
                 int32_t* double_norm) {
  const __m256i centre = LoadBytes(kSixtyFour), zero = _mm256_setzero_si256();
  __m256i greatest = zero, greatest_double = zero;
  __m256i before[4] = {zero, zero, zero, zero};
  for (int part = 0; part < group_size / kGroupPartK; ++part) {
    __m256i squares[2] = {zero, zero};  // of 16 bits without sign: 16 * 63^2 fits
    for (int line = 0; line < kGroupPartK / 4; ++line) {
      __builtin_prefetch(block + 4352);
      for (int half = 0; half < 2; ++half) {
        const __m256i v = LoadBytes(block + 32 * half);
        const __m256i size = _mm256_abs_epi8(v);
        squares[half] = _mm256_add_epi16(squares[half], _mm256_maddubs_epi16(size, size));
        StoreBytes(out + 32 * half, _mm256_add_epi8(v, centre));
      }
      block += kGroupLineBytes;
      out += kGroupLineBytes;
    }
    for (int i = 0; i < 4; ++i) {
      const __m256i lanes = i % 2 == 0 ? _mm256_unpacklo_epi16(squares[i / 2], zero)
                                       : _mm256_unpackhi_epi16(squares[i / 2], zero);
      greatest = _mm256_max_epi32(greatest, lanes);
      greatest_double = _mm256_max_epi32(greatest_double, _mm256_add_epi32(lanes, before[i]));
      before[i] = part % 2 == 0 ? lanes : zero;
    }
  }
  *part_norm = RootRoundedUp(GreatestOf8(greatest));
  *double_norm = RootRoundedUp(GreatestOf8(greatest_double));
}

constexpr int BitsOf(Kind kind) { return kind == Kind::kW4 ? 4 : 8; }

// Groups of one panel from `block` on.
template <Kind kKind>
void UnpackPanel(const PackedGroups& w, const std::byte* block, int64_t num_groups, Panel* panel) {
  const int64_t side = SideOffset<BitsOf(kKind)>(w.group_size);
  for (int64_t g = 0; g < num_groups; ++g) {
    uint8_t* numbers = panel->numbers + g * w.group_size * kPanelColumns;
    if (kKind == Kind::kW4) UnpackW4(block, w.group_size, numbers);
    if (kKind == Kind::kW8) {
      UnpackW8(block, w.group_size, numbers, numbers + kBlockK * kPanelColumns);
    }
    if (kKind == Kind::kW8In7) {
      UnpackW8In7(block, w.group_size, numbers, panel->part_norm + g, panel->double_norm + g);
      UnpackColumns<kKind>(block + side, w.bf16_scales, -64, panel->columns32 + g);
    }
    // 16 (high - 8) + (low - 8) is q - 8 of a stored q.
    const int centre = kKind == Kind::kW8In7 ? 0 : 8;
    UnpackColumns<kKind>(block + side, w.bf16_scales, centre, panel->columns + g);
    block += side + kGroupSideBytes;
  }
}

// -centre * both lane sums, as 16 bits each.
OCTAVO_INLINE int32_t StartOf(const int16_t sums[2], int centre) {
  const auto low = static_cast<uint16_t>(-centre * sums[0]);
  const auto high = static_cast<uint16_t>(-centre * sums[1]);
  return static_cast<int32_t>(uint32_t{low} | uint32_t{high} << 16);
}

void DescribeTile(const ActivationGroup* groups, int64_t row_stride, int64_t rows, int centre,
                  TileGroup* tile) {
  *tile = TileGroup{};
  for (int64_t r = 0; r < rows; ++r) {
    const ActivationGroup& group = groups[r * row_stride];
    tile->scale[r] = group.scale;
    tile->sum[r] = group.sum;
    tile->start[r] = StartOf(group.lane_sums, centre);
    for (int p = 0; p < kGroupParts; ++p) {
      tile->part_start[p][r] = StartOf(group.part_lane_sums[p], centre);
    }
    tile->lane_magnitude = Greater(tile->lane_magnitude, group.lane_magnitude);
    tile->part_norm = Greater(tile->part_norm, group.part_norm);
    tile->double_norm = Greater(tile->double_norm, group.double_norm);
  }
}

OCTAVO_INLINE TileInput PartOf(const TileInput& in, int part) {
  return {in.weights + part * kGroupPartK * kPanelColumns, in.x + part * kGroupPartK, in.x_stride};
}

// A group in parts of 32 k.
OCTAVO_INLINE void SumByParts(const TileInput& in, int parts, const TileGroup& tile,
                              const ColumnGroup& columns, float* out) {
  TileSums sums = {};
  for (int p = 0; p + 1 < parts; ++p) {
    TileAddPartSums(PartOf(in, p), 1, tile.part_start[p], &sums);
  }
  TileLastPart(PartOf(in, parts - 1), 1, tile.part_start[parts - 1], sums, tile, columns, out);
}

// 128 k in two parts of 64.
OCTAVO_INLINE void SumByHalves(const TileInput& in, const TileGroup& tile,
                               const ColumnGroup& columns, float* out) {
  TileSums sums;
  alignas(32) int32_t start[2][8];
  for (int half = 0; half < 2; ++half) {
    StoreBytes(start[half], _mm256_add_epi16(LoadBytes(tile.part_start[2 * half]),
                                             LoadBytes(tile.part_start[2 * half + 1])));
  }
  TilePartSums(in, 2, start[0], &sums);
  TileLastPart(PartOf(in, 2), 2, start[1], sums, tile, columns, out);
}

OCTAVO_INLINE void TimesSixteen(TileSums* sums) {
  for (auto& v : sums->v) StoreBytes(v, _mm256_slli_epi32(LoadBytes(v), 4));
}

// Each returns whether the sums might not have fit, so that a slower way was taken.
OCTAVO_INLINE bool SumW4(const TileInput& in, int parts, const TileGroup& tile, const Panel& panel,
                         int64_t g, float* out) {
  if (tile.lane_magnitude <= kMostMagnitude) {
    TileGroupSums(in, parts, tile, panel.columns[g], out);
    return false;
  }
  SumByParts(in, parts, tile, panel.columns[g], out);
  return true;
}

OCTAVO_INLINE bool SumW8(const TileInput& in, int parts, const TileGroup& tile, const Panel& panel,
                         int64_t g, float* out) {
  const TileInput low = {in.weights + kBlockK * kPanelColumns, in.x, in.x_stride};
  if (tile.lane_magnitude <= kMostMagnitude) {
    TileSums sums;
    TilePartSums(in, parts, tile.start, &sums);
    TimesSixteen(&sums);
    TileLastPart(low, parts, tile.start, sums, tile, panel.columns[g], out);
    return false;
  }
  TileSums sums = {};
  for (int p = 0; p < parts; ++p) TileAddPartSums(PartOf(in, p), 1, tile.part_start[p], &sums);
  TimesSixteen(&sums);
  for (int p = 0; p + 1 < parts; ++p) {
    TileAddPartSums(PartOf(low, p), 1, tile.part_start[p], &sums);
  }
  TileLastPart(PartOf(low, parts - 1), 1, tile.part_start[parts - 1], sums, tile, panel.columns[g],
               out);
  return true;
}

OCTAVO_INLINE bool SumW8In7(const TileInput& in, int parts, const TileGroup& tile,
                            const Panel& panel, int64_t g, float* out) {
  // A sum of products is at most the product of the norms.
  if (parts > 1 && tile.double_norm * panel.double_norm[g] <= kMostSum16) {
    if (parts == 2) {
      TileGroupSums(in, parts, tile, panel.columns[g], out);
    } else {
      SumByHalves(in, tile, panel.columns[g], out);
    }
    return false;
  }
  if (tile.part_norm * panel.part_norm[g] <= kMostSum16) {
    SumByParts(in, parts, tile, panel.columns[g], out);
    return false;
  }
  TileSums32(in, parts, tile, panel.columns32[g], out);
  return true;
}

// A block of rows and of groups: what RunTiles goes over.
struct Block {
  int64_t row, rows, group, groups;
};

// Six rows (or what is left) by one unpacked panel.
template <Kind kKind>
OCTAVO_INLINE void RunTile(const GemmPacked& g, const Block& b, TileInput in, const TileGroup* tile,
                           const Panel& panel, float* out, int64_t* safe_pieces) {
  const int parts = g.w.group_size / kGroupPartK;
  for (int64_t i = 0; i < b.groups; ++i) {
    bool safe;
    if (kKind == Kind::kW4) safe = SumW4(in, parts, tile[i], panel, i, out);
    if (kKind == Kind::kW8) safe = SumW8(in, parts, tile[i], panel, i, out);
    if (kKind == Kind::kW8In7) safe = SumW8In7(in, parts, tile[i], panel, i, out);
    *safe_pieces += safe ? 1 : 0;
    in.weights += g.w.group_size * kPanelColumns;
    in.x += g.w.group_size;
  }
}

// All rows of a block by one panel.
template <Kind kKind>
void RunPanel(const GemmPacked& g, const Block& b, float* sums, Scratch* scratch,
              int64_t* safe_pieces) {
  const int64_t k_begin = b.group * g.w.group_size;
  const TileGroup* tile = scratch->tiles;
  for (int64_t r = 0; r < b.rows; r += kTileRows) {
    TileInput in = {scratch->panel.numbers, g.x + (b.row + r) * g.x_row_stride + k_begin,
                    g.x_row_stride};
    float* out = sums + (b.row + r) * kPanelColumns;
    const int64_t rows = b.rows - r < kTileRows ? b.rows - r : kTileRows;
    if (rows == kTileRows) {
      RunTile<kKind>(g, b, in, tile, scratch->panel, out, safe_pieces);
    } else {
      in.x = scratch->last_rows;
      in.x_stride = kBlockK;
      const size_t bytes = static_cast<size_t>(rows * kPanelColumns) * sizeof(float);
      __builtin_memcpy(scratch->last_sums, out, bytes);
      RunTile<kKind>(g, b, in, tile, scratch->panel, scratch->last_sums, safe_pieces);
      __builtin_memcpy(out, scratch->last_sums, bytes);
    }
    tile += b.groups;
  }
}

// The rows of a block that fill no tile, filled up with zeros.
void CopyLastRows(const GemmPacked& g, const Block& b, Scratch* scratch) {
  const int64_t k = b.groups * g.w.group_size;
  const int64_t rows = b.rows % kTileRows;
  const int8_t* x = g.x + (b.row + b.rows - rows) * g.x_row_stride + b.group * g.w.group_size;
  __builtin_memset(scratch->last_rows, 0, sizeof(scratch->last_rows));
  for (int64_t r = 0; r < rows; ++r) {
    __builtin_memcpy(scratch->last_rows + r * kBlockK, x + r * g.x_row_stride,
                     static_cast<size_t>(k));
  }
}

template <Kind kKind>
void RunBlock(const GemmPacked& g, const Block& b, Scratch* scratch, int64_t* safe_pieces) {
  constexpr int kCentre = kKind == Kind::kW8In7 ? 64 : 8;
  TileGroup* tile = scratch->tiles;
  for (int64_t r = 0; r < b.rows; r += kTileRows) {
    const int64_t rows = b.rows - r < kTileRows ? b.rows - r : kTileRows;
    for (int64_t i = 0; i < b.groups; ++i) {
      DescribeTile(g.x_groups + (b.row + r) * g.x_groups_row_stride + b.group + i,
                   g.x_groups_row_stride, rows, kCentre, tile++);
    }
  }
  if (b.rows % kTileRows != 0) CopyLastRows(g, b, scratch);
  const int64_t block_bytes = SideOffset<BitsOf(kKind)>(g.w.group_size) + kGroupSideBytes;
  for (int64_t p = 0; p < g.panels; ++p) {
    UnpackPanel<kKind>(g.w, g.w.data + p * g.w.panel_stride + b.group * block_bytes, b.groups,
                       &scratch->panel);
    RunPanel<kKind>(g, b, g.sums + p * g.sums_panel_stride, scratch, safe_pieces);
  }
}

OCTAVO_INLINE void ZeroSums(const GemmPacked& g) {
  for (int64_t p = 0; p < g.panels; ++p) {
    __builtin_memset(g.sums + p * g.sums_panel_stride, 0,
                     static_cast<size_t>(g.rows * kPanelColumns) * sizeof(float));
  }
}

template <Kind kKind>
void GemmByTiles(const GemmPacked& g) {
  auto* scratch = reinterpret_cast<Scratch*>(g.scratch);
  int64_t pieces = 0, safe_pieces = 0;
  for (Block b{}; b.row < g.rows; b.row += kBlockRows) {
    b.rows = g.rows - b.row < kBlockRows ? g.rows - b.row : kBlockRows;
    for (b.group = 0; b.group < g.num_groups; b.group += kBlockGroups) {
      b.groups = g.num_groups - b.group < kBlockGroups ? g.num_groups - b.group : kBlockGroups;
      RunBlock<kKind>(g, b, scratch, &safe_pieces);
      pieces += (b.rows + kTileRows - 1) / kTileRows * b.groups * g.panels;
    }
  }
  if (g.pieces != nullptr) *g.pieces += pieces;
  if (g.safe_pieces != nullptr) *g.safe_pieces += safe_pieces;
}

// Up to four rows by one panel, group by group. Returns how many groups took the slower way.
template <Kind kKind, int kRows>
int64_t StreamPanel(const GemmPacked& g, int64_t row, const std::byte* block, int64_t group,
                    float* out) {
  const int parts = g.w.group_size / kGroupPartK;
  const int64_t side = SideOffset<BitsOf(kKind)>(g.w.group_size);
  const ActivationGroup* groups = g.x_groups + row * g.x_groups_row_stride + group;
  const auto groups_stride = g.x_groups_row_stride * int64_t{sizeof(ActivationGroup)};
  ColumnGroup columns;
  UnpackColumns<kKind>(block + side, g.w.bf16_scales, kKind == Kind::kW4 ? 8 : -64, &columns);
  StreamInput in = {block, g.x + row * g.x_row_stride + group * g.w.group_size, g.x_row_stride,
                    groups, groups_stride};
  if (kKind == Kind::kW8In7) {
    Stream<kRows>::W8Group(in, 2 * parts, columns, out);
    return 0;
  }
  bool fits = true;
  for (int r = 0; r < kRows; ++r) {
    fits = fits && groups[r * g.x_groups_row_stride].lane_magnitude <= kMostMagnitude;
  }
  if (fits) {
    Stream<kRows>::W4Group(in, 2 * parts, columns, out);
    return 0;
  }
  StreamSums sums = {};
  for (int p = 0; p < parts; ++p) {
    Stream<kRows>::W4Part(in, p, &sums);
    in.block += kGroupPartK / 8 * kGroupLineBytes;
    in.x += kGroupPartK;
  }
  Stream<kRows>::Finish(in, sums, columns, out);
  return 1;
}

template <Kind kKind>
void GemmByStream(const GemmPacked& g) {
  const int64_t block_bytes = SideOffset<BitsOf(kKind)>(g.w.group_size) + kGroupSideBytes;
  const int64_t passes = (g.rows + kStreamTileRows - 1) / kStreamTileRows;
  int64_t safe_pieces = 0;
  for (int64_t p = 0; p < g.panels; ++p) {
    const std::byte* block = g.w.data + p * g.w.panel_stride;
    float* sums = g.sums + p * g.sums_panel_stride;
    for (int64_t group = 0; group < g.num_groups; ++group) {
      int64_t row = 0;
      for (int64_t pass = passes; pass > 0; --pass) {
        float* out = sums + row * kPanelColumns;
        const int64_t rows = (g.rows - row + pass - 1) / pass;
        switch (rows) {
          case 1:
            safe_pieces += StreamPanel<kKind, 1>(g, row, block, group, out);
            break;
          case 2:
            safe_pieces += StreamPanel<kKind, 2>(g, row, block, group, out);
            break;
          case 3:
            safe_pieces += StreamPanel<kKind, 3>(g, row, block, group, out);
            break;
          default:
            safe_pieces += StreamPanel<kKind, 4>(g, row, block, group, out);
            break;
        }
        row += rows;
      }
      block += block_bytes;
    }
  }
  if (g.pieces != nullptr) *g.pieces += passes * g.num_groups * g.panels;
  if (g.safe_pieces != nullptr) *g.safe_pieces += safe_pieces;
}

void GemmW4A8(const GemmPacked& g) {
  if (!g.accumulate) ZeroSums(g);
  if (g.rows <= kStreamRows) {
    GemmByStream<Kind::kW4>(g);
  } else {
    GemmByTiles<Kind::kW4>(g);
  }
  _mm256_zeroupper();
}

void GemmW8A8(const GemmPacked& g) {
  if (!g.accumulate) ZeroSums(g);
  if (!g.w.is_7bit) {
    GemmByTiles<Kind::kW8>(g);
  } else if (g.rows <= kStreamRows) {
    GemmByStream<Kind::kW8In7>(g);
  } else {
    GemmByTiles<Kind::kW8In7>(g);
  }
  _mm256_zeroupper();
}

constexpr KernelTable Slots() {
  KernelTable t{};
  t.quantize_row = QuantizeRow;
  t.gemm_w4a8 = GemmW4A8;
  t.gemm_w8a8 = GemmW8A8;
  t.widen_w4 = WidenW4;
  t.widen_w8 = WidenW8;
  return t;
}

}  // namespace

constexpr KernelTable kAvx2PackedSlots = Slots();

}  // namespace octavo
