// A training that goes on from its last checkpoint.
#include "base/check.h"
#include "base/hash.h"
#include "cost/plan.h"
#include "film/config.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "run/run_files.h"
#include "run/session.h"
#include "system/folder_lock.h"
#include "system/machine.h"
#include "system/options.h"
#include "system/printable.h"
#include "text/tokenized.h"
#include "text/vocabulary.h"
#include "train/config.h"
#include "train/optimizer.h"

#include <filesystem>

namespace zhuyi {
static void check_minutes(const TrainWish& wish, const Options& options) {
    if (wish.minutes <= 0 || !options.on_command_line("minutes")) return;
    fail_usage({"--minutes chooses the steps of a new run, and %s has its own. To train it longer: "
                "--steps with a larger number.",
                "--minutes 只用来选定新训练的步数，而 %s 已有自己的步数。"
                "要训练得更久：用 --steps 给出更大的数。"},
               printable(wish.folder));
}

// A history that was switched off has missed the steps since then. Going on with it would leave a
// gap, and a new history would overwrite it.
static void check_history(const HistoryConfig& wanted, const RunFolder& folder) {
    if (!wanted.on || !std::filesystem::exists(folder.history())) return;
    fail_usage({"%s is the history of this run up to where --history=no switched it off. Leave "
                "--history out, or move that file away to begin another history here.",
                "%s 是这个训练目录的回放，到 --history=no 关掉它为止。请去掉 --history；"
                "若要重新记录，先把这个文件移走。"},
               printable(folder.history()));
}

// The run's own options, with the changes that --resume allows. `config`: what run.conf says.
static RunConfig resumed_config(const TrainWish& wish, const Options& options,
                                const RunFolder& folder, RunConfig config) {
    const auto may_change = [](const std::string& name) {
        return name == "steps" || name == "eval_every" || name == "save_every" ||
               name == "history" || name == "stop_after";
    };
    RunConfig wanted = wish.config;
    wanted.train.min_learning_rate = wanted.train.final_learning_rate();
    Options before, after;
    declare(before, config);
    declare(after, wanted);
    for (const Options::Entry& entry : after.entries()) {
        const std::string& name = entry.name;
        const bool text = name == "data";  // its hash says that it is the same
        const bool given = text ? !wanted.text.data.empty() : options.was_set(name);
        if (!given || before.value(name) == after.value(name)) continue;
        if (text || may_change(name)) {
            if (!text && !options.on_command_line(name)) continue;
            if (name == "history") check_history(wanted.history, folder);
            before.set(name, after.value(name), "--" + name);
        } else if (name != "vocabulary" && name != "ffn") {
            fail_usage({"--resume goes on with %1$s = %2$s of %3$s; found %4$s. Leave it out, or "
                        "train anew with another --out.",
                        "--resume 沿用 %3$s 的 %1$s = %2$s，这里却是 %4$s。请去掉它，"
                        "或换一个 --out 重新训练。"},
                       name, shown_value(before.value(name)), printable(folder.path),
                       shown_value(after.value(name)));
        }
    }
    check_text_exists(config.text.data);
    return config;
}

static Corpus read_same_text(const RunConfig& config, const TrainWish& wish) try {
    return read_text(config, wish.text.get());
} catch (const Error& error) {
    if (config.text.data != "-") throw;
    fail({"this run was trained on a text from standard input; give it the same once more, there "
          "or as --data FILE (%s)",
          "训练文本当初来自标准输入；请再从标准输入给出同一份文本，或用 --data 文件（%s）"},
         error.what());
}

// Returns a warning, or nothing. Without any checkpoint the training begins at step 0.
static std::string load_last_checkpoint(Trainer& trainer, Parameters& parameters,
                                        const RunFolder& folder, const RunConfig& config) {
    for (const char* which : {"last", "previous", "first"})
        if (std::filesystem::exists(folder.checkpoint(which))) return warning_of(trainer.resume());
    parameters.initialise(std::uint64_t(config.train.seed));
    return {};
}

// A rate that has come down to its end goes up again in a run that is made longer.
static std::string words_of_new_rate(const TrainConfig& before, const TrainConfig& now,
                                     Index begun) {
    const double was = learning_rate(begun, before), is = learning_rate(begun, now);
    if (was == is || begun >= now.steps) return {};
    return say({"%1$td steps instead of %2$td stretch the schedule of the learning rate: at step "
                "%3$td it %4$s from %5$g to %6$g, and ends at step %1$td with %7$g (%8$s).\n",
                "步数由 %2$td 改为 %1$td，学习率按新的步数重新安排：第 %3$td 步由 %5$g %4$s到 "
                "%6$g，第 %1$td 步结束时为 %7$g（%8$s）。\n"},
               now.steps, before.steps, begun + 1,
               is > was ? say({"jumps up", "回升"}) : say({"drops", "降"}), was, is,
               now.final_learning_rate(), name_of(now.schedule));
}

int resume_training(const TrainWish& wish, const Options& options, FaultInjection& faults) {
    const RunFolder folder{wish.folder};
    check_minutes(wish, options);
    const FolderLock lock(folder.path, kAnotherTraining, wish.lock);
    std::string warning = set_aside_what_is_no_file(folder);
    const RunConfig noted = read_run_config(folder);
    const RunConfig resolved = resumed_config(wish, options, folder, noted);
    RunConfig config = resolved;  // as far as the files of the run allow
    if (const auto newest = newest_header(folder)) warning += words_of_edits(*newest, noted);
    warning += mend_probes(folder, config);

    const Room room{available_memory(), free_disk(folder.path)};  // before the text is read
    TrainingText text{read_same_text(config, wish), read_tokenizer(folder.path), {}};
    warning += check_memory(config, memory_of(text.corpus), room.memory, Fixed::everything);
    warning += words_of_left_out(text.corpus);
    text.tokens = tokenize(text.corpus, *text.tokenizer);
    check_length(text.tokens, config.model.context);
    const std::optional<Pace> pace = pace_where_worth_it(config, text.tokens);

    Parameters parameters(table_of(config), true);
    const auto optimizer = make_optimizer(parameters.table(), config.train);
    warning += mend_first_weights(folder, config, text);
    Session session(folder, config, text, parameters, *optimizer, faults);
    warning += load_last_checkpoint(session.trainer(), parameters, folder, config);
    const Index begun = session.trainer().progress().step;
    check_goes_on(config, *text.tokenizer, folder, begun);
    if (const auto changes = differences(noted, resolved); !changes.empty()) {
        const bool text_alone = changes.size() == 1 && changes[0].name == "data";
        if (begun > 0 && !text_alone) session.adopt(changes);
        write_run_config(folder, resolved);  // for the next --resume
    }
    return session.run(room, pace, warning + words_of_new_rate(noted.train, config.train, begun));
}

}  // namespace zhuyi
