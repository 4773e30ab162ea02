// MemoryReservation: address space whose pages become memory when they are first written.
#ifndef OCTAVO_BASE_MEMORY_RESERVATION_H_
#define OCTAVO_BASE_MEMORY_RESERVATION_H_

#include <cstddef>

namespace octavo {

// `size_bytes` of zeros that cost nothing until touched. Movable; owned by one thread at a time.
class MemoryReservation {
 public:
  MemoryReservation() = default;
  // Throws kResourceExhausted when the address space is not to be had.
  explicit MemoryReservation(size_t size_bytes);
  ~MemoryReservation();
  MemoryReservation(MemoryReservation&& other) noexcept;
  MemoryReservation& operator=(MemoryReservation&& other) noexcept;
  MemoryReservation(const MemoryReservation&) = delete;
  MemoryReservation& operator=(const MemoryReservation&) = delete;

  std::byte* data() const { return data_; }
  size_t size_bytes() const { return size_bytes_; }

  // Asks for large pages, before the memory is first written. A wish: nothing fails without them.
  void AdviseHugePages() noexcept;

  // Gives the memory of the whole pages inside [offset, offset + count) back to the system; they
  // read as zeros afterwards. Parts of pages at both ends keep their content or lose it: treat the
  // whole range as lost. REQUIRES: the range lies inside.
  void Discard(size_t offset, size_t count) noexcept;

 private:
  std::byte* data_ = nullptr;
  size_t size_bytes_ = 0;
};

}  // namespace octavo

#endif  // OCTAVO_BASE_MEMORY_RESERVATION_H_
