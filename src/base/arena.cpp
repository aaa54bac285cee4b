#include "base/arena.h"

#include <algorithm>
#include <cstdlib>

#include "base/check.h"
#include "base/parallel.h"

#if defined(__linux__)
#    include <sys/mman.h>
#endif

namespace zhuyi {
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kHugePage = std::size_t(2) << 20;
constexpr std::size_t kSmallestBlock = std::size_t(1) << 20;
constexpr std::size_t kLargestStep = std::size_t(64) << 20;

static std::size_t round_up(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

#if defined(_WIN32)
static void* aligned(std::size_t alignment, std::size_t size) {
    return _aligned_malloc(size, alignment);
}
void FreeAligned::operator()(void* memory) const { _aligned_free(memory); }
#else
static void* aligned(std::size_t alignment, std::size_t size) {
    return std::aligned_alloc(alignment, size);
}
void FreeAligned::operator()(void* memory) const { std::free(memory); }
#endif

AlignedBytes allocate_aligned(std::size_t bytes) {
    const std::size_t alignment = bytes >= kHugePage ? kHugePage : kAlignment;
    const std::size_t size = round_up(std::max<std::size_t>(bytes, 1), alignment);
    if (size < bytes) throw std::bad_alloc();
    void* memory = aligned(alignment, size);
    if (!memory) throw std::bad_alloc();
#if defined(__linux__)
    if (alignment == kHugePage) madvise(memory, size, MADV_HUGEPAGE);
#endif
    return AlignedBytes(static_cast<std::byte*>(memory));
}

void* Arena::allocate(std::size_t bytes) {
    bytes = round_up(std::max<std::size_t>(bytes, 1), kAlignment);
    // A block too small for this request stays unused until reset: the next step walks the same
    // way.
    while (block_ < blocks_.size() && filled_ + bytes > blocks_[block_].size) ++block_, filled_ = 0;
    if (block_ == blocks_.size()) {
        const std::size_t step = std::clamp(capacity_, kSmallestBlock, kLargestStep);
        const std::size_t size = std::max(bytes, step);
        blocks_.push_back({allocate_aligned(size), size});
        capacity_ += size;
        filled_ = 0;
    }
    void* memory = blocks_[block_].memory.get() + filled_;
    filled_ += bytes, used_ += bytes;
    return memory;
}

void Arena::reset() { block_ = 0, filled_ = 0, used_ = 0; }

// The list of local buffers never changes its length: threads read it at the same time.
Workspace::Workspace() : made_in_loop_(inside_parallel_loop()), local_(std::size_t(kMostThreads)) {}

Real* Workspace::Buffer::grown_to(Index count) {
    if (count > size) {
        size = count + count / 4;
        memory.reset();  // first free, then ask: the old contents are not wanted
        memory = allocate_aligned(std::size_t(size) * sizeof(Real));
    }
    return reinterpret_cast<Real*>(memory.get());
}

Real* Workspace::shared(Index count) {
    require(made_in_loop_ || !inside_parallel_loop(),
            "a workspace's shared memory was asked for inside a parallel loop");
    return shared_.grown_to(count);
}

Real* Workspace::local(int thread, Index count) {
    require(made_in_loop_ || !inside_parallel_loop() || thread == thread_number(),
            "a thread asked for the workspace memory of another inside a parallel loop");
    return local_[std::size_t(thread)].grown_to(count);
}

}  // namespace zhuyi
