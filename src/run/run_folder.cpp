#include "run/run_folder.h"

#include "base/check.h"
#include "base/hash.h"
#include "system/atomic_file.h"
#include "text/encoding.h"
#include "text/vocabulary.h"

namespace zhuyi {

RunConfig read_run_config(const RunFolder& folder) {
    if (folder.path.empty()) fail_usage_english("expected a run folder, found an empty name");
    if (!std::filesystem::exists(folder.path))
        fail_english(folder.path.string() + ": there is no such folder");
    if (!std::filesystem::exists(folder.config()))
        fail_english(folder.path.string() +
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

LoadedRun load_run(const std::string& path, const std::string& which) {
    LoadedRun run;
    run.folder = {path};
    run.config = read_run_config(run.folder);
    const std::filesystem::path checkpoint = run.folder.checkpoint(which);
    const bool replaceable = which == "last" && exists(run.folder.checkpoint("previous"));
    if (!exists(checkpoint) && !replaceable)
        fail_english(checkpoint.string() + ": no such checkpoint" +
                     (which == "best" ? "; a run writes its first one before step 1. "
                                        "--checkpoint=last|first|FILE takes another."
                                      : ""));
    run.tokenizer = read_tokenizer(path);
    const GptConfig& model = run.config.model;
    if (run.tokenizer->size() != model.vocabulary)
        fail_english(path + ": vocabulary.txt has " + std::to_string(run.tokenizer->size()) +
                     " tokens, run.conf says vocabulary = " + std::to_string(model.vocabulary));
    run.parameters = std::make_unique<Parameters>(parameter_table(model), false);
    run.checkpoint = find_checkpoint(run.folder, which, *run.parameters);
    check_vocabulary(run.checkpoint, hash_of(run.tokenizer->vocabulary_file()),
                     run.folder.vocabulary().string());
    run.model = std::make_unique<Gpt>(model, *run.parameters);
    return run;
}

}  // namespace zhuyi
