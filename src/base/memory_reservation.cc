#include "base/memory_reservation.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "base/check.h"
#include "base/str_cat.h"
#include "octavo/error.h"

namespace octavo {

MemoryReservation::MemoryReservation(size_t size_bytes) : size_bytes_(size_bytes) {
  if (size_bytes == 0) return;
  void* p = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) {
    throw Error(ErrorCode::kResourceExhausted,
                StrCat("the system does not reserve ", size_bytes, " bytes of address space"));
  }
  data_ = static_cast<std::byte*>(p);
}

MemoryReservation::~MemoryReservation() {
  if (data_ != nullptr) munmap(data_, size_bytes_);
}

MemoryReservation::MemoryReservation(MemoryReservation&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_bytes_(std::exchange(other.size_bytes_, 0)) {}

MemoryReservation& MemoryReservation::operator=(MemoryReservation&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

void MemoryReservation::AdviseHugePages() noexcept {
#if defined(MADV_HUGEPAGE)
  if (size_bytes_ > 0) static_cast<void>(madvise(data_, size_bytes_, MADV_HUGEPAGE));
#endif
}

void MemoryReservation::Discard(size_t offset, size_t count) noexcept {
  OCTAVO_DCHECK(offset <= size_bytes_ && count <= size_bytes_ - offset);
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t begin = (offset + page - 1) / page * page;
  const size_t end = (offset + count) / page * page;
  // A refusal is harmless: the pages stay resident.
  if (begin < end) static_cast<void>(madvise(data_ + begin, end - begin, MADV_DONTNEED));
}

}  // namespace octavo
