// A checkpoint is a safetensors file: any reader of that format opens it. Under the names of the
// parameter table it holds the weights, beside them what the optimizer remembers of each ("adam.m."
// or "muon.m." + name). The metadata holds what else is needed to go on (src/files.md lists it).
// Random numbers come from counters (base/random.h), so "step" and the configuration's seed are the
// whole random state. Nothing in it depends on the clock, the machine or the number of threads: the
// same training gives the same bytes. Every tensor has a checksum, and one more covers the header
// with these checksums (formats/safetensors.h).
#pragma once
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "train/optimizer.h"

namespace zhuyi {

// What a checkpoint keeps: the weights, and what the optimizer remembers. Without an optimizer
// the weights can be used, but training cannot go on from them.
struct Trained {
    Parameters& parameters;
    Optimizer* optimizer;
    Trained(Parameters& p, Optimizer* o = nullptr) : parameters(p), optimizer(o) {}
    Trained(Parameters& p, Optimizer& o) : parameters(p), optimizer(&o) {}
};

struct Checkpoint {
    Index step = 0;                                              // updates done
    double best_loss = std::numeric_limits<double>::infinity();  // lowest validation loss so far
    std::uint64_t text_hash = 0;                                 // of the text trained on
    std::map<std::string, std::string> listeners;                // opaque states by name
    // Of vocabulary.txt, which gives tokens their numbers; files of earlier programs lack it.
    std::optional<std::uint64_t> vocabulary_hash = {};
    Index since_best = 0;                           // evaluations after the one with the best loss
    std::optional<std::uint64_t> fingerprint = {};  // of the weights; filled by reading alone
};

// The file gets its name only when it is complete, on the disk, and was read back without a fault.
// The file that had the name before is then renamed to `previous`, if that is given. Checksums and
// reading back take a second for GPT-2; writing its 1.5 GB takes longer.
void write_checkpoint(const std::string& path, Trained trained, const Checkpoint& checkpoint,
                      const std::string& previous = {});

// Fills the weights and what the optimizer remembers (nothing at step 0, where the file may leave
// it out and it stays as it is). Throws Error when the file is damaged, lacks a tensor, or has one
// of another shape (says which, expected and found).
Checkpoint read_checkpoint(const std::string& path, Trained trained);

// What the file says of itself, without its tensors. Throws Error when its header is damaged.
Checkpoint read_checkpoint_header(const std::string& path);

// Throws Error if these weights were trained with another vocabulary than the file `path`, whose
// hash is `hash`.
void check_vocabulary(const Checkpoint& checkpoint, std::uint64_t hash, const std::string& path);

struct VerifiedCheckpoint : Checkpoint {
    Index tensors = 0;
    bool checksums = false;  // older files have none
    bool moments = false;    // training can go on from here
};

// Checks every byte: structure, checksums, shapes, fingerprint, finite numbers. Throws Error with
// the first thing that is wrong.
VerifiedCheckpoint verify_checkpoint(const std::string& path, const std::vector<Parameter>& table,
                                     const Rules& rules);
// The same for any safetensors file, without what needs a table. Gives the number of tensors.
Index verify_tensors(const std::string& path);

// The checkpoints of one training, in the folder where it writes them:
//
//     first.safetensors     weights of step 0, without what the optimizer remembers
//     last.safetensors, best.safetensors
//     previous.safetensors  the one before the last: used when the last one is damaged
//     damaged.safetensors   a last one that could not be read, kept aside
struct CheckpointFolder {
    std::string path;

    std::string file(const std::string& name) const {  // its path
        return (std::filesystem::path(path) / name).generic_string();
    }
    // "first", "last", "previous", "best", "damaged", or the path of a checkpoint file.
    std::string checkpoint(const std::string& which) const;
    // Keeps a damaged last checkpoint as "damaged" and gives its name to `good`. A save renames the
    // last checkpoint to previous: if the damaged one stayed the last, the next save would
    // overwrite the good one with it.
    void put_in_place_of_last(const std::string& good) const;
};

// A checkpoint, and where it was found.
struct FoundCheckpoint : Checkpoint {
    std::string file;
    std::string damage;  // why not the one that was asked for was taken; empty if it was
    // Files of listeners that could not go on from here, and their new names.
    struct SetAside {
        std::string why;
        std::string kept;  // "" if there was no file
    };
    std::vector<SetAside> set_aside = {};
};

// Reads "best", "last", "first", "previous" or a file into `trained`. If the last one is damaged
// or missing, the previous one takes its place, and `damage` says why: the caller must print it.
FoundCheckpoint find_checkpoint(const CheckpointFolder& folder, const std::string& which,
                                Trained trained);

}  // namespace zhuyi
