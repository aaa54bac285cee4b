// A run folder holds everything about one training and nothing hidden:
//
//     run.conf             every option as it was resolved; reads back as a configuration
//     vocabulary.txt       the tokenizer, readable
//     first.safetensors    weights of step 0
//     last.safetensors, best.safetensors         checkpoints
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
    // "first", "last", "best", or the path of a checkpoint file.
    std::filesystem::path checkpoint(const std::string& which) const;
};

// What run.conf says. Throws Error when the folder is no run.
RunConfig read_run_config(const RunFolder& folder);

// A trained model, ready to use.
struct LoadedRun {
    RunFolder folder;
    RunConfig config;
    std::unique_ptr<Tokenizer> tokenizer;
    std::unique_ptr<Parameters> parameters;  // values only
    std::unique_ptr<Gpt> model;
    Index step = 0;  // of the checkpoint
};

// which: "best", "last", "first" or a file. Throws Error when the folder is no run, has no
// checkpoint yet, or the checkpoint has other shapes than run.conf says.
LoadedRun load_run(const std::string& path, const std::string& which = "best");

}  // namespace zhuyi
