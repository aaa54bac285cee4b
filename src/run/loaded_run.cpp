#include "run/loaded_run.h"

#include "base/check.h"
#include "base/hash.h"
#include "system/printable.h"
#include "text/vocabulary.h"

namespace zhuyi {

LoadedRun load_run(const std::string& path, const std::string& which) {
    LoadedRun run;
    run.folder = {path};
    run.config = read_run_config(run.folder);
    const std::filesystem::path checkpoint = run.folder.checkpoint(which);
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

}  // namespace zhuyi
