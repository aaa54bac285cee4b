#include "run/mend.h"

#include <filesystem>
#include <limits>

#include "base/check.h"
#include "cost/run_config.h"
#include "model/parameters.h"
#include "probe/question.h"
#include "run/run_folder.h"
#include "run/session.h"
#include "system/append_file.h"
#include "system/disk.h"
#include "system/input_file.h"
#include "system/printable.h"
#include "system/system_reason.h"
#include "train/metrics.h"
#include "train/optimizer.h"

namespace zhuyi {

namespace fs = std::filesystem;

std::string set_aside_what_is_no_file(const RunFolder& folder) {
    std::string lines;
    for (const fs::path& file :
         {folder.checkpoint("first"), folder.checkpoint("best"), folder.checkpoint("previous"),
          folder.checkpoint("last"), folder.checkpoint("damaged"), folder.metrics(),
          folder.probes(), folder.probe_log(), folder.samples(), folder.history(), folder.log(),
          folder.report()}) {
        std::error_code ignored;
        const fs::file_status status = fs::symlink_status(file, ignored);
        if (!fs::exists(status) || fs::is_regular_file(status) || fs::is_symlink(status)) continue;
        const std::string other = name_aside(file.string());
        if (disk::rename(file.string(), other) != 0)
            fail({"%s is no file, and cannot be moved away: %s", "%s 不是文件，也无法移开：%s"},
                 printable(file.string()), system_reason(errno));
        lines += say({"zhuyi: warning: %s is no file; it is called %s now.\n",
                      "zhuyi：警告：%s 不是文件；已改名为 %s。\n"},
                     printable(file.string()), printable(other));
    }
    return lines;
}

namespace {

// Null: they are others than the run began with, or nobody can tell.
std::unique_ptr<Parameters> first_weights_again(const RunFolder& folder, const RunConfig& config) {
    std::optional<std::uint64_t> noted;
    try {
        noted = fingerprint_at(read_file(folder.metrics().string()), 0);
    } catch (const Error&) {  // nothing is noted
    }
    if (!noted) return nullptr;
    auto again = std::make_unique<Parameters>(table_of(config), true);
    again->initialise(std::uint64_t(config.train.seed));
    return again->fingerprint() == *noted ? std::move(again) : nullptr;
}

}  // namespace

bool can_draw_first_weights(const RunFolder& folder, const RunConfig& config) {
    return first_weights_again(folder, config) != nullptr;
}

std::string mend_first_weights(const RunFolder& folder, RunConfig& config,
                               const TextHashes& hashes) {
    if (!config.history.on) return {};
    // Only of a run that has begun, and with its own text: of another one nothing is written here.
    std::optional<Checkpoint> newest;
    for (const char* which : {"previous", "last"}) try {
            newest = read_checkpoint_header(folder.checkpoint(which).string());
        } catch (const Error&) {  // not this one
        }
    if (!newest || newest->step == 0 || newest->text_hash != hashes.text) return {};
    const fs::path file = folder.checkpoint("first");
    std::string why;
    try {
        Parameters first(table_of(config), false);
        const Checkpoint found = read_checkpoint(file.string(), first);
        if (found.step == 0 && found.text_hash == hashes.text) return {};
        why = say({"%s is of another training", "%s 属于另一次训练"}, printable(file.string()));
    } catch (const Error& error) {
        why = error.what();
    }
    const std::unique_ptr<Parameters> again = first_weights_again(folder, config);
    if (!again) {
        config.history.on = false;
        return say({"zhuyi: warning: %s. The weights of step 0 cannot be drawn once more, so no "
                    "history is recorded from here on.\n",
                    "zhuyi：警告：%s。第 0 步的权重无法重新生成，因此从这里起不再记录回放。\n"},
                   why);
    }
    const auto optimizer = make_optimizer(again->table(), config.train);
    constexpr double kNoLossYet = std::numeric_limits<double>::infinity();
    write_checkpoint(file.string(), {*again, *optimizer},
                     {0, kNoLossYet, hashes.text, {}, hashes.vocabulary});
    return say({"zhuyi: warning: %s. It was written anew: the seed gives the same weights.\n",
                "zhuyi：警告：%s。已重新写出：由随机种子得到相同的权重。\n"},
               why);
}

std::string mend_probes(const RunFolder& folder, RunConfig& config) {
    if (config.probes.empty()) return {};
    try {
        read_probes(folder.probes().string());
        return {};
    } catch (const Error& error) {
        config.probes.clear();
        return say({"zhuyi: warning: %s. No probes are asked from here on.\n",
                    "zhuyi：警告：%s。从这里起不再提问测试句。\n"},
                   error.what());
    }
}

}  // namespace zhuyi
