#include "run/import.h"

#include <filesystem>
#include <limits>

#include "base/check.h"
#include "base/hash.h"
#include "system/atomic_file.h"
#include "system/printable.h"

namespace zhuyi {

void write_imported_run(const RunFolder& folder, const LoadedModel& model, Language language) {
    namespace fs = std::filesystem;
    const std::string vocabulary = model.tokenizer->vocabulary_file();
    RunConfig config;
    config.model = model.model->config();
    write_file(folder.vocabulary(), vocabulary);
    write_run_config(folder, config, language);
    const fs::path first = folder.checkpoint("first");
    constexpr double kNoLossYet = std::numeric_limits<double>::infinity();
    write_checkpoint(first, *model.parameters, {0, kNoLossYet, 0, {}, hash_of(vocabulary)});
    // One file under three names, where the file system can. (Whoever writes a checkpoint later
    // makes a new file.)
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
