// Owning memory aligned to 64 bytes (one cache line, one AVX-512 vector).
#ifndef OCTAVO_BASE_ALIGNED_BUFFER_H_
#define OCTAVO_BASE_ALIGNED_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace octavo {

inline constexpr size_t kBufferAlignment = 64;

// An array of `size` elements of a trivial type, uninitialised unless said. Movable, not copyable.
template <typename T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  AlignedBuffer() = default;
  // Throws std::bad_alloc.
  explicit AlignedBuffer(size_t size) : data_(Allocate(size)), size_(size) {}

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  size_t size() const { return size_; }
  size_t size_bytes() const { return size_ * sizeof(T); }
  std::span<T> span() { return {data_.get(), size_}; }
  std::span<const T> span() const { return {data_.get(), size_}; }
  T& operator[](size_t i) { return data_.get()[i]; }
  const T& operator[](size_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(T* p) const noexcept { std::free(p); }
  };
  static T* Allocate(size_t size) {
    if (size == 0) return nullptr;
    if (size > (std::numeric_limits<size_t>::max() - kBufferAlignment) / sizeof(T)) {
      throw std::bad_alloc();
    }
    const size_t bytes =
        (size * sizeof(T) + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
    void* p = std::aligned_alloc(kBufferAlignment, bytes);
    if (p == nullptr) throw std::bad_alloc();
    return static_cast<T*>(p);
  }
  std::unique_ptr<T[], Free> data_;
  size_t size_ = 0;
};

}  // namespace octavo

#endif  // OCTAVO_BASE_ALIGNED_BUFFER_H_
