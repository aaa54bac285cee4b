#include <algorithm>
#include <cmath>
#include <vector>

#include "autograd/tape.h"
#include "base/check.h"
#include "base/format.h"
#include "cost/bench.h"
#include "cost/model_size.h"
#include "cost/plan.h"
#include "film/history_plan.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "probe/ask.h"
#include "system/options.h"
#include "system/printable.h"
#include "text/corpus.h"
#include "text/tokenized.h"
#include "train/evaluate.h"
#include "train/optimizer.h"
#include "train/update.h"

namespace zhuyi {

void declare(Options& options, RunConfig& config) {
    declare(options, config.text);
    declare(options, config.model);
    declare(options, config.train);
    declare(options, config.history);
    options.group({"probes", "规则测验"});
    options.add("probes", config.probes, "",
                {"a file of probes: questions whose answer a rule of the text decides. Each "
                 "evaluation asks a part of them, the last one asks all",
                 "测试句文件，答案由文本的规则决定：每次评估时测一部分，最后全部测一遍"});
}

constexpr double kCheckpoints = 4;  // best, previous, last, and one that is being written
// report.html: itself, the part of the film in it, and the part of the snapshots (film/page.h).
constexpr double kPage = 3e5, kPageOfFilm = 0.52, kMostOfFilm = 9e6, kOfSnapshots = 0.75;
// Measured (scripts/measure_memory.py): copies of the weights that the recorder keeps and a frame
// takes while it is made; copies of them, and bytes for each byte of the page, while the page is
// written; bytes for each byte of the text and its tokens that counting takes, and the most.
constexpr double kFrame = 5.2, kUnpacked = 8.5, kWriting = 3.4;
constexpr double kCounting = 2.6, kMostOfCounting = 36e6;
constexpr double kNear = 0.1;         // of the memory that is available
constexpr double kBytesOfARow = 100;  // metrics.csv
constexpr double kBlocks = 1.12;      // the ends of a tape's memory blocks stay unused
constexpr Index kLeastContext = 8, kLeastHead = 8;  // smaller ones are never proposed
constexpr Index kTooManyParameters = 50;            // for each token

static bool fits(const RunConfig& config, double text, double available) {
    return needs_of(config, {}, text).memory() <= available;
}

// Tries smaller batches with the same number of windows in a step, and then a shorter context.
// Returns whether one of them fits.
static bool read_less(RunConfig& config, Index least_context, double text, double available) {
    const RunConfig wanted = config;
    const Index context = wanted.model.context, batch = wanted.train.batch;
    const Index windows = batch * wanted.train.accumulate;
    for (Index T = context; T >= std::min(least_context, context); T /= 2)
        for (Index B = batch; B >= 1; B /= 2) {
            config.model.context = T;
            config.train.batch = B, config.train.accumulate = windows / B;
            if (windows % B == 0 && fits(config, text, available)) return true;
        }
    config = wanted;
    return false;
}

// Makes it a model with C channels: with as many heads as divide them, and an FFN in proportion.
static void narrow(GptConfig& model, Index C) {
    model.ffn = model.width() * C / model.channels;
    model.channels = C;
    while (C % model.heads != 0 || (model.heads > 1 && model.head_size() < kLeastHead))
        --model.heads;
}

static std::string changes(const RunConfig& before, const RunConfig& after) {
    std::string options;
    const auto add = [&](const char* name, Index was, Index is) {
        if (was != is) options += format("%s--%s=%td", options.empty() ? "" : " ", name, is);
    };
    const GptConfig &old = before.model, &model = after.model;
    add("layers", old.layers, model.layers);
    add("channels", old.channels, model.channels);
    add("heads", old.heads, model.heads);
    if (old.width() != 4 * old.channels) add("ffn", old.width(), model.width());
    add("batch", before.train.batch, after.train.batch);
    add("accumulate", before.train.accumulate, after.train.accumulate);
    add("context", old.context, model.context);
    return options;
}

// Returns the options of a training that fits, or "" if none does. Smaller batches change the
// result little and a smaller model changes it much, so this is the order: smaller batches, half
// the layers, half the channels, and at last a very short context.
static std::string proposal(RunConfig wanted, double text, double available, bool shape_fixed) {
    // If the FFN is wider than usual, its width is the first thing that is reduced.
    const RunConfig asked = wanted;
    if (!shape_fixed) wanted.model.ffn = std::min(wanted.model.width(), 4 * wanted.model.channels);
    const Index least_C = shape_fixed ? wanted.model.channels : kLeastHead;
    const Index least_L = shape_fixed ? wanted.model.layers : 1;
    for (const Index least_context : {wanted.model.context / 4, kLeastContext})
        for (Index C = wanted.model.channels; C >= least_C; C /= 2)
            for (Index L = wanted.model.layers; L >= least_L; L /= 2) {
                RunConfig config = wanted;
                config.model.layers = L;
                if (C != wanted.model.channels) narrow(config.model, C);
                if (read_less(config, std::max(least_context, kLeastContext), text, available))
                    return changes(asked, config);
            }
    return "";
}

// Says what to do if the memory is not enough.
static std::string memory_advice(const RunConfig& config, double text, double available,
                                 Fixed fixed) {
    if (fixed == Fixed::everything)
        return say(
            {"A run that goes on keeps its sizes: end other programs, or go on where "
             "there is more memory.",
             "继续训练时大小不能改：请关掉别的程序，或换到内存更大的机器上。"});
    const bool shape = fixed == Fixed::shape;
    const std::string smaller = proposal(config, text, available, shape);
    if (!smaller.empty())
        return say({"It fits with %s, which reads as many windows of text in a step.",
                    "用 %s 就够了，每步读的文本段数相同。"},
                   smaller);
    if (shape && proposal(config, 0, available, shape).empty())
        return say(
            {"The weights that it begins with decide the shape, and even the smallest "
             "batch does not fit: train it where there is more memory.",
             "模型的形状由起始权重决定，batch 再小也放不下：请换到内存更大的机器上。"});
    return shape ? say({"The model of these weights does not fit beside this text: give a part "
                        "of it.",
                        "这份文本旁边放不下这些权重的模型：请只给出文本的一部分。"})
                 : say({"No smaller model would fit beside this text: give a part of it.",
                        "这份文本旁边放不下更小的模型：请只给出它的一部分。"});
}

// The share of the time that nothing here measures: samples, the history, checkpoints, a laptop
// that gets warm.
constexpr double kRest = 0.2;

// Seconds of a step: the median of some steps after the first one, which allocates the memory. If
// numbers are not finite, the training will report it.
static double seconds_of_a_step(Gpt& model, Parameters& parameters, const TrainConfig& config,
                                const TokenizedText& text, double patience) {
    constexpr std::size_t kLeast = 3, kMost = 50;
    const auto optimizer = make_optimizer(parameters.table(), config);
    Batches batches(text.train, config, model.config().context);
    Tape tape(true, config.precision);
    std::vector<double> seconds;
    double all = 0;
    for (Index step = 0; seconds.size() < kLeast || (all < patience && seconds.size() < kMost);
         ++step) {
        seconds.push_back(seconds_of([&] {
            const StepReport report =
                compute_gradients(model, parameters, tape, config, step, batches.of_step(step));
            apply_gradients(parameters, *optimizer, tape, config, report);
        }));
        all += seconds.back();
    }
    seconds.erase(seconds.begin());
    return median(seconds);
}

// Seconds to evaluate one token, measured on a part of the text.
static double seconds_to_evaluate(Gpt& model, const TrainConfig& config,
                                  const TokenizedText& text) {
    const std::span<const Token> whole = text.validation;
    const std::size_t some =
        std::min(whole.size(), std::size_t(config.batch * model.config().context + 1));
    Tape tape(false, config.precision);
    evaluate(model, tape, whole.first(some), config.batch);  // allocates the memory
    const double seconds =
        seconds_of([&] { evaluate(model, tape, whole.first(some), config.batch); });
    return seconds / double(some);
}

double memory_of(const Corpus& corpus) {
    return double(corpus.bytes()) + double(corpus.characters()) * double(sizeof(Token));
}

Needs needs_of(const RunConfig& config, const std::vector<Parameter>& table, double text) {
    const Memory memory = training_memory(config.model, config.train);
    const double weights = sum_over_table(config.model, count), one = weights * sizeof(Real);
    const double film = expected_bytes(config.history, config.model, config.train);
    const double asking = config.probes.empty() ? 0 : asking_memory(config.model, kAskedAtOnce);
    const Index snapshots = snapshots_of(config.history, Index(weights));
    // A training of few steps has fewer frames that could hold them.
    const auto frames = frame_steps(config.train.steps, std::max<Index>(2, config.history.frames));
    const Index taken = std::ssize(snapshot_steps(frames, snapshots));
    const double of_snapshots = double(taken) * kSnapshotBytes * weights;
    const double page = kPage + std::min(kPageOfFilm * (film - of_snapshots), kMostOfFilm) +
                        kOfSnapshots * of_snapshots;
    Needs needs{
        memory.weights + memory.gradients + memory.moments,
        kBlocks * (memory.activations + evaluation_memory(config.model, config.train) + asking),
        config.history.on ? kFrame * one : 0,
        config.history.on ? kUnpacked * one + kWriting * page : 0,
        text,
        std::min(kCounting * text, kMostOfCounting),
        one,
        0,
        snapshots,
        kSnapshotBytes * weights,
        0};
    const Rules rules = make_rules(config.train);
    for (const Parameter& p : table)
        needs.checkpoint += double(p.shape.size()) * double(sizeof(Real)) *
                            double(1 + state_names(rules, p).size());
    needs.disk = kCheckpoints * needs.checkpoint + one +  // the first: weights alone
                 kBytesOfARow * double(config.train.steps) + film +
                 (film > 0 ? kPage + kOfSnapshots * film : 0);
    return needs;
}

std::string check_memory(const RunConfig& config, double text, std::optional<double> available,
                         Fixed fixed) {
    const Needs needs = needs_of(config, {}, text);
    if (!available || needs.memory() <= (1 - kNear) * *available) return {};
    if (needs.memory() <= (1 + kNear) * *available)
        return say(
            {"zhuyi: warning: this training needs about %s of memory, and %s can be had "
             "here: it may become slow or be killed. End other programs, or make it "
             "smaller.\n",
             "zhuyi：警告：这次训练大约需要 %s 内存，这里有 %s 可用：可能变慢，或被系统终止。"
             "请关掉别的程序，或减小模型。\n"},
            bytes_text(needs.memory()), bytes_text(*available));
    fail({"this training needs about %s of memory (%s of it for weights, gradients and moments, %s "
          "for the text %s and its tokens), and %s can be had here. %s",
          "这次训练大约需要 %1$s 内存（其中权重、梯度和矩 m、v 共 %2$s，训练文本 %4$s 及其 token "
          "%3$s），这里只有 %5$s 可用。%6$s"},
         bytes_text(needs.memory()), bytes_text(needs.weights), bytes_text(text),
         printable(config.text.data), bytes_text(*available),
         memory_advice(config, text, *available, fixed));
}

void check_disk(const Needs& needs, const std::string& folder, std::optional<double> free) {
    if (!free || needs.disk <= *free) return;
    fail({"%s: this run needs up to %s (%.0f checkpoints of %s each, the first weights, what is "
          "recorded), and %s are free there. Make room, give another --out, or record less: "
          "--history-budget, --history=no.",
          "%s：这次训练最多需要 %s（%.0f 个检查点，每个 %s，加上最初的权重和记录的内容），那里只剩 "
          "%s。请腾出空间、换一个 --out，或少记录一些：--history-budget、--history=no。"},
         printable(folder), bytes_text(needs.disk), kCheckpoints, bytes_text(needs.checkpoint),
         bytes_text(*free));
}

bool text_too_small(Index parameters, Index tokens) {
    return parameters / kTooManyParameters > tokens;
}

double Pace::seconds(Index steps, const TrainConfig& config) const {
    const double evaluations =
        double(early_evaluations(config)) + double(steps) / double(config.eval_every);
    return (double(steps) * step + evaluations * evaluation + last_evaluation) / (1 - kRest);
}

Index Pace::steps_within(double seconds, const TrainConfig& config) const {
    const double one = step + evaluation / double(config.eval_every);
    const double first = double(early_evaluations(config)) * evaluation;
    const double steps = (seconds * (1 - kRest) - first - last_evaluation) / one;
    const double round = steps < 100 ? 1 : 10;
    return Index(std::clamp(std::floor(steps / round) * round, 1.0, 1e9));
}

Pace pace_of(const RunConfig& config, const TokenizedText& text, double patience) {
    Parameters parameters(parameter_table(config.model, config.train.freeze), true);
    parameters.initialise(std::uint64_t(config.train.seed));
    Gpt model(config.model, parameters);
    const double step = seconds_of_a_step(model, parameters, config.train, text, patience);
    const double token = seconds_to_evaluate(model, config.train, text);
    const double all = double(text.validation.size());
    const double part =
        config.train.eval_tokens ? std::min(double(config.train.eval_tokens), all) : all;
    return {step, token * part, 2 * token * std::min(all, double(kLastEvaluation))};
}

}  // namespace zhuyi
