#include "train/trainer.h"

#include <filesystem>

#include "base/check.h"
#include "base/hash.h"
#include "model/gpt.h"
#include "system/disk.h"
#include "system/machine.h"
#include "system/printable.h"
#include "text/vocabulary.h"
#include "train/evaluate.h"
#include "train/post_mortem.h"

namespace zhuyi {

Trainer::Trainer(Gpt& model, Parameters& parameters, Optimizer& optimizer,
                 const TrainConfig& config, TrainedOn text, const CheckpointFolder& folder)
    : model_(model),
      parameters_(parameters),
      optimizer_(optimizer),
      config_(config),
      text_(text),
      folder_(folder),
      batches_(text.training, config, model.config().context) {
    progress_.text_hash = text.hash, progress_.vocabulary_hash = text.vocabulary_hash;
}

void Trainer::plan(Index steps) {
    Plans plans = plans_of(config_);
    plans[progress_.step] = steps;
    config_.plan = text_of(plans);
    config_.steps = steps;
    for (Listener* listener : listeners_) listener->planned(config_);
}

void Trainer::run(const Interrupt& interrupt) {
    tape_.emplace(true, config_.precision), evaluation_tape_.emplace(false, config_.precision);
    for (Listener* listener : listeners_) listener->planned(config_);
    if (begun_anew_) save("last");  // which knows of the new files, though no step may follow
    if (progress_.step == 0) {
        // A training that was killed before its first step may have left files. resume({}) tells
        // each listener to begin its file again.
        for (Listener* listener : listeners_) listener->resume({});
        save("first");
        evaluate_now();
        save("last");
    }
    while (progress_.step < config_.steps && !stopped_early() && !interrupt.requested()) {
        const StepReport report = step();
        for (Listener* listener : listeners_) listener->step_done(report);

        const Index done = progress_.step;
        const bool end = done == config_.steps;
        if (evaluation_due(done, config_)) evaluate_now();
        if (save_due(done) || end || stopped_early() || interrupt.requested()) save("last");
    }
    tape_.reset(),
        evaluation_tape_.reset();  // what comes next, the film's page, needs their memory
}

bool Trainer::save_due(Index step) const {
    return step % (config_.save_every ? config_.save_every : config_.eval_every) == 0;
}

StepReport Trainer::step() {
    std::vector<Watcher*> watchers;
    for (Listener* listener : listeners_)
        if (Watcher* watcher = listener->watch(progress_.step + 1)) watchers.push_back(watcher);
    const Watching watching(*tape_, watchers);
    const auto hear = [this](Index, const Batch& batch) {
        for (Listener* listener : listeners_) listener->drawn(batch);
    };
    const Index step = progress_.step;
    const DrawBatch draw = batches_.of_step(step);
    const StepReport report =
        compute_gradients(model_, parameters_, *tape_, config_, step, draw, hear);
    if (!finite(report)) {
        PostMortem found = post_mortem(model_, parameters_, *tape_, config_, step, draw);
        found.step = report, found.kept = saved_;
        throw NotFinite(std::move(found));
    }
    apply_gradients(parameters_, optimizer_, *tape_, config_, report);
    progress_.step = report.step;
    return report;
}

void Trainer::evaluate_now() {
    const auto loss_of = [&](std::span<const Token> text) {
        return evaluate(model_, *evaluation_tape_, text, config_.batch).loss();
    };
    // best_loss always compares losses of this same part, also at the end, where report.loss
    // becomes that of the whole validation part.
    const auto part = first_documents(text_.validation, text_.end_of_text, config_.eval_tokens);
    EvaluationReport report{.step = progress_.step, .loss = loss_of(part)};
    report.best = report.loss < progress_.best_loss;
    progress_.since_best = report.best ? 0 : progress_.since_best + 1;
    if (report.best) progress_.best_loss = report.loss;
    if (progress_.step == config_.steps) {
        const auto all = first_documents(text_.validation, text_.end_of_text, kLastEvaluation);
        if (part.size() != all.size()) report.loss = loss_of(all);
        report.document_loss =
            evaluate_documents(model_, *evaluation_tape_, all, text_.end_of_text, config_.batch)
                .loss();
    }
    for (Listener* listener : listeners_) listener->evaluated(report);
    if (report.best) save("best");
}

void Trainer::save(const char* which, bool keep) {
    check_finite({parameters_, optimizer_}, progress_.step, saved_);
    Checkpoint checkpoint = progress_;
    // Weights alone: all else is nothing yet, and whoever draws them again writes the same bytes.
    const bool first = std::string_view(which) == "first";
    for (Listener* listener : first ? std::vector<Listener*>() : listeners_)
        if (const std::string state = listener->state(); !state.empty())
            checkpoint.listeners[listener->name()] = state;
    const bool last = std::string_view(which) == "last";
    // An interrupt may ask for a save that was not due. The next save overwrites it and does not
    // keep it as previous: so an interrupted run ends with the same files as an undisturbed one.
    const bool kept =
        keep || (last && saved_ != progress_.step && (saved_ < 0 || save_due(saved_)));
    write_checkpoint(folder_.checkpoint(which), {parameters_, first ? nullptr : &optimizer_},
                     checkpoint, kept ? folder_.checkpoint("previous") : "");
    if (last) saved_ = progress_.step;
    for (Listener* listener : listeners_) listener->saved(progress_.step);
}

FoundCheckpoint Trainer::resume() {
    const bool begun = std::filesystem::exists(folder_.checkpoint("last")) ||
                       std::filesystem::exists(folder_.checkpoint("previous"));
    FoundCheckpoint checkpoint =
        find_checkpoint(folder_, begun ? "last" : "first", {parameters_, optimizer_});
    if (checkpoint.text_hash != text_.hash)
        fail({"the text is not the one this run began with (its hash is %s, the checkpoint says "
              "%s). Put the text back, or begin anew from these weights: zhuyi train TEXT --from "
              "%s.",
              "训练文本不是这次训练开始时的那一份（它的哈希是 %s，检查点里是 %s）。"
              "请放回原来的文本，或用这些权重重新开始：zhuyi train 文本 --from %s。"},
             hash_text(text_.hash), hash_text(checkpoint.text_hash), shell_word(folder_.path));
    if (text_.vocabulary_hash)
        check_vocabulary(checkpoint, *text_.vocabulary_hash, folder_.file(kVocabularyFile));
    if (!checkpoint.damage.empty()) folder_.put_in_place_of_last(checkpoint.file);
    if (checkpoint.step == 0) return checkpoint;  // run() does what belongs to step 0
    progress_.step = checkpoint.step, progress_.best_loss = checkpoint.best_loss;
    progress_.since_best = checkpoint.since_best;
    saved_ = checkpoint.step;
    resume_listeners(checkpoint);
    return checkpoint;
}

// Weights and moments are intact here. If a listener's file is lost, only its contents are lost:
// the training goes on.
void Trainer::resume_listeners(FoundCheckpoint& from) {
    for (Listener* listener : listeners_) {
        const auto state = from.listeners.find(listener->name());
        if (state == from.listeners.end()) {
            // It was not there when the checkpoint was written: what it finds is older.
            if (const std::string kept = listener->set_aside(); !kept.empty())
                from.set_aside.push_back(
                    {say({"the checkpoint knows nothing of %s", "检查点里没有关于 %s 的记录"},
                         listener->name()),
                     kept});
            listener->resume({});
            continue;
        }
        try {
            listener->resume(state->second);
        } catch (const DiskError&) {  // The file may be whole.
            throw;
        } catch (const Error& error) {
            from.set_aside.push_back({error.what(), listener->set_aside()});
            listener->begins_anew(from.step), begun_anew_ = true;
        }
    }
}

}  // namespace zhuyi
