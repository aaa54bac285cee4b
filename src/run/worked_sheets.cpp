#include "run/worked_sheets.h"

#include <filesystem>

#include "base/check.h"
#include "base/hash.h"
#include "explain/backward.h"
#include "explain/step.h"
#include "film/stream_list.h"
#include "system/printable.h"
#include "text/corpus.h"
#include "text/tokenized.h"
#include "train/checkpoint.h"
#include "train/config.h"
#include "train/optimizer.h"

namespace zhuyi {

WorkedModel worked_model(const LoadedRun& run) {
    return {*run.model, *run.parameters, *run.tokenizer};
}

namespace {

// A run that is done has often come down to a learning rate of 0, and would move nothing more. Its
// sheets take a tenth of the peak then, where half a cosine would have ended.
TrainConfig moving(TrainConfig config, Index last) {
    if (learning_rate(last, config) == 0) config.min_learning_rate = config.learning_rate / 10;
    return config;
}

// A run's training as its checkpoint left it, in memory.
struct TrainingCopy {
    Parameters parameters;
    std::unique_ptr<Optimizer> optimizer;
    Checkpoint checkpoint;
    Gpt model;
    TrainConfig config;

    TrainingCopy(const LoadedRun& run, const GptConfig& sizes, Index updates = 1)
        : parameters(parameter_table(sizes, run.config.train.freeze), true),
          optimizer(make_optimizer(parameters.table(), run.config.train)),
          checkpoint(read_checkpoint(run.checkpoint.file, {parameters, *optimizer})),
          model(sizes, parameters),
          config(moving(run.config.train, checkpoint.step + updates - 1)) {}

