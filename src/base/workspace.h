// Scratch memory for kernels: one buffer for a call, and one for each thread. It grows to the
// largest request and stays. The caller of a kernel owns one, so kernels keep no state of their
// own.
//
// A workspace belongs to the thread that made it. Inside a parallel loop (base/parallel.h) tasks
// run at the same time, so there a workspace from outside gives local(thread_number(), …) only:
// anything else is an Error. (A task may make a workspace of its own.)
#pragma once
#include <vector>

#include "base/arena.h"
#include "base/real.h"

namespace zhuyi {

class Past;

class Workspace {
  public:
    Workspace();

    // The past of the texts that are being written, or null. Products look there for their weights
    // (kernels/past.h).
    const Past* past = nullptr;

    // Valid until the next call of shared(): for one kernel call.
    Real* shared(Index count);
    // Thread `thread`'s own, valid until its next call of local().
    Real* local(int thread, Index count);

  private:
    struct Buffer {
        AlignedBytes memory;
        Index size = 0;
        Real* grown_to(Index count);
    };
    const bool made_in_loop_;
    Buffer shared_;
    std::vector<Buffer> local_;
};

}  // namespace zhuyi
