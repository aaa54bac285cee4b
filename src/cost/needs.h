// What memory and disk a training takes, known before it begins: one that cannot fit is refused
// with a proposal, instead of being killed hours later.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/real.h"

namespace zhuyi {

class Corpus;
struct Parameter;
struct RunConfig;

// Bytes, and nothing is allocated to know them.
struct Needs {
    double weights;      // with gradients and the optimizer's moments
    double activations;  // of a step, of an evaluation, and of asking the probes
    double film;         // the weights of step 0, with which the history compares
    double text;         // with its tokens
    double memory() const { return weights + activations + film + text; }

    double checkpoint;  // one file
    Index snapshots;    // of the history (film/history_plan.h)
    double snapshot;    // one of them
    double disk;        // the whole run folder
};
// Bytes of a text and of its tokens, before these exist: counted as one token a character.
double memory_of(const Corpus& corpus);
Needs needs_of(const RunConfig& config, const std::vector<Parameter>& table, double text);

// Throws Error when it cannot fit, with settings that would. Room that is not known counts as
// enough.
// What of it is decided already, and proposed no more.
enum class Fixed { nothing, shape, everything };  // --from: its shape; --resume: all of it
void check_memory(const RunConfig& config, const std::vector<Parameter>& table, double text,
                  std::optional<double> available, Fixed fixed = Fixed::nothing);
void check_disk(const Needs& needs, const std::string& folder, std::optional<double> free);

// Is the model far too large for the text? (The demo has 10 parameters a token, GPT-2 had less than
// one.) Then it knows the text by heart before it has learnt to write.
bool text_too_small(Index parameters, Index tokens);

}  // namespace zhuyi
