// Scratch memory for kernels: one buffer shared by a call, one for each thread. Grows to the
// largest request and stays; whoever calls kernels owns one, so kernels keep no state of their own.
#pragma once
#include <vector>

#include "base/arena.h"
#include "base/real.h"

namespace zhuyi {

class Workspace {
  public:
    Workspace();

    // Valid until the next call of shared(): for one kernel call. Not for use inside a parallel
    // region.
    Real* shared(Index count);
    // Thread `thread`'s own, valid until its next call of local().
    Real* local(int thread, Index count);

  private:
    struct Buffer {
        AlignedBytes memory;
        Index size = 0;
        Real* grown_to(Index count);
    };
    Buffer shared_;
    std::vector<Buffer> local_;
};

}  // namespace zhuyi
