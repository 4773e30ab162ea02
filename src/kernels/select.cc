#include "kernels/select.h"

#include <cstdlib>

#include "base/cpu_features.h"
#include "base/str_cat.h"
#include "kernels/isa_tables.h"
#include "octavo/error.h"

namespace octavo {
namespace {

#if defined(__x86_64__)
void TakePackedSlots(const KernelTable& from, KernelTable* t) {
  t->quantize_row = from.quantize_row;
  t->gemm_w4a8 = from.gemm_w4a8;
  t->gemm_w8a8 = from.gemm_w8a8;
  t->packed_a16 = from.packed_a16;
  t->widen_w4 = from.widen_w4;
  t->widen_w8 = from.widen_w8;
}

// What the dot products of integers serve beside packed weights.
void TakeDotSlots(const KernelTable& from, KernelTable* t) {
  t->attention_int16 = from.attention_int16;
  t->peak_int8_dot = from.peak_int8_dot;
  t->peak_int16_dot = from.peak_int16_dot;
}

const KernelTable& Avx2WithPacked() {
  static const KernelTable table = [] {
    KernelTable t = kAvx2Kernels;
    TakePackedSlots(kAvx2PackedSlots, &t);
    return t;
  }();
  return table;
}

// The avx2 table with the dot products of AVX-VNNI. A table of its own, so that the other way can
// be forced where both run.
const KernelTable& AvxVnni() {
  static const KernelTable table = [] {
    KernelTable t = kAvx2Kernels;
    t.name = kAvxVnniSlots.name;
    TakePackedSlots(kAvxVnniSlots, &t);
    TakeDotSlots(kAvxVnniSlots, &t);
    return t;
  }();
  return table;
}

// The avx512 table with what this CPU has beyond its cluster.
const KernelTable& Avx512WithOverrides() {
  static const KernelTable table = [] {
    const bool vnni = GetCpuFeatures().avx512_vnni, bf16 = GetCpuFeatures().avx512_bf16;
    KernelTable t = kAvx512Kernels;
    TakePackedSlots(vnni ? kAvx512VnniSlots : kAvx2PackedSlots, &t);
    t.overrides = bf16 && vnni ? "bf16 dot, vnni" : bf16 ? "bf16 dot" : vnni ? "vnni" : "";
    if (vnni) TakeDotSlots(kAvx512VnniSlots, &t);
    if (bf16) {
      t.gemm_bf16_dot = kAvx512Bf16Slots.gemm_bf16_dot;
      t.narrow_bf16 = kAvx512Bf16Slots.narrow_bf16;
      t.peak_bf16_dot = kAvx512Bf16Slots.peak_bf16_dot;
    }
    return t;
  }();
  return table;
}
#elif defined(__aarch64__)
const KernelTable& NeonWithOverrides() {
  static const KernelTable table = [] {
    KernelTable t = kNeonKernels;
    if (GetCpuFeatures().neon_dotprod) {
      t.overrides = kNeonDotprodSlots.overrides;
      t.gemm_w4a8 = kNeonDotprodSlots.gemm_w4a8;
      t.gemm_w8a8 = kNeonDotprodSlots.gemm_w8a8;
      t.peak_int8_dot = kNeonDotprodSlots.peak_int8_dot;
    }
    return t;
  }();
  return table;
}
#endif

std::string RunnableNames() {
  std::string names;
  for (const KernelTable* table : RunnableKernels()) {
    names += (names.empty() ? "" : ", ") + std::string(table->name);
  }
  return names;
}

const KernelTable& Choose() {
  const char* wish = std::getenv("OCTAVO_ISA");
  if (wish == nullptr || *wish == '\0') return *RunnableKernels().front();
  return KernelsByName(wish);
}

}  // namespace

std::vector<const KernelTable*> RunnableKernels() {
  std::vector<const KernelTable*> tables;
#if defined(__x86_64__)
  if (GetCpuFeatures().avx512) tables.push_back(&Avx512WithOverrides());
  if (GetCpuFeatures().avx_vnni) tables.push_back(&AvxVnni());
  if (GetCpuFeatures().avx2) tables.push_back(&Avx2WithPacked());
#elif defined(__aarch64__)
  if (GetCpuFeatures().neon) tables.push_back(&NeonWithOverrides());
#endif
  tables.push_back(&kScalarKernels);
  return tables;
}

const KernelTable& KernelsByName(std::string_view name) {
  for (const KernelTable* table : RunnableKernels()) {
    if (name == table->name) return *table;
  }
  throw Error(ErrorCode::kUnsupported,
              StrCat("kernel table \"", name,
                     "\" (OCTAVO_ISA) is unknown or cannot run on this machine; it can run: ",
                     RunnableNames()));
}

const KernelTable& SelectedKernels() {
  static const KernelTable& table = Choose();
  return table;
}

std::string DescribeKernels(const KernelTable& table) {
  if (*table.overrides == '\0') return table.name;
  return StrCat(table.name, " (", table.overrides, ")");
}

}  // namespace octavo
