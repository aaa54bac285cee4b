// Files of a run that are lost, while the weights to go on from are whole: what --resume does about
// each of them before it begins, and what verify can therefore promise.
#include <filesystem>
#include <limits>

#include "base/check.h"
#include "base/hash.h"
#include "film/history_plan.h"
#include "model/parameters.h"
#include "probe/question.h"
#include "run/run_files.h"
#include "run/session.h"
#include "system/append_file.h"
#include "system/disk.h"
#include "system/input_file.h"
#include "system/printable.h"
#include "text/tokenized.h"
#include "train/config.h"
#include "train/evaluate.h"
#include "train/optimizer.h"

namespace zhuyi {

namespace fs = std::filesystem;

std::string set_aside_what_is_no_file(const RunFolder& folder) {
    std::string lines;
    for (const RunFile& row : run_files()) {
        if (row.if_lost == IfLost::refuses) continue;
        const std::string file = folder.file(row.name);
        std::error_code ignored;
        const fs::file_status status = fs::status(file, ignored);
        if (!fs::exists(status) || fs::is_regular_file(status)) continue;
        const std::string other = name_aside(file);
        if (disk::rename(file, other) != 0)
            fail({"%s is no file, and cannot be moved away: %s", "%s 不是文件，也无法移开：%s"},
                 printable(file), system_reason(errno));
        lines += say({"zhuyi: warning: %s is no file; it is called %s now.\n",
                      "zhuyi：警告：%s 不是文件；已改名为 %s。\n"},
                     printable(file), printable(other));
    }
    return lines;
}

// Returns the weights of step 0, drawn once more from the seed; or null if they are others than the
// run began with (--from), or if nobody can tell: metrics.csv notes the fingerprint of step 0.
static std::unique_ptr<Parameters> first_weights_again(const RunFolder& folder,
                                                       const RunConfig& config) {
    std::optional<std::uint64_t> noted;
    try {
        noted = fingerprint_at(read_file(folder.metrics()), 0);
    } catch (const Error&) {  // nothing is noted
    }
    if (!noted) return nullptr;
    auto again = std::make_unique<Parameters>(table_of(config), true);
    again->initialise(std::uint64_t(config.train.seed));
    return again->fingerprint() == *noted ? std::move(again) : nullptr;
}

std::string mend_first_weights(const RunFolder& folder, RunConfig& config,
                               const TrainingText& text) {
    const std::uint64_t hash = text.corpus.hash();
    // Only of a run that has begun, and with its own text: of another one nothing is written here.
    const std::optional<Checkpoint> newest = newest_header(folder);
    if (!newest || newest->step == 0 || newest->text_hash != hash) return {};
    const std::string file = folder.checkpoint("first");
    std::string why;
    try {
        const Checkpoint found =
            verify_checkpoint(file, table_of(config), make_rules(config.train));
        if (found.step == 0 && found.text_hash == hash) return {};
        why = say({"%s is of another training", "%s 属于另一次训练"}, printable(file));
    } catch (const DiskError&) {
        throw;
    } catch (const Error& error) {
        why = error.what();
    }
    const std::unique_ptr<Parameters> again = first_weights_again(folder, config);
    if (!again) {
        if (!std::exchange(config.history.on, false)) return {};
        return say({"zhuyi: warning: %s. The weights of step 0 cannot be drawn once more, so no "
                    "history is recorded from here on.\n",
                    "zhuyi：警告：%s。第 0 步的权重无法重新生成，因此从这里起不再记录回放。\n"},
                   why);
    }
    constexpr double kNoLossYet = std::numeric_limits<double>::infinity();
    write_checkpoint(file, *again,
                     {0, kNoLossYet, hash, {}, hash_of(text.tokenizer->vocabulary_file())});
    return say({"zhuyi: warning: %s. It was written anew: the seed gives the same weights.\n",
                "zhuyi：警告：%s。已重新写出：由随机种子得到相同的权重。\n"},
               why);
}

std::string mend_probes(const RunFolder& folder, RunConfig& config) {
    if (config.probes.empty()) return {};
    try {
        read_probes(folder.probes());
        return {};
    } catch (const DiskError&) {
        throw;
    } catch (const Error& error) {
        config.probes.clear();
        return say({"zhuyi: warning: %s. No probes are asked from here on.\n",
                    "zhuyi：警告：%s。从这里起不再提问测试句。\n"},
                   error.what());
    }
}

void check_goes_on(const RunConfig& config, const Tokenizer& tokenizer, const RunFolder& folder,
                   Index reached) {
    plans_of(config.train);  // Error: no such plan
    if (config.history.on) plan_history(config.history, config.model, config.train, tokenizer, {});
    check_no_link(folder.log());
    for (const auto& [file, written] : {std::pair{folder.metrics(), true},
                                        {folder.samples(), true},
                                        {folder.probe_log(), !config.probes.empty()},
                                        {folder.history(), config.history.on}})
        if (written) check_no_link(file);
    if (reached > config.train.steps)
        fail_usage(
            {"%1$s is at step %2$td already; found --steps %3$td. A larger number than "
             "%2$td trains on.",
             "%1$s 已训练到第 %2$td 步，而 --steps 是 %3$td。要接着训练，请给出大于 %2$td 的数。"},
            printable(folder.path), reached, config.train.steps);
}

// Returns what must be done about the run's text, which had this hash, before training can go on
// with it; or "".
static std::string about_the_text(const TextOptions& options, std::uint64_t hash) {
    const std::string shown = printable(options.data);
    if (options.data == "-")
        return say({"; give it its text on standard input once more, or add --data FILE",
                    "；训练文本来自标准输入，请再输入一次，或加上 --data 文件"});
    std::error_code ignored;
    if (!fs::exists(options.data, ignored))
        return say({"; its text %s is not there (from here): add --data FILE",
                    "；训练文本 %s 不在（从当前目录看），请加上 --data 文件"},
                   shown);
    try {
        if (Corpus::read(options).hash() == hash) return {};
    } catch (const Error&) {  // no text any more
    }
    return say({"; but %s is no longer the text it was trained on: put that back, or add --data "
                "FILE",
                "；但 %s 已不是当初训练用的文本，请恢复它，或加上 --data 文件"},
               shown);
}

// What --resume does about files that are lost.
static std::string costs_of(const RunState& run) {
    std::string anew;
    for (const RunFile& file : run_files())
        if (file.if_lost == IfLost::begins_anew && run.lost.contains(file.name))
            (anew += anew.empty() ? "" : ", ") += file.name;
    std::string text;
    if (!anew.empty())
        text += say({"; from there on these are written anew, and what is there is kept: %s",
                     "；从那里起另写以下文件，原有的保留：%s"},
                    anew);
    if (run.lost.contains("probes.txt"))
        text += say({"; no probes are asked any more", "；不再提问测试句"});
    if (run.lost.contains("first.safetensors"))
        text += first_weights_again(run.folder, run.config)
                    ? say({"; first.safetensors is drawn once more from the seed",
                           "；first.safetensors 由随机种子重新生成"})
                : !run.config.history.on
                    ? std::string()
                    : say({"; no history is recorded any more, because first.safetensors cannot "
                           "be drawn once more",
                           "；不再记录训练回放，因为 first.safetensors 无法重新生成"});
    return text;
}

// Returns what stands in the way of going on after `reached` steps, or "".
static std::string hindrance(const RunState& run, Index reached) try {
    RunConfig config = run.config;
    if (reached > 0 && run.lost.contains("first.safetensors") &&
        !first_weights_again(run.folder, config))
        config.history.on = false;                               // as mend_first_weights does
    if (run.lost.contains("probes.txt")) config.probes.clear();  // as mend_probes does
    check_goes_on(config, *run.tokenizer, run.folder, reached);
    return "";
} catch (const Error& error) {
    return error.what();
}

static std::string to_train_on(const RunState& run, bool& kept) {
    const RunState::Usable* from = run.resumable();
    const bool anew =
        !from && !run.begun && (run.find({"first"}) || !fs::exists(run.folder.checkpoint("first")));
    if (from || anew)
        if (const std::string why = hindrance(run, from ? from->checkpoint.step : 0);
            !why.empty()) {
            kept = false;
            return say({"Not to be trained on as run.conf stands: %s\n",
                        "按 run.conf 现在的写法，不能继续训练：%s\n"},
                       why);
        }
    const std::string folder = shell_word(run.folder.path), text = run.config.text.data;
    if (from)
        return say({"To train on: zhuyi train --resume %s, from step %td%s%s\n",
                    "可继续训练：zhuyi train --resume %s，从第 %td 步起%s%s\n"},
                   folder, from->checkpoint.step,
                   about_the_text(run.config.text, from->checkpoint.text_hash), costs_of(run));
    if (anew)
        return say({"Nothing is lost, as no step was saved yet. From the beginning: zhuyi train "
                    "--resume %s\n",
                    "什么也没丢：还没有保存过一步。从头开始：zhuyi train --resume %s\n"},
                   folder);
    if (run.find({"best"}))
        return say({"Not to be trained on as it was; a new run may begin with these weights: zhuyi "
                    "train %s --from %s --out …\n",
                    "不能原样继续训练；可以从这些权重开始新的训练：zhuyi train %s --from %s "
                    "--out …\n"},
                   text.empty() ? "TEXT" : shell_word(text), folder);
    return say({"Not to be trained on.\n", "不能继续训练。\n"});
}

Promise what_can_be_used(const RunState& run) {
    const RunState::Usable* read = run.find({"best", "last", "previous", "first"});
    const bool readable = !run.lost.contains("run.conf") && !run.lost.contains("vocabulary.txt");
    if (!readable || (!read && run.begun))
        return {say({"No model of it can be used.\n", "没有可用的模型。\n"})};
    Promise promise;
    if (read)
        promise.text = say(
            {"To write and to look at: %s (step %td)%s\n", "可用来续写和观察：%s（第 %td 步）%s\n"},
            read->name, read->checkpoint.step,
            read->name == "best" ? "" : " --checkpoint " + read->name);
    promise.text += to_train_on(run, promise.kept);
    return promise;
}

}  // namespace zhuyi
