#include "run/loaded_run.h"

#include <filesystem>
#include <limits>

#include "base/check.h"
#include "base/hash.h"
#include "cost/plan.h"
#include "system/atomic_file.h"
#include "system/printable.h"
#include "text/tokenized.h"
#include "text/vocabulary.h"

namespace zhuyi {

namespace fs = std::filesystem;

LoadedRun load_run(const std::string& path, const std::string& which) {
    LoadedRun run;
    run.folder = {path};
    run.config = read_run_config(run.folder);
    const fs::path checkpoint = run.folder.checkpoint(which);
    const bool replaceable = which == "last" && exists(run.folder.checkpoint("previous"));
    if (!exists(checkpoint) && !replaceable)
        fail({"%s: no such checkpoint%s", "%s：没有这个检查点%s"}, printable(checkpoint.string()),
             which == "best" ? say({"; a run writes its first one before step 1. "
                                    "--checkpoint=last|first|FILE takes another.",
                                    "；训练在第 1 步之前写出第一个。"
                                    "--checkpoint=last|first|文件 可改用另一个。"})
                             : "");
    run.tokenizer = read_tokenizer(path);
    const GptConfig& model = run.config.model;
    if (run.tokenizer->size() != model.vocabulary)
        fail({"%s: vocabulary.txt has %td tokens, run.conf says vocabulary = %td",
              "%s：vocabulary.txt 有 %td 个 token，而 run.conf 写的是 vocabulary = %td"},
             printable(path), run.tokenizer->size(), model.vocabulary);
    run.parameters = std::make_unique<Parameters>(parameter_table(model), false);
    run.checkpoint = find_checkpoint(run.folder, which, *run.parameters);
    check_vocabulary(run.checkpoint, hash_of(run.tokenizer->vocabulary_file()),
                     run.folder.vocabulary().string());
    if (checkpoint != which) run.doubt = doubt_about(run.folder, run.checkpoint);
    run.model = std::make_unique<Gpt>(model, *run.parameters);
    return run;
}

void write_imported_run(const RunFolder& folder, const LoadedModel& model) {
    const std::string vocabulary = model.tokenizer->vocabulary_file();
    RunConfig config;
    config.model = model.model->config();
    adopt(config.text, *model.tokenizer);
    write_file(folder.vocabulary(), vocabulary);
    write_run_config(folder, config);
    const fs::path first = folder.checkpoint("first");
    constexpr double kNoLossYet = std::numeric_limits<double>::infinity();
    write_checkpoint(first, *model.parameters, {0, kNoLossYet, 0, {}, hash_of(vocabulary)});
    // One file under three names, where the file system can. (A checkpoint that is written later
    // is a new file.)
    for (const char* name : {"best", "last"}) {
        const fs::path other = folder.checkpoint(name);
        std::error_code error;
        fs::create_hard_link(first, other, error);
        if (error) fs::copy_file(first, other, error);
        if (error)
            fail({"cannot write %s: %s", "无法写入 %s：%s"}, printable(other.string()),
                 error.message());
    }
}

}  // namespace zhuyi
