// OpsContext: what every op needs beside its operands.
#ifndef OCTAVO_OPS_CONTEXT_H_
#define OCTAVO_OPS_CONTEXT_H_

namespace octavo {

struct KernelTable;
class ThreadPool;
class Workspace;

namespace ops {

// All three outlive the call and belong to one leader thread. Ops are noexcept, allocate nothing
// and give the same bits for any number of threads.
struct Context {
  const KernelTable* kernels = nullptr;
  ThreadPool* pool = nullptr;
  Workspace* workspace = nullptr;
};

}  // namespace ops
}  // namespace octavo

#endif  // OCTAVO_OPS_CONTEXT_H_
