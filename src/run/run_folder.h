// A run folder holds everything about one training and nothing hidden:
//
//     run.conf             every option as it was resolved; reads back as a configuration
//     vocabulary.txt       the tokenizer, readable
//     first.safetensors    weights of step 0
//     last.safetensors, best.safetensors         checkpoints
//     previous.safetensors the one before the last, which is used when the last is damaged
//     metrics.csv          one row a step
//     probes.txt           questions whose answer a rule decides, if the training has some
//     probes.csv           what it knew of each rule at each evaluation
//     samples.txt          what the model wrote as it learned
//     history.bin          the history: attention, embeddings and weights as they changed
//     report.html          the film: a page that plays the history
//     log.txt              what the terminal showed: speeds and times stand only there
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/language.h"
#include "film/history.h"
#include "text/vocabulary.h"
#include "train/checkpoint.h"

namespace zhuyi {

struct LoadedModel;
struct RunConfig;

struct RunFolder : CheckpointFolder {
    bool is_run() const { return exists(config()); }
    std::filesystem::path config() const { return path / "run.conf"; }
    std::filesystem::path vocabulary() const { return path / kVocabularyFile; }
    std::filesystem::path metrics() const { return path / "metrics.csv"; }
    std::filesystem::path probes() const { return path / "probes.txt"; }
    std::filesystem::path probe_log() const { return path / "probes.csv"; }
    std::filesystem::path samples() const { return path / "samples.txt"; }
    std::filesystem::path history() const { return path / kHistoryFile; }
    std::filesystem::path report() const { return path / "report.html"; }
    std::filesystem::path log() const { return path / "log.txt"; }
};

// What run.conf says. Throws Error when the folder is no run.
RunConfig read_run_config(const RunFolder& folder);
void write_run_config(const RunFolder& folder, RunConfig config);

// Fills an empty folder with a run of a model that was trained elsewhere. Its weights are step 0 of
// this run, its best and its first at once. There are no moments, so nothing to resume: training
// goes on with `train TEXT --from RUN`.
void write_imported_run(const RunFolder& folder, const LoadedModel& model);

// Error: the text of a run ("-": standard input, which is always there) is not where it was.
void check_text_exists(const std::string& text);

// One line: the checkpoint that was asked for is damaged, and which one was taken instead; empty
// when it is not.
std::string warning_of(const FoundCheckpoint& checkpoint);

// What the newest checkpoint says of itself: that which --resume would go on from. Nothing: there
// is none whose header is whole.
std::optional<Checkpoint> newest_header(const RunFolder& folder);

// Is this whole checkpoint one of the run's own? Its text, and the fingerprint that metrics.csv
// notes for its step, say so. Gives what speaks against it; empty: nothing.
std::string doubt_about(const RunFolder& folder, const Checkpoint& checkpoint);

// The tokenizer of the run. Error: vocabulary.txt is not the one that its weights were trained with
// (its checkpoints know the hash).
std::unique_ptr<Tokenizer> read_tokenizer_of(const RunFolder& folder);

// The history of the run. `damage`: a line for a person, where a part of what was recorded cannot
// be read (the history ends before it); empty: nothing is lost.
struct FoundHistory {
    History history;
    std::string damage;
};
FoundHistory read_history_of(const RunFolder& folder, Index vocabulary);

// A training locks its run folder under this name (system/folder_lock.h).
inline constexpr Words kAnotherTraining = {"another training", "另一个训练"};

}  // namespace zhuyi
