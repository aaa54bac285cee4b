#include "base/workspace.h"

#include <algorithm>

#include "base/check.h"
#include "base/parallel.h"

namespace zhuyi {

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
