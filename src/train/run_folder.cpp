#include "train/run_folder.h"

#include "base/atomic_file.h"
#include "base/check.h"
#include "base/hash.h"
#include "text/encoding.h"
#include "text/vocabulary.h"

namespace zhuyi {

void declare(Options& options, RunConfig& config) {
    declare(options, config.text);
    declare(options, config.model);
    declare(options, config.train);
    declare(options, config.history);
}

std::filesystem::path RunFolder::checkpoint(const std::string& which) const {
    for (const char* name : {"first", "last", "previous", "best", "damaged"})
        if (which == name) return path / (which + ".safetensors");
    return which;
}

RunConfig read_run_config(const RunFolder& folder) {
    if (folder.path.empty()) fail_usage("expected a run folder, found an empty name");
    if (!std::filesystem::exists(folder.path))
        fail(folder.path.string() + ": there is no such folder");
    if (!std::filesystem::exists(folder.config()))
        fail(folder.path.string() +
             ": no run folder (it has no run.conf). `zhuyi train` makes one.");
    RunConfig config;
    Options options;
    declare(options, config);
    options.read_file(folder.config().string());
    check(config.model);
    return config;
}

void write_run_config(const RunFolder& folder, RunConfig config, Language language) {
    Options options;
    declare(options, config);
    write_file(folder.config().string(), options.file(language));
}

namespace {

// What an error says, to be gone on with.
std::string without_full_stop(std::string message) {
    if (message.ends_with('.')) message.pop_back();
    return message;
}

}  // namespace

FoundCheckpoint find_checkpoint(const RunFolder& folder, const std::string& which,
                                Parameters& parameters) {
    const std::filesystem::path file = folder.checkpoint(which);
    const std::filesystem::path previous = folder.checkpoint("previous");
    const std::string advice =
        ". `zhuyi verify " + shell_word(folder.path.string()) + "` says what can still be used.";
    std::string damage;
    try {
        return {read_checkpoint(file, parameters), file, ""};
    } catch (const Error& error) {
        if (file == which) throw;  // no file of the run's own
        damage = without_full_stop(error.what());
    }
    if (which != "last" || !exists(previous)) fail(damage + advice);
    try {
        return {read_checkpoint(previous, parameters), previous, damage};
    } catch (const Error& error) {
        fail(damage + "; nor can the one before it be used: " + without_full_stop(error.what()) +
             advice);
    }
}

LoadedRun load_run(const std::string& path, const std::string& which) {
    LoadedRun run;
    run.folder = {path};
    run.config = read_run_config(run.folder);
    const std::filesystem::path checkpoint = run.folder.checkpoint(which);
    const bool replaceable = which == "last" && exists(run.folder.checkpoint("previous"));
    if (!exists(checkpoint) && !replaceable)
        fail(checkpoint.string() + ": no such checkpoint" +
             (which == "best" ? "; a run writes its first one before step 1. "
                                "--checkpoint=last|first|FILE takes another."
                              : ""));
    run.tokenizer = read_tokenizer(path);
    const GptConfig& model = run.config.model;
    if (run.tokenizer->size() != model.vocabulary)
        fail(path + ": vocabulary.txt has " + std::to_string(run.tokenizer->size()) +
             " tokens, run.conf says vocabulary = " + std::to_string(model.vocabulary));
    run.parameters = std::make_unique<Parameters>(parameter_table(model), false);
    run.checkpoint = find_checkpoint(run.folder, which, *run.parameters);
    check_vocabulary(run.checkpoint, hash_of(run.tokenizer->vocabulary_file()),
                     run.folder.vocabulary().string());
    run.model = std::make_unique<Gpt>(model, *run.parameters);
    return run;
}

}  // namespace zhuyi
