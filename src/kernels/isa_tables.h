// The tables of the isa_*.cc files; for select.cc only. Which exist depends on the architecture.
#ifndef OCTAVO_KERNELS_ISA_TABLES_H_
#define OCTAVO_KERNELS_ISA_TABLES_H_

#include "kernels/kernel_table.h"

namespace octavo {

extern const KernelTable kScalarKernels;
extern const KernelTable kAvx2Kernels;  // x86-64: AVX2, FMA, F16C
// The slots of packed weights for both; all others are null.
extern const KernelTable kAvx2PackedSlots;
// The same slots, attention_int16 and the peaks of integer dots, with AVX-VNNI and AVX512_VNNI.
extern const KernelTable kAvxVnniSlots;
extern const KernelTable kAvx512VnniSlots;
extern const KernelTable kAvx512Kernels;  // x86-64: F, BW, VL, DQ
// The slots that AVX512_BF16 adds; all others are null.
extern const KernelTable kAvx512Bf16Slots;
extern const KernelTable kNeonKernels;  // arm64
// The slots that arm64's dot products add; all others are null.
extern const KernelTable kNeonDotprodSlots;

}  // namespace octavo

#endif  // OCTAVO_KERNELS_ISA_TABLES_H_
