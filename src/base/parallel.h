// Parallel over outputs, never over what is summed: then the number of threads cannot change a bit.
#pragma once
#include "base/real.h"

#ifdef _OPENMP
#    include <omp.h>
#endif
#if defined(__SSE2__)
#    include <immintrin.h>
#endif

namespace zhuyi {

// How many threads a parallel loop may use (at least 1), and how to say so (0: all there are).
[[gnu::always_inline]] inline int thread_count() {
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

inline void set_thread_count([[maybe_unused]] int threads) {
#ifdef _OPENMP
    omp_set_num_threads(threads > 0 ? threads : omp_get_num_procs());
#endif
}

[[gnu::always_inline]] inline int thread_number() {
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

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

// Below this many elementary operations a second thread costs more than it brings: entering and
// leaving a parallel region takes about a microsecond.
constexpr double kWorthAThread = 20000;

// body(i) for i in [0, count), in any order on any thread; `cost` estimates the elementary
// operations of one call. body must not throw and must own what it writes.
template <class Body>
void parallel_for(Index count, double cost, const Body& body) {
    if (thread_count() == 1 || count < 2 || double(count) * cost < kWorthAThread) {
        flush_denormals();
        for (Index i = 0; i < count; ++i) body(i);
        return;
    }
#pragma omp parallel
    {
        flush_denormals();
#pragma omp for schedule(dynamic, 1)
        for (Index i = 0; i < count; ++i) body(i);
    }
}

}  // namespace zhuyi
