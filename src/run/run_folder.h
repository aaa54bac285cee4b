// A run folder holds everything about one training and nothing hidden; run_files.h lists its files.
// Here is where they lie, what run.conf says, and where a command may write.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/language.h"
#include "film/history.h"
#include "text/vocabulary.h"
#include "train/checkpoint.h"

namespace zhuyi {

struct LoadedModel;
struct RunConfig;

struct RunFolder : CheckpointFolder {
    bool is_run() const { return std::filesystem::exists(config()); }
    std::string config() const { return file("run.conf"); }
    std::string vocabulary() const { return file(kVocabularyFile); }
    std::string metrics() const { return file("metrics.csv"); }
    std::string probes() const { return file("probes.txt"); }
    std::string probe_log() const { return file("probes.csv"); }
    std::string samples() const { return file("samples.txt"); }
    std::string history() const { return file(kHistoryFile); }
    std::string report() const { return file("report.html"); }
    std::string log() const { return file("log.txt"); }
};

// What run.conf says. Throws Error when the folder is no run.
RunConfig read_run_config(const RunFolder& folder);

// Which runs lie where one was looked for: "there is runs/a, runs/b".
std::string runs_beside(const std::filesystem::path& missing);
void write_run_config(const RunFolder& folder, RunConfig config);

// Fills an empty folder with a run of a model that was trained elsewhere. Its weights are step 0 of
// this run, its best and its first at once. There are no moments, so nothing to resume: training
// goes on with `train TEXT --from RUN`.
void write_imported_run(const RunFolder& folder, const LoadedModel& model);

// One option with two values, as run.conf writes them.
struct ConfigDifference {
    std::string name;           // as in run.conf: "learning_rate"
    std::string first, second;  // its values
    Words group, help;          // of the option
};

// Returns the differences in the order of run.conf, without `plan`, which follows from others.
std::vector<ConfigDifference> differences(const RunConfig& first, const RunConfig& second);

// A value as a person reads it: "" in quotes.
std::string shown_value(const std::string& value);
// Returns "channels 64, 128; steps 100, 2000", or nothing if there is no difference.
Text differences_text(const std::vector<ConfigDifference>& differences);

// Returns which options somebody has edited in run.conf since this checkpoint was written, and what
// that means; or nothing if none was, or if the checkpoint is an older one, which has no such note.
std::string words_of_edits(const Checkpoint& checkpoint, const RunConfig& config);

// Throws Error if the text of a run is not where it was. ("-" is standard input, which is always
// there.)
void check_text_exists(const std::string& text);

// Returns a line for each thing that was wrong: a log that was set aside, a checkpoint that is
// damaged, and which one was taken instead.
std::string warning_of(const FoundCheckpoint& checkpoint);

// Returns what the first of these checkpoints whose header is whole says of itself, or nothing. The
// newest is the one from which --resume would go on.
std::optional<Checkpoint> newest_header(const RunFolder& folder,
                                        std::initializer_list<const char*> which = {"last",
                                                                                    "previous"});

// Does this whole checkpoint belong to the run? Its text tells, and the fingerprint that
// metrics.csv notes for its step. Returns what speaks against it, or "".
std::string doubt_about(const RunFolder& folder, const Checkpoint& checkpoint);

// Reads the tokenizer of the run. Throws Error if its weights were trained with another
// vocabulary.txt: the checkpoints know the hash.
std::unique_ptr<Tokenizer> read_tokenizer_of(const RunFolder& folder);

// A training locks its run folder under this name (system/folder_lock.h).
inline constexpr Words kAnotherTraining = {"another training", "另一个训练"};

// ---- where a command may write. Nothing that somebody else wrote is replaced, and nothing that a
// run lives from.

enum class OutputKind { page, html, svg, json, gguf, modelfile, npy, csv, times, text };

// Throws UsageError, with what to do, if `path` is
// - a file of a run ("r/run.conf"; r/report.html may be replaced by a page),
// - or a file that is there and is not of this kind and from zhuyi (npy and csv: of this kind). A
//   gguf file that is there always stays.
// `force`: everything may be replaced.
void check_output(const std::string& path, OutputKind kind, bool force);

// The help of the option --force.
inline constexpr Words kForce = {"replace what is there, whatever it is",
                                 "不管原来是什么文件，都替换掉"};

// Throws UsageError if a run cannot begin in this folder without writing over files that are there:
// names those of a run that no training of ours wrote.
void check_no_strangers(const RunFolder& folder);

}  // namespace zhuyi
