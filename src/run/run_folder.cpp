#include "run/run_folder.h"

#include <filesystem>
#include <limits>
#include <optional>

#include "base/check.h"
#include "base/hash.h"
#include "base/number.h"
#include "cost/run_config.h"
#include "model/config.h"
#include "model/loaded_model.h"
#include "system/append_file.h"
#include "system/atomic_file.h"
#include "system/input_file.h"
#include "system/options.h"
#include "system/printable.h"
#include "text/encoding.h"
#include "text/tokenized.h"
#include "text/typed_text.h"
#include "text/vocabulary.h"
#include "train/metrics.h"

namespace zhuyi {

namespace fs = std::filesystem;

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
    // What is written here goes on into checkpoints and the history, whose JSON holds UTF-8 alone.
    // (The name of a file may be any bytes.)
    for (const Options::Entry& entry : options.entries()) {
        const bool file =
            entry.name == "data" || entry.name == "probes" || entry.name == "tokenizer";
        if (entry.kind == "text" && !file) require_utf8(entry.get(), entry.name);
    }
    return config;
}

void write_run_config(const RunFolder& folder, RunConfig config) {
    Options options;
    declare(options, config);
    write_file(folder.config().string(), options.file());
}

void check_text_exists(const std::string& text) {
    std::error_code ignored;
    if (text.empty() || text == "-" || std::filesystem::exists(text, ignored)) return;
    fail({"%s: the text this run was trained on is not there (from here); name one: --data FILE",
          "%s：训练文本不在（从当前目录看）；请用 --data 文件 指明"},
         printable(text));
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

std::string warning_of(const FoundCheckpoint& checkpoint) {
    std::string lines;
    for (const auto& [why, kept] : checkpoint.set_aside)
        lines += say({"zhuyi: warning: %s. A new one is begun at step %td%s.\n",
                      "zhuyi：警告：%s。从第 %td 步起另写一个新的%s。\n"},
                     why, checkpoint.step,
                     kept.empty() ? std::string()
                                  : say({"; what was there is kept as %s", "；原有内容保存为 %s"},
                                        printable(kept)));
    if (checkpoint.damage.empty()) return lines;
    return lines +
           say({"zhuyi: warning: %s. The one before it is used instead, of step %td (%s).\n",
                "zhuyi：警告：%s。改用它之前的那个检查点，第 %td 步（%s）。\n"},
               checkpoint.damage, checkpoint.step, printable(checkpoint.file.string()));
}

std::optional<Checkpoint> newest_header(const RunFolder& folder) {
    for (const char* which : {"last", "previous"}) try {
            return read_checkpoint_header(folder.checkpoint(which).string());
        } catch (const Error&) {  // not this one
        }
    return {};
}

namespace {

// Of metrics.csv as far as the checkpoint vouches for it.
std::optional<std::uint64_t> noted_fingerprint(const RunFolder& folder, const Checkpoint& newest,
                                               Index step) try {
    const auto state = newest.listeners.find("metrics");
    if (state == newest.listeners.end()) return {};
    const std::string path = folder.metrics().string(), csv = read_file(path);
    return fingerprint_at(bytes_at(state->second, csv, path), step);
} catch (const Error&) {
    return {};
}

}  // namespace

std::string doubt_about(const RunFolder& folder, const Checkpoint& checkpoint) {
    const std::optional<Checkpoint> newest = newest_header(folder);
    if (!newest || !checkpoint.fingerprint) return {};
    if (newest->text_hash != checkpoint.text_hash)
        return say({"it belongs to another training: its text has the hash %s, that of the last "
                    "checkpoint %s",
                    "它属于另一次训练：它的文本哈希是 %s，最后的检查点是 %s"},
                   hash_text(checkpoint.text_hash), hash_text(newest->text_hash));
    const auto noted = noted_fingerprint(folder, *newest, checkpoint.step);
    if (!noted || *noted == *checkpoint.fingerprint) return {};
    return say({"it belongs to another training: its weights have the fingerprint %s, and "
                "metrics.csv notes %s for step %td",
                "它属于另一次训练：它的权重指纹是 %s，而 metrics.csv 里第 %3$td 步是 %2$s"},
               hash_text(*checkpoint.fingerprint), hash_text(*noted), checkpoint.step);
}

std::unique_ptr<Tokenizer> read_tokenizer_of(const RunFolder& folder) {
    std::unique_ptr<Tokenizer> tokenizer = read_tokenizer(folder.path.string());
    for (const char* which : {"last", "previous", "best", "first"}) {
        std::optional<Checkpoint> header;
        try {
            header = read_checkpoint_header(folder.checkpoint(which).string());
        } catch (const Error&) {
            continue;  // not this one
        }
        check_vocabulary(*header, hash_of(tokenizer->vocabulary_file()),
                         folder.vocabulary().string());
        break;
    }
    return tokenizer;
}

// A training that goes on, or was killed, leaves half a record at the end, and all that its last
// checkpoint knows of stands before. What is shorter than that is damaged.
FoundHistory read_history_of(const RunFolder& folder, Index vocabulary) {
    const std::string path = folder.history().string();
    History history = read_history(path, vocabulary);
    std::error_code ignored;
    const auto whole = Index(fs::file_size(folder.history(), ignored)) - history.dropped;
    const std::optional<Checkpoint> newest = newest_header(folder);
    Index known = newest ? 0 : whole + history.dropped;
    if (newest && newest->listeners.contains("history"))
        known = parse_integer(newest->listeners.at("history").substr(
                                  0, newest->listeners.at("history").find(' ')))
                    .value_or(0);
    std::string damage;
    if (whole < known)
        damage =
            say({"zhuyi: warning: %1$s is damaged: after the frame of step %2$td, %3$td bytes "
                 "cannot be read, and what was recorded there is not shown. `zhuyi verify "
                 "%4$s` says what can still be used.\n",
                 "zhuyi：警告：%1$s 已损坏：第 %2$td 步那一帧之后有 %3$td "
                 "字节读不出来，那里的记录不会显示。`zhuyi verify %4$s` 会说明还有哪些可用。\n"},
                printable(path), history.frames.back().step, known - whole,
                shell_word(folder.path.string()));
    return {std::move(history), damage};
}

}  // namespace zhuyi
