#include "run/session.h"

#include "base/check.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "film/page.h"
#include "formats/sheet_format.h"
#include "model/parameters.h"
#include "probe/knowledge.h"
#include "run/report.h"
#include "system/disk.h"
#include "system/machine.h"
#include "system/printable.h"
#include "system/terminal.h"
#include "text/vocabulary.h"
#include "train/post_mortem.h"

namespace zhuyi {
constexpr Index kWorthTiming = 100;  // steps

// A sample on one line of the terminal: newlines become ⏎.
static std::string one_line(const std::string& text) {
    std::string line;
    for (const std::string_view c : utf8::Characters(text))
        line += c == "\n" ? "⏎" : c == "\t" ? " " : printable(c);
    return cut_to_width(line, 74);
}

Corpus read_text(const RunConfig& config, const Corpus::Files* read) {
    if (config.text.data.empty())
        fail_usage({"no text to train on: give data = FILE in the configuration, or --data FILE",
                    "没有训练文本：在配置里写 data = 文件，或加上 --data 文件"});
    return read ? Corpus::from(read->files, config.text, read->left_out)
                : Corpus::read(config.text);
}

std::vector<Parameter> table_of(const RunConfig& config) {
    return parameter_table(config.model, config.train.freeze);
}

std::optional<Pace> pace_where_worth_it(const RunConfig& config, const TokenizedText& text) {
    if (config.train.steps < kWorthTiming) return {};
    return pace_of(config, text, 0);
}

Session::Session(const RunFolder& folder, const RunConfig& config, const TrainingText& text,
                 Parameters& parameters, Optimizer& optimizer, FaultInjection& faults)
    : folder_(folder),
      config_(config),
      text_(text),
      parameters_(parameters),
      levels_(levels_of(text.corpus, config.text.data)),
      model_(config.model, parameters),
      trainer_(model_, parameters, optimizer, config.train,
               {text.tokens.train, text.tokens.validation, text.corpus.hash(),
                hash_of(text.tokenizer->vocabulary_file()), text.tokenizer->end_of_text()},
               folder),
      note_(folder),
      metrics_(folder.metrics(), parameters),
      progress_(folder.log(), config.train.steps, tokens_per_character(text.tokens), levels_.floor),
      samples_(folder.samples(), model_, *text.tokenizer, config.train.prompt, config.train.seed,
               tokens_per_character(text.tokens).validation,
               [this](Index, const std::string& sample) {
                   progress_.print("    " + one_line(sample));
               }) {
    for (Listener* listener :
         std::initializer_list<Listener*>{&faults, &note_, &metrics_, &progress_, &samples_})
        trainer_.listen(*listener);
    if (!config.probes.empty())
        trainer_.listen(probes_.emplace(
            folder.probe_log(), model_,
            questions_of(read_probes(folder.probes()), *text.tokenizer, config.model.context),
            config.train.steps, [this](const std::string& line) { progress_.print(line); }));
    if (config.history.on) record_history(optimizer);
}

void Session::record_history(Optimizer& optimizer) {
    const Tokenizer& tokenizer = *text_.tokenizer;
    const TokenizedText& tokens = text_.tokens;
    HistoryPlan plan = plan_history(config_.history, config_.model, config_.train, tokenizer,
                                    tokens.validation, tokens.train);
    if (!plan.pushes.tokens.empty())
        trainer_.listen(pushes_.emplace(parameters_, optimizer, config_.train, config_.model.tied,
                                        plan.pushes));
    trainer_.listen(
        recorder_.emplace(HistoryRecorder::Subject{model_, parameters_, optimizer, tokenizer,
                                                   folder_, tokens_per_character(tokens), levels_,
                                                   tokens.train, pushes_ ? &*pushes_ : nullptr},
                          std::move(plan)));
}

void Session::keep_pace(double seconds, PaceKeeper::Clock::time_point begun, RunConfig& config) {
    trainer_.listen(pace_.emplace(seconds, begun, trainer_, config, folder_));
}

void Session::adopt(const std::vector<ConfigDifference>& changes) {
    note_.adopt(changes);
    trainer_.settle();
}

void Session::expect(Expectation expectation) {
    progress_.expect(expectation.end);
    expectation_ = std::move(expectation);
}

int Session::run(const Room& room, const std::optional<Pace>& pace, const std::string& warning) {
    const Index begun = trainer_.progress().step;
    // Printed only now: if something has gone wrong before, the error is all that is printed.
    const Sheet plan = plan_sheet(config_, text_, levels_, parameters_.table(), room, pace, begun);
    tell(warning + sheet_as_terminal(plan, {}));
    if (expectation_) progress_.print(text_of(*expectation_, levels_.counting.trigram));
    if (probes_)
        if (const std::string text = too_long_text(probes_->questions(), config_.model.context);
            !text.empty())
            progress_.print(text);
    const Interrupt interrupt;
    try {
        trainer_.run(interrupt);
    } catch (const NoRoom& full) {
        fail({"%s. Make room; then it goes on from its last checkpoint: zhuyi train --resume %s",
              "%s。请腾出空间，然后从上次的检查点继续：zhuyi train --resume %s"},
             full.what(), shell_word(folder_.path));
    } catch (const NotFinite& bad) {
        progress_.print(
            post_mortem_text(bad.found(), config_.train, *text_.tokenizer, folder_.path));
        throw;
    }
    say_novelty();
    say_rules();
    say_end(begun);
    if (recorder_ && recorder_->begun()) {
        const std::string page = folder_.report();
        write_film_page(folder_.path, "", page, {});
        progress_.print(say({"the film of it: %s", "训练回放：%s"}, printable(page)));
        if (config_.history.report_text)
            progress_.print(
                say({"it holds the text, at most 500,000 tokens of it; report_text = no "
                     "leaves it out",
                     "其中有训练文本（至多 50 万个 token）；report_text = no 则不放"}));
    }
    const bool stopped = interrupt.requested() && trainer_.progress().step < config_.train.steps;
    return stopped ? 128 + interrupt.signal() : 0;
}

// What the model knows of each rule, if it was asked after the last step.
void Session::say_rules() {
    if (!probes_ || probes_->history().evaluations.empty()) return;
    const ProbeHistory& history = probes_->history();
    const ProbeHistory::Evaluation& last = history.evaluations.back();
    if (last.step != config_.train.steps) return;
    Sheet sheet{say({"which rules it knows, asked %zu probes:", "懂得哪些规则（%zu 个测试句）："},
                    probes_->questions().all.size())};
    add_rules(sheet, probes_->questions().rules, last.rules, &history);
    progress_.print(sheet_as_terminal(sheet, {}));
}

// How much of what it writes is copied, where to know that costs little: the samples are at most a
// hundredth of the tokens that the training has read, and the text is not too long to search.
void Session::say_novelty() {
    const TrainConfig& t = config_.train;
    const Index trained = t.steps * t.batch * t.accumulate * config_.model.context;
    if (trainer_.progress().step != t.steps || trained < 100 * kNoveltySamples * kNoveltyTokens ||
        text_.corpus.characters() > kNoveltyWithin)
        return;
    progress_.print(novelty_line(
        novelty(model_, *text_.tokenizer, text_.corpus, SamplerConfig{}, kNoveltyTokens)));
}

// Prints the step, the fingerprint, the run folder, and the command that goes on.
void Session::say_end(Index begun) {
    const std::string run = folder_.path;
    const std::string resume = "zhuyi train --resume " + shell_word(run);
    const Index reached = trainer_.progress().step;
    const bool done = reached == config_.train.steps, early = trainer_.stopped_early();
    std::string text =
        say({"%s step %td, fingerprint %s, run folder %s", "%s第 %td 步，指纹 %s，训练目录 %s"},
            done    ? say({"done:", "完成："})
            : early ? say({"no new best loss for so long that it ends here:",
                           "验证损失已久未创新低，到此结束："})
                    : say({"stopped and saved:", "已停止并保存："}),
            reached, hash_text(parameters_.fingerprint()), printable(run));
    if (early && !done)
        text +=
            say({"\n%td evaluations without a new best one (stop_after = %td); to go on all the "
                 "same: %s --stop-after 0",
                 "\n连续 %td 次评估没有新的最低损失（stop_after = %td）；要继续训练：%s "
                 "--stop-after 0"},
                trainer_.progress().since_best, config_.train.stop_after, resume);
    else if (!done)
        text += say({"\nto go on: %s", "\n继续训练：%s"}, resume);
    else if (begun == reached)
        text += say({"\nit was at step %td already; a larger number trains on: %s --steps N",
                     "\n原本就已训练到第 %td 步；要接着训练，请加大步数：%s --steps N"},
                    reached, resume);
    progress_.print(text);
}

}  // namespace zhuyi
