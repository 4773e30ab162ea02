// Test only: the slots of packed weights as AVX-VNNI has them, by AVX2.
#ifndef OCTAVO_KERNELS_ISA_EMULATED_DOT_H_
#define OCTAVO_KERNELS_ISA_EMULATED_DOT_H_

#include "kernels/kernel_table.h"

namespace octavo {

// REQUIRES: a machine with AVX2, FMA and F16C.
extern const KernelTable kEmulatedDotSlots;

}  // namespace octavo

#endif  // OCTAVO_KERNELS_ISA_EMULATED_DOT_H_
