#include "run/worked_sheets.h"

#include "base/check.h"
#include "base/hash.h"
#include "explain/backward.h"
#include "explain/compare.h"
#include "explain/step.h"
#include "text/corpus.h"
#include "text/tokenized.h"
#include "train/checkpoint.h"
#include "train/optimizer.h"
#include "train/schedule.h"

namespace zhuyi {
namespace {

WorkedModel worked_model(const LoadedRun& run) {
    return {*run.model, *run.parameters, *run.tokenizer};
}

// A run that is done has often come down to a learning rate of 0, and would move nothing more. Its
// sheets take a tenth of the peak then, where half a cosine would have ended.
TrainConfig moving(TrainConfig config, Index step) {
    if (learning_rate(step, config) == 0) config.min_learning_rate = config.learning_rate / 10;
    return config;
}

// A run's training as its checkpoint left it, in memory.
struct TrainingCopy {
    Parameters parameters;
    std::unique_ptr<Optimizer> optimizer;
    Checkpoint checkpoint;
    Gpt model;
    TrainConfig config;

    TrainingCopy(const LoadedRun& run, const GptConfig& sizes)
        : parameters(table(sizes, run.config.train), true),
          optimizer(make_optimizer(parameters.table(), run.config.train)),
          checkpoint(read_checkpoint(run.checkpoint.file, {parameters, *optimizer})),
          model(sizes, parameters),
          config(moving(run.config.train, checkpoint.step)) {}

    WorkedTraining worked(const LoadedRun& run) {
        return {{model, parameters, *run.tokenizer},
                *optimizer,
                config,
                checkpoint.step,
                learning_rate(checkpoint.step, run.config.train) == 0};
    }

  private:
    static std::vector<Parameter> table(const GptConfig& config, const TrainConfig& train) {
        std::vector<Parameter> table = parameter_table(config);
        freeze(table, train.freeze);
        return table;
    }
};

// How far training has moved the token's embedding since step 0, if the run has its first weights.
std::optional<TrainedRow> trained_row(const LoadedRun& run, Token token) {
    const std::filesystem::path first = run.folder.checkpoint("first");
    if (!std::filesystem::exists(first)) return {};
    Parameters start(parameter_table(run.config.model), false);
    read_checkpoint(first.string(), start);
    const auto row = [&](Parameters& parameters) {
        return Grid(parameters.tensor("embedding.token")).row_copy(token);
    };
    const Numbers before = row(start), now = row(*run.parameters);
    return TrainedRow{run.checkpoint.step, distance(before, now), cosine(before, now)};
}

Sheet sheet_of(WorkedForward& f, const LoadedRun& run) {
    f.trained = trained_row(run, f.ids[std::size_t(f.place.query)]);
    Sheet sheet{say({"Every number: block %td, head %td, position %td %s, step %td",
                     "逐步演算每个数：第 %td 层，头 %td，位置 %td “%s”，训练第 %td 步"},
                    f.place.layer, f.place.head, f.place.query, f.query_token(),
                    run.checkpoint.step)};
    write_forward(sheet, f, *run.tokenizer);
    return sheet;
}

}  // namespace

Sheet forward_sheet(const LoadedRun& run, std::span<const Token> ids, WorkedPlace place) {
    WorkedForward forward = worked_forward(worked_model(run), ids, place);
    return sheet_of(forward, run);
}

Sheet backward_sheet(const LoadedRun& run, std::span<const Token> ids, WorkedPlace place) {
    GptConfig config = run.config.model;
    config.dropout = config.embedding_dropout = 0;  // every number is followed, none dropped
    TrainingCopy training(run, config);
    WorkedBackward back =
        worked_backward(training.worked(run), ids.first(ids.size() - 1), ids.subspan(1), place);
    Sheet sheet = sheet_of(back.forward, run);
    write_backward(sheet, back);
    return sheet;
}

Sheet comparison_sheet(const LoadedRun& run, std::span<const Token> first,
                       std::span<const Token> second, Index query) {
    return compare_sheet(worked_comparison(worked_model(run), first, second, query));
}

Sheet next_step_sheet(const LoadedRun& run) {
    TrainingCopy training(run, run.config.model);
    const Corpus corpus = Corpus::read(run.config.text);
    if (corpus.hash() != training.checkpoint.text_hash)
        fail({"the text is not the one this run was trained on (its hash is %s, the checkpoint "
              "says %s), so this would not be its next step",
              "训练文本不是这次训练用的那一份（它的哈希是 %s，检查点里是 "
              "%s），所以算不出它的下一步"},
             hash_text(corpus.hash()), hash_text(training.checkpoint.text_hash));
    const TokenizedText text = tokenize(corpus, *run.tokenizer);
    return step_sheet(worked_step(training.worked(run), text.train));
}

}  // namespace zhuyi
