#include "run/run_folder.h"

#include <filesystem>
#include <limits>

#include "base/check.h"
#include "base/hash.h"
#include "cost/run_config.h"
#include "model/config.h"
#include "model/loaded_model.h"
#include "system/atomic_file.h"
#include "system/options.h"
#include "system/printable.h"
#include "text/tokenized.h"
#include "text/vocabulary.h"

namespace zhuyi {

RunConfig read_run_config(const RunFolder& folder) {
    const std::string path = printable(folder.path.string());
    if (path.empty())
        fail_usage(
            {"expected a run folder, found an empty name", "要给出训练目录，这里是空的名字"});
    if (!exists(folder.path)) fail({"%s: there is no such folder", "%s：没有这个目录"}, path);
    if (!folder.is_run())
        fail({"%s: no run folder (it has no run.conf). `zhuyi train` makes one.",
              "%s：不是训练目录（没有 run.conf）。用 zhuyi train 创建一个。"},
             path);
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

void check_text_exists(const std::string& text) {
    std::error_code ignored;
    if (text.empty() || text == "-" || std::filesystem::exists(text, ignored)) return;
    fail({"%s: the text this run was trained on is not there (from here); name one: --data FILE",
          "%s：训练文本不在（从当前目录看）；请用 --data 文件 指明"},
         printable(text));
}

void write_imported_run(const RunFolder& folder, const LoadedModel& model, Language language) {
    namespace fs = std::filesystem;
    const std::string vocabulary = model.tokenizer->vocabulary_file();
    RunConfig config;
    config.model = model.model->config();
    adopt(config.text, *model.tokenizer);
    write_file(folder.vocabulary(), vocabulary);
    write_run_config(folder, config, language);
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

Text warning_of(const FoundCheckpoint& checkpoint) {
    if (checkpoint.damage.empty()) return {};
    return say({"zhuyi: warning: %s. The one before it is used instead, of step %td (%s).\n",
                "zhuyi：警告：%s。改用它之前的那个检查点，第 %td 步（%s）。\n"},
               checkpoint.damage, checkpoint.step, printable(checkpoint.file.string()));
}

}  // namespace zhuyi
