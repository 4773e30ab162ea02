#include "model/kv_cache.h"

#include <limits>
#include <utility>

#include "base/check.h"
#include "base/str_cat.h"
#include "octavo/error.h"

namespace octavo {
namespace {

constexpr std::pair<std::string_view, DType> kNames[] = {
    {"f32", DType::kF32}, {"bf16", DType::kBF16}, {"f16", DType::kF16}, {"int8", DType::kI8}};

size_t ReservationBytes(const TextConfig& config, DType dtype, int capacity_blocks) {
  OCTAVO_CHECK(capacity_blocks > 0 && ops::IsKvDType(dtype));
  const size_t per_block = KvCache::BytesPerToken(config, dtype) * kKvBlockSize;
  const auto blocks = static_cast<size_t>(capacity_blocks);
  if (blocks > std::numeric_limits<size_t>::max() / per_block) {
    throw Error(ErrorCode::kResourceExhausted,
                StrCat("a KV cache of ", blocks, " blocks of ", per_block,
                       " bytes exceeds the address space"));
  }
  return blocks * per_block;
}

}  // namespace

std::optional<DType> ParseKvCacheDType(std::string_view name) noexcept {
  for (const auto& [known, dtype] : kNames) {
    if (known == name) return dtype;
  }
  return std::nullopt;
}

std::string_view KvCacheDTypeName(DType dtype) noexcept {
  for (const auto& [name, known] : kNames) {
    if (known == dtype) return name;
  }
  return DTypeName(dtype);
}

KvCache::KvCache(const TextConfig& config, DType dtype, int capacity_blocks)
    : config_(config),
      dtype_(dtype),
      capacity_blocks_(capacity_blocks),
      memory_(ReservationBytes(config, dtype, capacity_blocks)) {}

size_t KvCache::BytesPerToken(const TextConfig& config, DType dtype) {
  return static_cast<size_t>(config.num_hidden_layers) * 2 *
         static_cast<size_t>(config.num_key_value_heads) *
         ops::KvHeadBytes(dtype, config.head_dim(), 1);
}

size_t KvCache::PieceBytes() const {
  return bytes_per_block() / (2 * static_cast<size_t>(config_.num_hidden_layers));
}

ops::KvLayer KvCache::Layer(int layer) const {
  OCTAVO_DCHECK(layer >= 0 && layer < config_.num_hidden_layers);
  const size_t all_keys = PieceBytes() * static_cast<size_t>(capacity_blocks_);
  std::byte* const keys = memory_.data() + 2 * all_keys * static_cast<size_t>(layer);
  return {.keys = keys,
          .values = keys + all_keys,
          .dtype = dtype_,
          .num_kv_heads = config_.num_key_value_heads,
          .head_dim = config_.head_dim(),
          .block_size = kKvBlockSize};
}

void KvCache::Discard(int32_t block) noexcept {
  OCTAVO_DCHECK(block >= 0 && block < capacity_blocks_);
  const size_t piece = PieceBytes();
  const size_t all_keys = piece * static_cast<size_t>(capacity_blocks_);
  for (int i = 0; i < 2 * config_.num_hidden_layers; ++i) {
    memory_.Discard(all_keys * static_cast<size_t>(i) + piece * static_cast<size_t>(block), piece);
  }
}

}  // namespace octavo
