#include "base/workspace.h"

#include <algorithm>

#include "base/parallel.h"

namespace zhuyi {

// A parallel region must never resize the list.
Workspace::Workspace() : local_(std::size_t(kMostThreads)) {}

Real* Workspace::Buffer::grown_to(Index count) {
    if (count > size) {
        size = count + count / 4;
        memory.reset();  // first free, then ask: the old contents are not wanted
        memory = allocate_aligned(std::size_t(size) * sizeof(Real));
    }
    return reinterpret_cast<Real*>(memory.get());
}

Real* Workspace::shared(Index count) { return shared_.grown_to(count); }

Real* Workspace::local(int thread, Index count) {
    return local_[std::size_t(thread)].grown_to(count);
}

}  // namespace zhuyi
