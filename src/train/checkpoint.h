// A checkpoint is a safetensors file: any reader of that format opens it. Under the names of the
// parameter table stand the weights, beside them what the optimizer remembers of each ("adam.m." +
// name); the metadata holds what else is needed to go on. Random numbers come from counters
// (base/random.h), so "step" and the configuration's seed are the whole random state. Nothing in it
// depends on time, place or threads: the same training gives the same bytes. Every tensor has a
// checksum, and the file a total one (formats/safetensors.h).
#pragma once
#include <map>
#include <optional>
#include <string>

#include "train/optimizer.h"

namespace zhuyi {

// What a checkpoint keeps: the weights, and what the optimizer remembers. Without an optimizer the
// weights are for use and not for training on.
struct Trained {
    Parameters& parameters;
    Optimizer* optimizer;
    Trained(Parameters& p, Optimizer* o = nullptr) : parameters(p), optimizer(o) {}
    Trained(Parameters& p, Optimizer& o) : parameters(p), optimizer(&o) {}
};

struct Checkpoint {
    Index step = 0;               // updates done
    double best_loss = 0;         // lowest validation loss so far; infinite before the first
    std::uint64_t text_hash = 0;  // of the text trained on
    std::map<std::string, std::string> listeners;  // opaque states by name
    // Of the vocabulary.txt that gives its tokens their numbers; older files do not say.
    std::optional<std::uint64_t> vocabulary_hash = {};
};

// Appears under its name when it is complete, on the disk, and was read back without a fault; the
// one that had the name before goes on as `previous`, if given. Checksums and reading back cost a
// second for GPT-2, whose file of 1.5 GB takes longer to write.
void write_checkpoint(const std::string& path, Trained trained, const Checkpoint& checkpoint,
                      const std::string& previous = {});

// Fills the weights and what the optimizer remembers. Throws Error when the file is damaged, lacks
// a tensor, or has one of another shape (says which, expected and found).
Checkpoint read_checkpoint(const std::string& path, Trained trained);

// Error: these weights were trained with another vocabulary than that of `path`, whose hash is
// given.
void check_vocabulary(const Checkpoint& checkpoint, std::uint64_t hash, const std::string& path);

struct VerifiedCheckpoint : Checkpoint {
    Index tensors = 0;
    bool checksums = false;  // older files have none
    bool moments = false;    // training can go on from here
};

// Looks at every byte: structure, checksums, shapes, fingerprint, finite numbers. Error: the first
// thing that is wrong.
VerifiedCheckpoint verify_checkpoint(const std::string& path, const std::vector<Parameter>& table);
// The same of any safetensors file, as far as it goes without a table. Gives the number of tensors.
Index verify_tensors(const std::string& path);

}  // namespace zhuyi
