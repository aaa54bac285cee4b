// How many multiplications and additions can this machine do? No memory is touched: as many chains
// of fused multiply-adds as a tile of tile.h has rows stay in registers, enough that none waits for
// the one before it (4 or 5 cycles, two at a time). What a matrix product reaches is a fraction of
// this.
#pragma once
#include "base/parallel.h"
#include "kernels/kernels.h"
#include "kernels/lanes.h"

namespace zhuyi::ZHUYI_INSTRUCTION_SET {
namespace {

inline double fma_rounds(Index rounds, Workspace& workspace) {
    const Index tasks =
        16 * thread_count();  // many, so that a thread that comes late spoils little
    Real* results = workspace.shared(tasks * kLanes);
    parallel_for(tasks, double(rounds * kTileRows), [=](Index task) {
        const Lanes factor = all(Real(0.999)), summand = all(Real(0.001));
        Lanes chains[kTileRows];
        for (int c = 0; c < kTileRows; ++c) chains[c] = all(Real(c));
        for (Index round = 0; round < rounds; ++round)
#pragma GCC unroll 16
            for (int c = 0; c < kTileRows; ++c) chains[c] = fma(chains[c], factor, summand);
        for (int c = 1; c < kTileRows; ++c) chains[0] = chains[0] + chains[c];
        store(results + task * kLanes, chains[0]);
    });
    return 2.0 * double(tasks) * double(rounds) * kTileRows * kLanes;
}

}  // namespace
}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