    WorkedTraining worked(const LoadedRun& run) {
        const bool over = config.min_learning_rate != run.config.train.min_learning_rate;
        return {{model, parameters, *run.tokenizer}, *optimizer, config, checkpoint.step, over};
    }
};

// The weights of the film's snapshot nearest to a step: the page's own numbers, rounded to bf16.
// Returns its step.
Index take_snapshot(const LoadedRun& run, Index step, Parameters& parameters) {
    const History history = read_history(run.folder.history(), run.tokenizer->size());
    const Frame* nearest = nullptr;
    for (const Frame& frame : history.frames)
        if (history.carries(frame, kSnapshot) &&
            (!nearest || std::abs(frame.step - step) < std::abs(nearest->step - step)))
            nearest = &frame;
    if (!nearest || history.stream(kSnapshot)->size() != std::ssize(parameters.values()))
        fail_usage({"--at: the film of this run holds no snapshot of the whole model",
                    "--at：这次训练的回放里没有整个模型的快照"});
    const HistoryNumbers numbers = history.numbers(*nearest, kSnapshot);
    for (std::size_t i = 0; i < numbers.size(); ++i) parameters.values()[i] = Real(numbers[i]);
    return nearest->step;
}

// Where the token's row of the embedding stood at step 0; empty where the run lacks its first
// weights.
Numbers start_of(const LoadedRun& run, Token token) {
    const std::filesystem::path first = run.folder.checkpoint("first");
    if (!std::filesystem::exists(first)) return {};
    Parameters start(parameter_table(run.config.model), false);
    read_checkpoint(first.string(), start);
    return Grid(start.tensor("embedding.token")).row_copy(token);
}

Sheet sheet_of(const Reading& r, const LoadedRun& run) {
    Sheet sheet{say({"Every number: block %td, head %td, position %td %s, step %td",
                     "逐步演算每个数：第 %td 层，头 %td，位置 %td “%s”，训练第 %td 步"},
                    r.focus.block, r.focus.head, r.focus.query, r.query_token(),
                    run.checkpoint.step)};
    write_forward(sheet, r, start_of(run, r.ids[r.focus.query]), run.checkpoint.step);
    return sheet;
}

}  // namespace

WorkedSheets forward_sheets(const LoadedRun& run, std::span<const Token> ids, Focus focus) {
    const Reading reading = read(worked_model(run), ids, focus);
    const Sheet whole = sheet_of(reading, run);
    return {forward_path(reading, whole), whole};
}

WorkedSheets backward_sheets(const LoadedRun& run, std::span<const Token> ids, Focus focus) {
    GptConfig config = run.config.model;
    config.dropout = config.embedding_dropout = 0;  // every number is followed, none dropped
    TrainingCopy copy(run, config);
    const WorkedTraining training = copy.worked(run);
    const TrainedReading reading(training, ids.first(ids.size() - 1), ids.subspan(1), focus);
    Sheet whole = sheet_of(reading, run);
    write_backward(whole, training, reading);
    return {backward_path(reading, whole), whole};
}

// What the run is trained on.
static TokenizedText text_of(const LoadedRun& run, const Checkpoint& checkpoint) {
    const std::string& data = run.config.text.data;
    if (data != "-" && !std::filesystem::exists(data))
        fail({"%s: the text that this run is trained on is not there; its next batches come from "
              "it. Say where it is now: --data FILE; or take another text as the only batch: "
              "--on text --text 文字",
              "%s：这次训练所用的文本不在这里，而接下来的批次要从中抽取。请指出它现在的位置："
              "--data 文件；或者只用一段文字作为批次：--on text --text 文字"},
             printable(data));
    const Corpus corpus = Corpus::read(run.config.text);
    if (corpus.hash() != checkpoint.text_hash)
        fail({"the text is not the one this run was trained on (its hash is %s, the checkpoint "
              "says %s), so this would not be its next step",
              "训练文本不是这次训练用的那一份（它的哈希是 %s，检查点里是 "
              "%s），所以算不出它的下一步"},
             hash_text(corpus.hash()), hash_text(checkpoint.text_hash));
    return tokenize(corpus, *run.tokenizer);
}

// As the page's bench begins: an optimizer that remembers nothing, a rate that stays, no decay.
// Returns a sentence that says so.
static std::string begin_anew(TrainingCopy& training, const LoadedRun& run, const TokenWish& wish) {
    TrainConfig& config = training.config;
    config.optimizer = wish.optimizer, config.clip = wish.clip;
    config.learning_rate = config.min_learning_rate = wish.learning_rate;
    config.warmup = 0, config.weight_decay = 0;
    training.optimizer = make_optimizer(training.parameters.table(), config);
    Index step = std::exchange(training.checkpoint.step, 0);
    if (wish.at >= 0) {
        step = take_snapshot(run, wish.at, training.parameters);
        config.precision = Precision::fp32;
    }
    return say({"They begin with the weights of %s %td and an optimizer (%s) that remembers "
                "nothing, without weight decay; the updates are counted from there.",
                "从%s（第 %td 步）的权重开始，优化器（%s）什么也不记得，不用权重衰减；"
                "更新次数从这里数起。"},
               wish.at >= 0 ? say({"the film's snapshot of step", "回放的快照"})
                            : say({"the checkpoint of step", "检查点"}),
               step, name_of(config.optimizer));
}

Sheet next_step_sheet(const LoadedRun& run) {
    TrainingCopy training(run, run.config.model);
    const TokenizedText text = text_of(run, training.checkpoint);
    return step_sheet(training.worked(run), text.train);
}

Sheet next_steps_of_token(const LoadedRun& run, const TokenWish& wish) {
    if (wish.on_text && wish.text.size() < 2)
        fail_usage({"--on text: a text of one token predicts nothing; give a longer --text",
                    "--on text：只有一个 token 的文字没有可预测的；请写更长的 --text"});
    GptConfig sizes = run.config.model;
    if (wish.on_text) sizes.dropout = sizes.embedding_dropout = 0;
    TrainingCopy training(run, sizes, wish.times);
    if (wish.on_text) training.config.batch = training.config.accumulate = 1;
    TokenWish told = wish;
    if (wish.anew) told.begins = begin_anew(training, run, wish);
    WorkedTraining worked = training.worked(run);
    worked.over = worked.over && !wish.anew;
    TokenizedText text;
    if (!wish.on_text) text = text_of(run, training.checkpoint);
    return token_sheet(worked, told, [&](Index step) {
        return wish.on_text ? windows_of(wish.text) : draw_windows(worked, text.train, step);
    });
}

}  // namespace zhuyi
