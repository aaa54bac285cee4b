// Parallel over outputs, never over what is summed: then the number of threads cannot change a bit.
//
// The threads are the standard library's, not OpenMP's. A loop is over when its tasks are done, not
// when every thread has shown up: on a machine that is busy with other things a thread that gets no
// processor costs nothing, while the barrier at the end of an OpenMP loop waits for it. A step in
// ms, on two processors (AMD Zen 4), quiet and beside a process that keeps one of them busy (A and
// V are those of `zhuyi bench`, each figure from five measurements in turns, when loops were shared
// from 20,000 operations on, see kWorthAThread):
//
//                                   A quiet   A beside it   V quiet   V beside it
//     these threads                    23.1          46.4      17.0          38.9
//     OpenMP, schedule(static)         23.1          61.2      17.8          45.0
//     OpenMP, schedule(dynamic)        23.4          66.5      17.5          39.5
#pragma once
#include "base/real.h"

#if defined(__SSE2__)
#    include <emmintrin.h>
#endif

namespace zhuyi {

// More than this are never started; fixed, so that memory for each of them can be laid out before.
constexpr Index kMostThreads = 1024;

// How many threads a parallel loop may use (at least 1), and how to say so (0: as many as there are
// processors). Not to be called inside a loop.
int thread_count();
void set_thread_count(int threads);

// The number of the thread that calls this in a parallel loop, 0 … thread_count() - 1; 0 outside.
int thread_number();

// Whether this runs in a loop that several threads share.
bool inside_parallel_loop();

// Numbers below 2^-126 count as zero, coming and going. This is part of the numerics (AdamW's
// second moment drifts down there, where processors are many times slower), so every worker says it
// for itself.
[[gnu::always_inline]] inline void flush_denormals() {
#if defined(__SSE2__)
    constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
    const unsigned now = _mm_getcsr(), wanted = now | kFlushToZero | kDenormalsAreZero;
    if (now != wanted) _mm_setcsr(wanted);
#elif defined(__aarch64__)
    constexpr unsigned long kFlushToZero = 1ul << 24;
    unsigned long now;
    asm volatile("mrs %0, fpcr" : "=r"(now));
    if (!(now & kFlushToZero)) asm volatile("msr fpcr, %0" : : "r"(now | kFlushToZero));
#endif
}

// Below this many elementary operations a second thread costs more than it brings: handing a loop
// out and collecting it takes about a microsecond. (With 20,000 a step of A and V took 2.5 and 3 %
// longer, with 1,000 no less.)
constexpr double kWorthAThread = 2000;

// task(body, i) for i in [0, count), each once, in any order on any thread; returns when all are
// done.
void run_tasks(Index count, void (*task)(const void* body, Index i), const void* body);

// body(i) for i in [0, count), in any order on any thread; `cost` estimates the elementary
// operations of one call. body must not throw and must own what it writes. A loop inside a loop
// runs on the thread it is in.
template <class Body>
void parallel_for(Index count, double cost, const Body& body) {
    if (count < 2 || double(count) * cost < kWorthAThread || thread_count() == 1) {
        flush_denormals();
        for (Index i = 0; i < count; ++i) body(i);
        return;
    }
    run_tasks(
        count, [](const void* b, Index i) { (*static_cast<const Body*>(b))(i); }, &body);
}

}  // namespace zhuyi
