// Memory that is handed out in order and taken back all at once. A training step makes the same
// requests as the step before, so after the first one nothing is allocated.
#pragma once
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "base/real.h"

namespace zhuyi {

// Aligned for the widest vectors and for huge pages; frees itself.
struct FreeAligned {
    void operator()(void* memory) const;
};
using AlignedBytes = std::unique_ptr<std::byte[], FreeAligned>;

// At least 64-byte aligned; blocks of 2 MiB and more ask for huge pages (1 to 3 % of a step of a
// large model). Throws std::bad_alloc.
AlignedBytes allocate_aligned(std::size_t bytes);

class Past;

class Arena {
  public:
    // Uninitialised, 64-byte aligned, valid until reset().
    void* allocate(std::size_t bytes);

    template <class T>
    std::span<T> array(Index count) {
        static_assert(std::is_trivially_destructible_v<T>, "an arena runs no destructors");
        return {static_cast<T*>(allocate(std::size_t(count) * sizeof(T))), std::size_t(count)};
    }
    template <class T>
    std::span<const T> copy(std::span<const T> values) {
        const std::span<T> kept = array<T>(std::ssize(values));
        std::uninitialized_copy(values.begin(), values.end(), kept.begin());
        return kept;
    }
    template <class T>
    T* create(const T& value) {
        static_assert(std::is_trivially_destructible_v<T>, "an arena runs no destructors");
        return new (allocate(sizeof(T))) T(value);
    }

    void reset();  // everything handed out becomes invalid, nothing is freed
    std::size_t capacity() const { return capacity_; }  // bytes held
    std::size_t used() const { return used_; }          // of those, handed out since reset

  private:
    struct Block {
        AlignedBytes memory;
        std::size_t size;
    };
    std::vector<Block> blocks_;
    std::size_t block_ = 0;   // the one in use
    std::size_t filled_ = 0;  // bytes handed out of it
    std::size_t used_ = 0, capacity_ = 0;
};

// Scratch memory for kernels: one buffer for a call, and one for each thread. It grows to the
// largest request and stays. The caller of a kernel owns one, so kernels keep no state of their
// own.
//
// A workspace belongs to the thread that made it. Inside a parallel loop (base/parallel.h) tasks
// run at the same time, so there a workspace from outside gives local(thread_number(), …) only:
// anything else is an Error. (A task may make a workspace of its own.)
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
