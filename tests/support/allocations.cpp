#include "support/allocations.h"

#include <stdlib.h>

#include <atomic>
#include <new>

// The C libraries of Windows and of musl do not let a program replace a part of their allocator.
#if defined(__SANITIZE_ADDRESS__) || (!defined(__GLIBC__) && !defined(__APPLE__))
#    define OWN_ALLOCATOR 1
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer)
#        define OWN_ALLOCATOR 1
#    endif
#endif

namespace {

std::atomic<long> counted{0};

}  // namespace

namespace zhuyi {
inline namespace support {

bool counts_allocations() {
#ifdef OWN_ALLOCATOR
    return false;
#else
    return true;
#endif
}

long allocations() { return counted.load(); }

}  // namespace support
}  // namespace zhuyi

#ifndef OWN_ALLOCATOR

// The other forms of the standard library (arrays, nothrow) end in these.
void* operator new(std::size_t bytes) {
    ++counted;
    if (void* memory = malloc(bytes > 0 ? bytes : 1)) return memory;
    throw std::bad_alloc();
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    ++counted;
    void* memory = nullptr;
    if (posix_memalign(&memory, std::size_t(alignment), bytes) == 0) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { free(memory); }
void operator delete(void* memory, std::size_t) noexcept { free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { free(memory); }

extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
    ++counted;
    void* memory = nullptr;
    return posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}

#endif
