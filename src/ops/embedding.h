// Embedding: gather rows of a table.
#ifndef OCTAVO_OPS_EMBEDDING_H_
#define OCTAVO_OPS_EMBEDDING_H_

#include <cstdint>
#include <span>

#include "ops/context.h"
#include "ops/packed_weight.h"
#include "tensor/matrix_view.h"

namespace octavo::ops {

// out[i] = table[ids[i]]; out: [ids.size(), K]. REQUIRES: 0 <= id < table.n().
void Embedding(const Context& context, const PackedWeight& table, std::span<const int32_t> ids,
               FloatMatrix out) noexcept;

}  // namespace octavo::ops

#endif  // OCTAVO_OPS_EMBEDDING_H_
