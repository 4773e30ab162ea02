// Chooses the kernel table once; OCTAVO_ISA forces one.
#ifndef OCTAVO_KERNELS_SELECT_H_
#define OCTAVO_KERNELS_SELECT_H_

#include <string>
#include <string_view>
#include <vector>

#include "kernels/kernel_table.h"

namespace octavo {

// The best table for this machine, or the one that the environment variable OCTAVO_ISA names.
// Read at first use. Throws kUnsupported when OCTAVO_ISA names a table that is unknown or cannot
// run here; the message lists those that can.
const KernelTable& SelectedKernels();

// By name. Throws kUnsupported as above.
const KernelTable& KernelsByName(std::string_view name);

// Tables that this machine can run, best first.
std::vector<const KernelTable*> RunnableKernels();

// "avx512 (bf16 dot)": the table and the overrides in use, for inspect and bench headers.
std::string DescribeKernels(const KernelTable& table);

}  // namespace octavo

#endif  // OCTAVO_KERNELS_SELECT_H_
