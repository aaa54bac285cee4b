#include "train/run_folder.h"

#include "base/check.h"
#include "text/vocabulary.h"
#include "train/checkpoint.h"

namespace zhuyi {

void declare(Options& options, RunConfig& config) {
    declare(options, config.text);
    declare(options, config.model);
    declare(options, config.train);
    declare(options, config.history);
}

std::filesystem::path RunFolder::checkpoint(const std::string& which) const {
    if (which == "first" || which == "last" || which == "best")
        return path / (which + ".safetensors");
    return which;
}

RunConfig read_run_config(const RunFolder& folder) {
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

LoadedRun load_run(const std::string& path, const std::string& which) {
    LoadedRun run;
    run.folder = {path};
    run.config = read_run_config(run.folder);
    const std::filesystem::path checkpoint = run.folder.checkpoint(which);
    if (!std::filesystem::exists(checkpoint))
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
    run.step = read_checkpoint(checkpoint.string(), *run.parameters).step;
    run.model = std::make_unique<Gpt>(model, *run.parameters);
    return run;
}

}  // namespace zhuyi
