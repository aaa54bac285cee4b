// How often this process asked for memory. Every test program that includes this counts the calls
// of operator new and aligned_alloc (which base/arena.h uses).
#pragma once

namespace zhuyi {
inline namespace support {

// False where the allocator is not ours to replace (address sanitizer, Windows, musl): nothing is
// counted there.
bool counts_allocations();

long allocations();  // so far, by all threads

}  // namespace support
}  // namespace zhuyi
