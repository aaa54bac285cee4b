// What can still be used of a run. Whatever is promised here, --resume then does.
#pragma once
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "cost/run_config.h"
#include "run/run_folder.h"

namespace zhuyi {

// A run as verify found it.
struct RunState {
    struct Usable {
        std::string name;
        VerifiedCheckpoint checkpoint;
    };
    RunFolder folder;
    bool begun;  // a checkpoint to go on from was written
    RunConfig config = {};
    std::vector<Usable> usable = {};  // checkpoints that are whole
    std::set<std::string> lost = {};  // files that were expected, and are missing or damaged

    // The first of these names that is whole; nullptr: none is.
    const Usable* find(std::initializer_list<const char*> names) const;
    // What --resume goes on from.
    const Usable* resumable() const;
};

std::string what_can_be_used(const RunState& run);

}  // namespace zhuyi
