// A run folder holds everything about one training and nothing hidden:
//
//     run.conf             every option as it was resolved; reads back as a configuration
//     vocabulary.txt       the tokenizer, readable
//     first.safetensors    weights of step 0
//     last.safetensors, best.safetensors         checkpoints
//     previous.safetensors the one before the last: should that be damaged, it takes its place
//     metrics.csv          one row a step
//     samples.txt          what the model wrote as it learned
//     history.bin          the film: attention, embeddings and weights as they learned
//     report.html          the film, to be looked at
//     log.txt              what the terminal showed: speeds and times stand only there
#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "model/gpt.h"
#include "text/corpus.h"
#include "text/tokenizer.h"
#include "train/checkpoint.h"
#include "train/config.h"
#include "train/history_config.h"

namespace zhuyi {

struct RunConfig {
    TextOptions text;
    GptConfig model;
    TrainConfig train;
    HistoryConfig history;
};

void declare(Options& options, RunConfig& config);

struct RunFolder {
    std::filesystem::path path;

    std::filesystem::path config() const { return path / "run.conf"; }
    std::filesystem::path vocabulary() const { return path / "vocabulary.txt"; }
    std::filesystem::path metrics() const { return path / "metrics.csv"; }
    std::filesystem::path samples() const { return path / "samples.txt"; }
    std::filesystem::path history() const { return path / "history.bin"; }
    std::filesystem::path report() const { return path / "report.html"; }
    std::filesystem::path log() const { return path / "log.txt"; }
    // "first", "last", "previous", "best", "damaged", or the path of a checkpoint file.
    std::filesystem::path checkpoint(const std::string& which) const;
};

// What run.conf says. Throws Error when the folder is no run.
RunConfig read_run_config(const RunFolder& folder);
void write_run_config(const RunFolder& folder, RunConfig config, Language language);

// A checkpoint, and where it was found.
struct FoundCheckpoint : Checkpoint {
    std::filesystem::path file;
    std::string damage;  // why it is not the one that was asked for; empty: it is
};

// Reads "best", "last", "first", "previous" or a file into `parameters`. Should the last one be damaged or missing, the
// previous one takes its place, and `damage` says so: whoever calls must tell.
FoundCheckpoint find_checkpoint(const RunFolder& folder, const std::string& which,
                                Parameters& parameters);

// A trained model, ready to use.
struct LoadedRun {
    RunFolder folder;
    RunConfig config;
    std::unique_ptr<Tokenizer> tokenizer;
    std::unique_ptr<Parameters> parameters;  // values only
    std::unique_ptr<Gpt> model;
    FoundCheckpoint checkpoint;
};

// which: "best", "last", "first" or a file. Throws Error when the folder is no run, has no
// checkpoint yet, or the checkpoint has other shapes than run.conf says.
LoadedRun load_run(const std::string& path, const std::string& which = "best");

}  // namespace zhuyi
