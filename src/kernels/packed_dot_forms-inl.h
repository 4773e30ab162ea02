// The two forms of activations for packed_dot-inl.h, written once for registers of any width:
//   Lines         the registers: packed_dot256-inl.h, packed_dot512-inl.h
//   Instruction   Add(sums, w, x): for each sum of 32 bits, sums + the sum over the parts of w
//   times
//                 those of x; a parameter, so that tests can put its definition in its place
#ifndef OCTAVO_KERNELS_PACKED_DOT_FORMS_INL_H_
#define OCTAVO_KERNELS_PACKED_DOT_FORMS_INL_H_

#include "kernels/packed_avx2_unpack-inl.h"
#include "kernels/packed_gemm.h"

namespace octavo {
namespace {

// Activations of 8 bits. Bytes of weights are without sign, those of 8 bits with 128 added; zeros
// are taken off the sums.
template <class Lines, class Instruction>
struct DotA8 : Lines {
  using Reg = typename Lines::Reg;
  using Product = GemmPacked;
  using Group = ActivationGroup;
  using Columns = ColumnGroup;
  struct Centre {};
  struct LoadedColumns {
    typename Lines::Floats scale, offset;
  };
  static constexpr int kLineK = 4;
  static constexpr int kStreamRows = 12;

  template <int kBits>
  static OCTAVO_INLINE Centre CentreOf(const std::byte*) {
    return {};
  }
  template <int kBits>
  static OCTAVO_INLINE void Unpack(const uint8_t* w, const Centre&,
                                   Reg (&lines)[2][Lines::kRegisters]) {
#pragma GCC unroll 2
    for (int i = 0; i < Lines::kRegisters; ++i) {
      const Reg v = Lines::Load(w + i * sizeof(Reg));
      if constexpr (kBits == 4) {
        const Reg low = Lines::Bytes(15);
        lines[0][i] = Lines::And(v, low);
        lines[1][i] = Lines::And(Lines::template ShiftRight<4>(v), low);
      } else {
        const Reg flip = Lines::Bytes(-128);
        lines[0][i] = Lines::Xor(v, flip);
        lines[1][i] = Lines::Xor(Lines::Load(w + kGroupLineBytes + i * sizeof(Reg)), flip);
      }
    }
  }
  static OCTAVO_INLINE Reg Add(Reg sums, Reg w, Reg x) { return Instruction::Add(sums, w, x); }

  // Zeros of 8 bits belong to bytes less 128.
  template <int kBits>
  static OCTAVO_INLINE void ReadColumns(const std::byte* side, bool bf16, Columns* columns) {
    if constexpr (kBits == 4) {
      UnpackColumns<Kind::kW4>(side, bf16, 0, columns);
    } else {
      UnpackColumns<Kind::kW8>(side, bf16, -128, columns);
    }
  }
  static OCTAVO_INLINE LoadedColumns LoadColumns(const Columns& columns, int first) {
    return {Lines::LoadFloats(columns.scale + first), Lines::LoadFloats(columns.offset + first)};
  }
  static OCTAVO_INLINE void Finish(Reg sums, const LoadedColumns& columns, const Group& group,
                                   typename Lines::Mask mask, float* out) {
    const auto dot = Lines::MultiplyAdd(columns.offset, group.sum, Lines::ToFloats(sums));
    Lines::AddScaled(dot, columns.scale, group.scale, mask, out);
  }
};

// Activations of 16 bits: weights are q - zero in pairs (k, k + 2) and (k + 1, k + 3).
template <class Lines, class Instruction>
struct DotA16 : Lines {
  using Reg = typename Lines::Reg;
  using Product = GemmPackedA16;
  using Group = float;
  struct Columns {
    alignas(64) float scale[kPanelColumns];
  };
  struct Centre {
    Reg zeros[Lines::kRegisters];  // of 32 bits each, twice
  };
  struct LoadedColumns {
    typename Lines::Floats scale;
  };
  static constexpr int kLineK = 2;
  static constexpr int kStreamRows = Lines::kStreamRowsA16;

  template <int kBits>
  static OCTAVO_INLINE Centre CentreOf(const std::byte* side) {
    Centre centre;
#pragma GCC unroll 2
    for (int i = 0; i < Lines::kRegisters; ++i) {
      centre.zeros[i] = Lines::template ZerosTwice<kBits>(side + kGroupZeroOffset +
                                                          i * kPanelColumns / Lines::kRegisters);
    }
    return centre;
  }
  template <int kBits>
  static OCTAVO_INLINE void Unpack(const uint8_t* w, const Centre& centre,
                                   Reg (&lines)[4][Lines::kRegisters]) {
#pragma GCC unroll 2
    for (int i = 0; i < Lines::kRegisters; ++i) {
      const Reg v = Lines::Load(w + i * sizeof(Reg)), zeros = centre.zeros[i];
      if constexpr (kBits == 4) {
        const Reg low = Lines::Halves(15);
        lines[0][i] = Lines::Sub(Lines::And(v, low), zeros);
        lines[1][i] = Lines::Sub(Lines::And(Lines::template ShiftRight<8>(v), low), zeros);
        lines[2][i] = Lines::Sub(Lines::And(Lines::template ShiftRight<4>(v), low), zeros);
        lines[3][i] = Lines::Sub(Lines::template ShiftRight<12>(v), zeros);
      } else {
        const Reg next = Lines::Load(w + kGroupLineBytes + i * sizeof(Reg));
        lines[0][i] = Lines::Sub(Lines::LowBytes(v), zeros);
        lines[1][i] = Lines::Sub(Lines::HighBytes(v), zeros);
        lines[2][i] = Lines::Sub(Lines::LowBytes(next), zeros);
        lines[3][i] = Lines::Sub(Lines::HighBytes(next), zeros);
      }
    }
  }
  static OCTAVO_INLINE Reg Add(Reg sums, Reg w, Reg x) { return Instruction::Add(sums, w, x); }

  template <int kBits>
  static OCTAVO_INLINE void ReadColumns(const std::byte* side, bool bf16, Columns* columns) {
    UnpackScales(side, bf16, columns->scale);
  }
  static OCTAVO_INLINE LoadedColumns LoadColumns(const Columns& columns, int first) {
    return {Lines::LoadFloats(columns.scale + first)};
  }
  static OCTAVO_INLINE void Finish(Reg sums, const LoadedColumns& columns, float group_scale,
                                   typename Lines::Mask mask, float* out) {
    Lines::AddScaled(Lines::ToFloats(sums), columns.scale, group_scale, mask, out);
  }
};

}  // namespace
}  // namespace octavo

#endif  // OCTAVO_KERNELS_PACKED_DOT_FORMS_INL_H_
