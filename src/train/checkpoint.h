// A checkpoint is a safetensors file: any reader of that format opens it. Under the names of the parameter table stand
// the weights, under "adam.m." and "adam.v." + name AdamW's moments; the metadata holds what else is needed to go on.
// Random numbers come from counters (base/random.h), so "step" and the configuration's seed are the whole random state.
// Nothing in it depends on time, place or threads: the same training gives the same bytes. Every tensor has a checksum,
// and the file a total one (formats/safetensors.h).
#pragma once
#include <map>
#include <optional>
#include <string>

#include "model/parameters.h"

namespace zhuyi {

struct Checkpoint {
    Index step = 0;               // updates done
    double best_loss = 0;         // lowest validation loss so far; infinite before the first
    std::uint64_t text_hash = 0;  // of the text trained on
    std::map<std::string, std::string> listeners;  // opaque states by name
    // Of the vocabulary.txt that gives its tokens their numbers; older files do not say.
    std::optional<std::uint64_t> vocabulary_hash = {};
};

// Appears under its name when it is complete, on the disk, and was read back without a fault; the one that had the name
// before goes on as `previous`, if given. Checksums and reading back cost a second for GPT-2, whose file of 1.5 GB takes longer to write.
void write_checkpoint(const std::string& path, Parameters& parameters, const Checkpoint& checkpoint,
                      const std::string& previous = {});

// Fills the values and, for training parameters, the moments. Throws Error when the file is damaged, lacks a
// tensor, or has one of another shape (says which, expected and found).
Checkpoint read_checkpoint(const std::string& path, Parameters& parameters);

// Error: these weights were trained with another vocabulary than that of `path`, whose hash is given.
void check_vocabulary(const Checkpoint& checkpoint, std::uint64_t hash, const std::string& path);

struct VerifiedCheckpoint : Checkpoint {
    Index tensors = 0;
    bool checksums = false;  // older files have none
    bool moments = false;    // training can go on from here
};

// Looks at every byte: structure, checksums, shapes, fingerprint, finite numbers. Error: the first thing that is wrong.
VerifiedCheckpoint verify_checkpoint(const std::string& path, const std::vector<Parameter>& table);
// The same of any safetensors file, as far as it goes without a table. Gives the number of tensors.
Index verify_tensors(const std::string& path);

}  // namespace zhuyi
