// Settings of the C library's allocator for a program that runs for long.
#ifndef OCTAVO_BASE_MALLOC_SETTINGS_H_
#define OCTAVO_BASE_MALLOC_SETTINGS_H_

namespace octavo {

// From here on, freed buffers of 128 KiB and more go back to the system at once. Left to itself,
// glibc raises that bound to the size of the first large buffer that is freed (a page picture has
// megabytes), takes later ones from its heaps, and these grow with every page that is read. For a
// program's main, before threads are started; nothing happens with another C library.
void ReturnLargeBuffersAtOnce() noexcept;

}  // namespace octavo

#endif  // OCTAVO_BASE_MALLOC_SETTINGS_H_
