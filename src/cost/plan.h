// A training before it begins: every option that decides it, and what it takes of this machine:
// memory, disk and time.
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "film/config.h"
#include "model/config.h"
#include "text/config.h"
#include "train/config.h"

namespace zhuyi {

class Corpus;
class Options;
struct Levels;
struct Parameter;
struct Sheet;
struct TokenizedText;
struct TrainingText;

// Its text, its model, its steps, and what is recorded. run/ writes it to run.conf.
struct RunConfig {
    TextOptions text;
    GptConfig model;
    TrainConfig train;
    HistoryConfig history;
    std::string probes;  // a file of them (probe/question.h), or nothing
};
void declare(Options& options, RunConfig& config);

// How many bytes this machine has for it, or nothing if the system does not say.
struct Room {
    std::optional<double> memory;  // free before the text is read
    std::optional<double> disk;    // free where the run folder lies
};

// ---- memory and disk

// How many bytes a training needs. Nothing is allocated to know them.
struct Needs {
    double weights;      // with gradients and the optimizer's moments
    double activations;  // of a step, of an evaluation, and of asking the probes
    double film;         // what the history compares with, and a frame of it
    double page;         // what it takes to write it, when the training's own memory is free again
    double text;         // with its tokens
    double counting;     // of n-grams, before the first step
    double saving;       // what a checkpoint takes while it is written
    double memory() const { return std::max(training(), kProgram + weights + text + counting); }
    double training() const {  // from the first step on
        return kProgram + weights + text + std::max(activations + film + saving, page);
    }
    static constexpr double kProgram = 15 << 20;  // itself, and the stacks of its threads

    double checkpoint;  // one file
    Index snapshots;    // of the history (film/history_plan.h)
    double snapshot;    // one of them
    double disk;        // the whole run folder
};
// Returns the bytes of a text and of its tokens, before these exist: a character counts as one
// token.
double memory_of(const Corpus& corpus);
// table: for the checkpoints; without it they count nothing.
Needs needs_of(const RunConfig& config, const std::vector<Parameter>& table, double text);

// What of a training is decided already, so that no change of it is proposed. --from decides the
// shape, --resume everything.
enum class Fixed { nothing, shape, everything };
// A training that cannot fit is refused with a proposal before it begins; otherwise the system
// would kill it hours later. Throws Error, with settings that would fit, where it needs over 10 %
// more than is available; returns a line of warning where it needs nearly as much or a little more,
// else "". If it is not known how much room there is, the room counts as enough.
std::string check_memory(const RunConfig& config, double text, std::optional<double> available,
                         Fixed fixed = Fixed::nothing);
void check_disk(const Needs& needs, const std::string& folder, std::optional<double> free);

// Returns whether the model is far too large for the text. (The demo has 10 parameters for each
// token, GPT-2 had less than one.) Then it knows the text by heart before it has learnt to write.
bool text_too_small(Index parameters, Index tokens);

// ---- time

struct Pace {
    double step, evaluation;  // seconds of one
    double last_evaluation;   // of kLastEvaluation tokens, and of their documents

    // Returns the seconds that `steps` steps take, with their evaluations, samples, history and
    // checkpoints.
    double seconds(Index steps, const TrainConfig& config) const;
    // Returns the largest number of steps that fits into `seconds`, at least 1.
    Index steps_within(double seconds, const TrainConfig& config) const;
};

// Times three steps of this training (more if `patience` seconds have not passed) and an
// evaluation. The model of it is thrown away; only the times are kept.
Pace pace_of(const RunConfig& config, const TokenizedText& text, double patience);

// ---- as a sheet

// Says the data, what n-gram counts alone can predict, the resolved options, memory, disk, the time
// from step `begun` to the end, a warning if the text is too small for the model, and the
// parameters by kind.
Sheet plan_sheet(const RunConfig& config, const TrainingText& text, const Levels& levels,
                 const std::vector<Parameter>& table, const Room& room,
                 const std::optional<Pace>& pace, Index begun);

}  // namespace zhuyi
