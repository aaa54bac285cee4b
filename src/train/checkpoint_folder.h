// The checkpoints of one training, in the folder where it writes them:
//
//     first.safetensors     weights of step 0
//     last.safetensors, best.safetensors
//     previous.safetensors  the one before the last: used when the last one is damaged
//     damaged.safetensors   a last one that could not be read, kept aside
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/language.h"
#include "train/checkpoint.h"

namespace zhuyi {

struct CheckpointFolder {
    std::filesystem::path path;

    // "first", "last", "previous", "best", "damaged", or the path of a checkpoint file.
    std::filesystem::path checkpoint(const std::string& which) const;
};

// A checkpoint, and where it was found.
struct FoundCheckpoint : Checkpoint {
    std::filesystem::path file;
    Text damage;  // why another one was taken than was asked for; empty: none was
    // Files of listeners that could not go on from it, and where they are kept now.
    struct SetAside {
        Text why;
        std::string kept;  // "": there was nothing to keep
    };
    std::vector<SetAside> set_aside = {};
};

// Reads "best", "last", "first", "previous" or a file into `trained`. If the last one is damaged
// or missing, the previous one takes its place, and `damage` says why: the caller must print it.
FoundCheckpoint find_checkpoint(const CheckpointFolder& folder, const std::string& which,
                                Trained trained);

}  // namespace zhuyi
