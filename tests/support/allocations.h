// How often this process asked for memory: operator new and aligned_alloc (which base/arena.h uses) are replaced by counting
// ones in every test program that asks.
#pragma once

namespace zhuyi {

// The address sanitizer brings an allocator of its own: there nothing is counted.
bool counts_allocations();

long allocations();  // so far, by all threads

}  // namespace zhuyi
