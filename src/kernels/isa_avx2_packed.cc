// Slots of packed weights for AVX2, FMA and F16C.
//
// Many rows: one panel at a time is unpacked to bytes, up to 1280 k of it, and 192 rows pass by in
// tiles of 6 rows x 16 columns, so that weights stay in the nearest cache. Few rows: the packed
// bytes are read once, straight from memory. That is for activations of 8 bits, summed in 16 bits
// where it can be; those of 16 bits go by packed_dot-inl.h.
#include "kernels/isa_tables.h"
#include "kernels/vec_avx2.h"
// Needs the vocabulary above.
#include "kernels/packed-inl.h"
#include "kernels/packed_avx2_panel-inl.h"
#include "kernels/packed_avx2_rows-inl.h"
#include "kernels/packed_avx2_stream-inl.h"
#include "kernels/packed_avx2_tile-inl.h"
#include "kernels/packed_dot-inl.h"
#include "kernels/packed_dot256-inl.h"

namespace octavo {
namespace {

constexpr int64_t kBlockRows = 192;
constexpr int64_t kStreamRows = 12;

// Of W4 halves: 8 * 4095 still fits 16 bits. The same number bounds every product of norms.
constexpr int32_t kMostMagnitude = 4095;
constexpr int32_t kMostSum16 = 32767;

// The private memory of one call.
struct Scratch {
  Panel panel;
  TileGroup tiles[kBlockRows / kTileRows * kBlockGroups];
  TileParts parts[kBlockRows / kTileRows * kBlockGroups];  // not of kW4
  int8_t last_rows[kTileRows * kBlockK];                   // of a tile that is not full
  float last_sums[kTileRows * kPanelColumns];
};
static_assert(sizeof(Scratch) <= kGemmPackedScratchBytes);

// Pairs of lane sums, as they stand in ActivationGroup, times a factor; modulo 2^16, as sums are.
OCTAVO_INLINE int32_t StartOf(const int16_t lane_sums[2], __m128i factor) {
  int32_t pair;
  __builtin_memcpy(&pair, lane_sums, sizeof(pair));
  return _mm_cvtsi128_si32(_mm_mullo_epi16(_mm_cvtsi32_si128(pair), factor));
}

void DescribeTile(const ActivationGroup* groups, int64_t row_stride, int64_t rows, int centre,
                  TileGroup* tile) {
  if (rows < kTileRows) *tile = TileGroup{};
  const __m128i factor = _mm_set1_epi16(static_cast<int16_t>(-centre));
  int32_t magnitude = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const ActivationGroup& group = groups[r * row_stride];
    tile->scale[r] = group.scale;
    tile->sum[r] = group.sum;
    tile->start[r] = StartOf(group.lane_sums, factor);
    magnitude = Greater(magnitude, group.lane_magnitude);
  }
  tile->lane_magnitude = magnitude;
}

void DescribeParts(const ActivationGroup* groups, int64_t row_stride, int64_t rows, int centre,
                   TileParts* parts) {
  if (rows < kTileRows) *parts = TileParts{};
  const __m128i factor = _mm_set1_epi16(static_cast<int16_t>(-centre));
  __m128i norms = _mm_setzero_si128();
  for (int64_t r = 0; r < rows; ++r) {
    const ActivationGroup& group = groups[r * row_stride];
    const __m128i sums = _mm_loadu_si128(reinterpret_cast<const __m128i*>(group.part_lane_sums));
    const __m128i starts = _mm_mullo_epi16(sums, factor);
    parts->start[0][r] = _mm_cvtsi128_si32(starts);
    parts->start[1][r] = _mm_extract_epi32(starts, 1);
    parts->start[2][r] = _mm_extract_epi32(starts, 2);
    parts->start[3][r] = _mm_extract_epi32(starts, 3);
    norms = _mm_max_epu16(norms,
                          _mm_loadu_si128(reinterpret_cast<const __m128i*>(group.part_lane_norms)));
  }
  _mm_store_si128(reinterpret_cast<__m128i*>(parts->lane_norms), norms);
}

OCTAVO_INLINE TileInput Ahead(const TileInput& in, int64_t k) {
  return {in.weights + k * kPanelColumns, in.x + k, in.x_stride};
}
OCTAVO_INLINE TileInput PartOf(const TileInput& in, int part) {
  return Ahead(in, part * kGroupPartK);
}

// One tile and one group of one panel.
struct Piece {
  TileInput in;
  int num_parts;
  const TileGroup* tile;
  const TileParts* parts;
  const ColumnGroup* columns;
};

// A group in parts of 32 k.
template <bool kCentred>
OCTAVO_INLINE void SumByParts(const Piece& piece, const TileOutput& out) {
  if (piece.num_parts == 1) {
    TileGroupSums(piece.in, 1, 1, piece.tile, piece.columns, out);
  } else {
    TileCutSums<1, kCentred>(piece.in, piece.num_parts, piece.parts->start,
                             {piece.tile, piece.columns}, out);
  }
}

// 128 k of weights within +-63 in two parts of 64.
OCTAVO_INLINE void SumByHalves(const Piece& piece, const TileOutput& out) {
  alignas(32) int32_t start[2][8];
  for (int half = 0; half < 2; ++half) {
    StoreBytes(start[half], _mm256_add_epi16(LoadBytes(piece.parts->start[2 * half]),
                                             LoadBytes(piece.parts->start[2 * half + 1])));
  }
  TileCutSums<2, true>(piece.in, 2, start, {piece.tile, piece.columns}, out);
}

OCTAVO_INLINE void TimesSixteen(TileSums* sums) {
  for (auto& v : sums->v) StoreBytes(v, _mm256_slli_epi32(LoadBytes(v), 4));
}

// Weights in two halves of 4 bits. Returns whether the sums might not have fit, so that a slower
// way was taken.
bool SumW8(const Piece& piece, const TileOutput& out) {
  Piece low = piece;
  low.in.weights += kBlockK * kPanelColumns;
  if (piece.tile->lane_magnitude <= kMostMagnitude) {
    TileSums sums;
    TilePartSums(piece.in, piece.num_parts, piece.tile->start, &sums);
    TimesSixteen(&sums);
    TileLastPart(low.in, piece.num_parts, piece.tile->start, sums, {piece.tile, piece.columns},
                 out);
    return false;
  }
  TileSums sums = {};
  const int last = piece.num_parts - 1;
  for (int p = 0; p <= last; ++p) {
    TileAddPartSums(PartOf(piece.in, p), 1, piece.parts->start[p], &sums);
  }
  TimesSixteen(&sums);
  for (int p = 0; p < last; ++p) {
    TileAddPartSums(PartOf(low.in, p), 1, piece.parts->start[p], &sums);
  }
  TileLastPart(PartOf(low.in, last), 1, piece.parts->start[last], sums, {piece.tile, piece.columns},
               out);
  return true;
}

// Into how many sums of 16 bits a lane has to be cut, as a sum of products is at most the product
// of the norms: 1, 2 halves, or 4, the parts; 0 if a part may not fit.
OCTAVO_INLINE int SumsThatFit(const TileParts& parts, const uint16_t* column_norms) {
  const __m128i x = _mm_load_si128(reinterpret_cast<const __m128i*>(parts.lane_norms));
  const __m128i w = _mm_load_si128(reinterpret_cast<const __m128i*>(column_norms));
  const __m128i most = _mm_set1_epi32(kMostSum16);
  const __m128i halves = _mm_madd_epi16(x, w);  // two of lane 0, two of lane 1
  const __m128i whole = _mm_add_epi32(halves, _mm_shuffle_epi32(halves, 0xB1));
  if (_mm_movemask_epi8(_mm_cmpgt_epi32(whole, most)) == 0) return 1;
  if (_mm_movemask_epi8(_mm_cmpgt_epi32(halves, most)) == 0) return 2;
  const __m128i high = _mm_mulhi_epi16(x, w), low = _mm_mullo_epi16(x, w);
  const __m128i past16 = _mm_or_si128(high, _mm_srai_epi16(low, 15));
  return _mm_testz_si128(past16, past16) != 0 ? 4 : 0;
}

OCTAVO_INLINE int64_t SumsStrideBytes(const GemmPacked& g) {
  return g.sums_row_stride * int64_t{sizeof(float)};
}

// A block of rows and of groups.
struct Block {
  int64_t row, rows, group, groups;
};

// A tile of rows, its activations and what is known of them.
struct Tile {
  TileInput in;
  int64_t row, rows;
  const TileGroup* groups;
  const TileParts* parts;
  TileParts* one;  // to describe a group in when needed (kW4)
  TileOutput out;
};

// One tile by one unpacked panel, for one kind of weights. Returns the number of pieces that took a
// slower way. Groups whose sums fit are taken in runs.
template <Kind kKind>
OCTAVO_INLINE int64_t RunTile(const GemmPacked& g, const Block& b, const Tile& tile,
                              const Panel& panel);

template <>
OCTAVO_INLINE int64_t RunTile<Kind::kW4>(const GemmPacked& g, const Block& b, const Tile& tile,
                                         const Panel& panel) {
  int64_t safe_pieces = 0;
  const int num_parts = g.w.group_size / kGroupPartK;
  TileInput in = tile.in;
  for (int64_t i = 0; i < b.groups;) {
    int64_t run = 0;
    while (i + run < b.groups && tile.groups[i + run].lane_magnitude <= kMostMagnitude) ++run;
    if (run > 0) {
      TileGroupSums(in, run, num_parts, tile.groups + i, panel.columns + i, tile.out);
    } else {
      run = 1;
      DescribeParts(g.x_groups + tile.row * g.x_groups_row_stride + b.group + i,
                    g.x_groups_row_stride, tile.rows, 8, tile.one);
      SumByParts<false>({in, num_parts, tile.groups + i, tile.one, panel.columns + i}, tile.out);
      ++safe_pieces;
    }
    i += run;
    in = Ahead(in, run * g.w.group_size);
  }
  return safe_pieces;
}

template <>
OCTAVO_INLINE int64_t RunTile<Kind::kW8>(const GemmPacked& g, const Block& b, const Tile& tile,
                                         const Panel& panel) {
  int64_t safe_pieces = 0;
  TileInput in = tile.in;
  for (int64_t i = 0; i < b.groups; ++i) {
    const Piece piece = {in, g.w.group_size / kGroupPartK, tile.groups + i, tile.parts + i,
                         panel.columns + i};
    safe_pieces += SumW8(piece, tile.out) ? 1 : 0;
    in = Ahead(in, g.w.group_size);
  }
  return safe_pieces;
}

template <>
OCTAVO_INLINE int64_t RunTile<Kind::kW8In7>(const GemmPacked& g, const Block& b, const Tile& tile,
                                            const Panel& panel) {
  int64_t safe_pieces = 0;
  const int num_parts = g.w.group_size / kGroupPartK;
  TileInput in = tile.in;
  for (int64_t i = 0; i < b.groups;) {
    int64_t run = 0;
    int sums = 1;
    while (i + run < b.groups) {
      sums = SumsThatFit(tile.parts[i + run], panel.lane_norms[i + run]);
      if (sums != 1) break;
      ++run;
    }
    if (run > 0) {
      TileGroupSums(in, run, num_parts, tile.groups + i, panel.columns + i, tile.out);
      i += run;
      in = Ahead(in, run * g.w.group_size);
    }
    if (sums == 1) continue;
    const Piece piece = {in, num_parts, tile.groups + i, tile.parts + i, panel.columns + i};
    if (sums == 2) {
      SumByHalves(piece, tile.out);
    } else if (sums == 4) {
      SumByParts<true>(piece, tile.out);
    } else {
      TileSums32(in, num_parts, tile.groups[i], panel.columns32[i], tile.out);
      ++safe_pieces;
    }
    ++i;
    in = Ahead(in, g.w.group_size);
  }
  return safe_pieces;
}

// All rows of a block by one panel.
template <Kind kKind>
int64_t RunPanel(const GemmPacked& g, const Block& b, float* sums, Scratch* scratch) {
  constexpr size_t kBytes = kPanelColumns * sizeof(float);
  int64_t safe_pieces = 0;
  Tile tile = {{}, b.row, kTileRows, scratch->tiles, scratch->parts, scratch->parts, {}};
  for (int64_t left = b.rows; left > 0; left -= kTileRows) {
    const int8_t* x = g.x + tile.row * g.x_row_stride + b.group * g.w.group_size;
    float* out = sums + tile.row * g.sums_row_stride;
    if (left >= kTileRows) {
      tile.in = {scratch->panel.numbers, x, g.x_row_stride};
      tile.out = {out, SumsStrideBytes(g)};
      safe_pieces += RunTile<kKind>(g, b, tile, scratch->panel);
    } else {
      tile.rows = left;
      tile.in = {scratch->panel.numbers, scratch->last_rows, kBlockK};
      tile.out = {scratch->last_sums, int64_t{kBytes}};
      for (int64_t r = 0; r < left; ++r) {
        __builtin_memcpy(tile.out.out + r * kPanelColumns, out + r * g.sums_row_stride, kBytes);
      }
      safe_pieces += RunTile<kKind>(g, b, tile, scratch->panel);
      for (int64_t r = 0; r < left; ++r) {
        __builtin_memcpy(out + r * g.sums_row_stride, tile.out.out + r * kPanelColumns, kBytes);
      }
    }
    tile.row += kTileRows;
    tile.groups += b.groups;
    tile.parts += b.groups;
  }
  return safe_pieces;
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

// Returns the number of pieces that took a slower way.
template <Kind kKind>
int64_t RunBlock(const GemmPacked& g, const Block& b, Scratch* scratch) {
  constexpr int kCentre = kKind == Kind::kW8In7 ? 64 : 8;
  int64_t tile = 0;
  for (int64_t r = 0; r < b.rows; r += kTileRows) {
    const int64_t rows = b.rows - r < kTileRows ? b.rows - r : kTileRows;
    const ActivationGroup* groups = g.x_groups + (b.row + r) * g.x_groups_row_stride + b.group;
    for (int64_t i = 0; i < b.groups; ++i, ++tile) {
      DescribeTile(groups + i, g.x_groups_row_stride, rows, kCentre, scratch->tiles + tile);
      if (kKind == Kind::kW4) continue;
      DescribeParts(groups + i, g.x_groups_row_stride, rows, kCentre, scratch->parts + tile);
    }
  }
  if (b.rows % kTileRows != 0) CopyLastRows(g, b, scratch);
  const int64_t block_bytes = SideOffset<BitsOf(kKind)>(g.w.group_size) + kGroupSideBytes;
  int64_t safe_pieces = 0;
  for (int64_t p = 0; p < g.panels; ++p) {
    UnpackPanel<kKind>(g.w, g.w.data + p * g.w.panel_stride + b.group * block_bytes, b.groups,
                       &scratch->panel);
    safe_pieces += RunPanel<kKind>(g, b, g.sums + p * kPanelColumns, scratch);
  }
  return safe_pieces;
}

// How many groups pass at a time. Of long rows only half of what has room: other tasks do not find
// them again in the far cache, and with as many it would overflow.
OCTAVO_INLINE int64_t GroupsAtOnce(int64_t num_groups) {
  return num_groups <= kBlockGroups ? kBlockGroups : kBlockGroups / 2;
}

template <Kind kKind>
void GemmByTiles(const GemmPacked& g) {
  auto* scratch = reinterpret_cast<Scratch*>(g.scratch);
  const int64_t most = GroupsAtOnce(g.num_groups);
  int64_t pieces = 0, safe_pieces = 0;
  for (Block b{}; b.row < g.rows; b.row += kBlockRows) {
    b.rows = g.rows - b.row < kBlockRows ? g.rows - b.row : kBlockRows;
    for (b.group = 0; b.group < g.num_groups; b.group += most) {
      b.groups = g.num_groups - b.group < most ? g.num_groups - b.group : most;
      safe_pieces += RunBlock<kKind>(g, b, scratch);
      pieces += (b.rows + kTileRows - 1) / kTileRows * b.groups * g.panels;
    }
  }
  if (g.pieces != nullptr) *g.pieces += pieces;
  if (g.safe_pieces != nullptr) *g.safe_pieces += safe_pieces;
}

OCTAVO_INLINE int64_t NumPasses(int64_t rows) {
  return (rows + kStreamTileRows - 1) / kStreamTileRows;
}

// One block of packed weights, for passes of up to four rows.
struct StreamedBlock {
  const std::byte* data;
  int64_t group;
  ColumnGroup columns;
};

// Up to four rows by one block. Returns 1 if it took the slower way.
template <Kind kKind, int kRows>
int64_t StreamRows(const GemmPacked& g, const StreamedBlock& b, int64_t row,
                   const TileOutput& out) {
  const int parts = g.w.group_size / kGroupPartK;
  const ActivationGroup* groups = g.x_groups + row * g.x_groups_row_stride + b.group;
  const auto groups_stride = g.x_groups_row_stride * int64_t{sizeof(ActivationGroup)};
  StreamInput in = {b.data, g.x + row * g.x_row_stride + b.group * g.w.group_size, g.x_row_stride,
                    groups, groups_stride};
  if (kKind == Kind::kW8In7) {
    Stream<kRows>::W8Group(in, 2 * parts, b.columns, out);
    return 0;
  }
  bool fits = true;
  for (int r = 0; r < kRows; ++r) {
    fits = fits && groups[r * g.x_groups_row_stride].lane_magnitude <= kMostMagnitude;
  }
  if (fits) {
    Stream<kRows>::W4Group(in, 2 * parts, b.columns, out);
    return 0;
  }
  StreamSums sums = {};
  for (int p = 0; p < parts; ++p) {
    Stream<kRows>::W4Part(in, p, &sums);
    in.block += kGroupPartK / 8 * kGroupLineBytes;
    in.x += kGroupPartK;
  }
  Stream<kRows>::Finish(in, sums, b.columns, out);
  return 1;
}

// One block by all rows, in even passes of up to four.
template <Kind kKind>
int64_t StreamBlock(const GemmPacked& g, const StreamedBlock& b, float* sums) {
  int64_t safe_pieces = 0, row = 0;
  for (int64_t pass = NumPasses(g.rows); pass > 0; --pass) {
    const TileOutput out = {sums + row * g.sums_row_stride, SumsStrideBytes(g)};
    const int64_t rows = (g.rows - row + pass - 1) / pass;
    switch (rows) {
      case 1:
        safe_pieces += StreamRows<kKind, 1>(g, b, row, out);
        break;
      case 2:
        safe_pieces += StreamRows<kKind, 2>(g, b, row, out);
        break;
      case 3:
        safe_pieces += StreamRows<kKind, 3>(g, b, row, out);
        break;
      default:
        safe_pieces += StreamRows<kKind, 4>(g, b, row, out);
        break;
    }
    row += rows;
  }
  return safe_pieces;
}

template <Kind kKind>
void GemmByStream(const GemmPacked& g) {
  const int64_t side = SideOffset<BitsOf(kKind)>(g.w.group_size);
  int64_t safe_pieces = 0;
  for (int64_t p = 0; p < g.panels; ++p) {
    StreamedBlock b{g.w.data + p * g.w.panel_stride, 0, {}};
    for (; b.group < g.num_groups; ++b.group) {
      UnpackColumns<kKind>(b.data + side, g.w.bf16_scales, kKind == Kind::kW4 ? 8 : -64,
                           &b.columns);
      safe_pieces += StreamBlock<kKind>(g, b, g.sums + p * kPanelColumns);
      b.data += side + kGroupSideBytes;
    }
  }
  if (g.pieces != nullptr) *g.pieces += NumPasses(g.rows) * g.num_groups * g.panels;
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
  using A16 = DotA16<Lines256, MaddPairs>;
  t.packed_a16 = {QuantizeRowA16, GemmPackedDots<A16, 4>, GemmPackedDots<A16, 8>};
  t.widen_w4 = WidenW4;
  t.widen_w8 = WidenW8;
  return t;
}

}  // namespace

constexpr KernelTable kAvx2PackedSlots = Slots();

}  // namespace octavo
