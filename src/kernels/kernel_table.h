// KernelTable: the microkernels of one instruction set, and the contract of each.
//
// Kernels are innermost loops: one thread, no allocation, no shapes, only counts. Every slot has a
// scalar twin that is the definition; select.h hands out the table that runs.
#ifndef OCTAVO_KERNELS_KERNEL_TABLE_H_
#define OCTAVO_KERNELS_KERNEL_TABLE_H_

#include <cstdint>

namespace octavo {

struct KernelTable {
  const char* name;  // "scalar", "avx2", "avx512", "neon"
  // SLOTS ARE DEFINED BY THE KERNELS FLOOR.
};

}  // namespace octavo

#endif  // OCTAVO_KERNELS_KERNEL_TABLE_H_
