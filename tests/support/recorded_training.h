// A training of a few steps whose history is recorded, for tests of film/.
#pragma once
#include <csignal>

#include "film/config.h"
#include "film/history_recorder.h"
#include "film/pushes.h"
#include "support/scratch.h"
#include "support/tiny_gpt.h"
#include "system/machine.h"
#include "text/tokenizer.h"
#include "train/config.h"
#include "train/optimizer.h"
#include "train/trainer.h"

namespace zhuyi {
inline namespace support {

inline CharacterTokenizer small_tokenizer() {
    const std::string_view texts[] = {"小猫吃鱼，小猫睡觉。小狗吃鱼"};
    return CharacterTokenizer::from_texts(texts, 1, 1);
}

inline GptConfig small_model(const Tokenizer& tokenizer) {
    GptConfig config = tiny_config();
    config.vocabulary = tokenizer.size();
    config.dropout = 0.1;
    return config;
}

inline TrainConfig small_training(Index steps) {
    TrainConfig config;
    config.batch = 2, config.accumulate = 2, config.steps = steps, config.warmup = 2;
    config.learning_rate = 1e-2, config.eval_every = 4, config.seed = 3;
    return config;
}

// From the beginning, or from its last checkpoint.
struct RecordedTraining {
    CharacterTokenizer tokenizer = small_tokenizer();
    GptConfig config = small_model(tokenizer);
    TrainConfig training;
    std::vector<Token> text = tokenizer.encode("小猫吃鱼，小猫睡觉。小狗吃鱼，小猫小狗睡觉。");
    Parameters parameters;
    Gpt model;
    std::unique_ptr<Optimizer> optimizer;
    CheckpointFolder folder;
    Trainer trainer;
    Pushes pushes;
    HistoryRecorder recorder;
    Interrupt interrupt;

    RecordedTraining(const ScratchFolder& scratch, Index steps, bool record = true,
                     std::string_view frozen = "")
        : training(small_training(steps)),
          parameters(table(frozen), true),
          model(config, parameters),
          optimizer(make_optimizer(parameters.table(), training)),
          folder{scratch.path()},
          trainer(model, parameters, *optimizer, training, {text, text, 1}, folder),
          pushes(parameters, *optimizer, training, config.tied, plan(steps).pushes),
          recorder({model, parameters, *optimizer, tokenizer, folder, {}, {}, text, &pushes},
                   plan(steps)) {
        if (record) trainer.listen(pushes), trainer.listen(recorder);
        parameters.initialise(1);
    }
    std::vector<Parameter> table(std::string_view frozen) const {
        std::vector<Parameter> rows = parameter_table(config);
        freeze(rows, frozen);
        return rows;
    }
    HistoryPlan plan(Index steps) const {
        HistoryConfig wish;
        wish.sentences = "小猫吃鱼";
        if (parameters.table().front().frozen) wish.why = "off";
        TrainConfig planned;
        planned.steps = steps;
        return plan_history(wish, config, planned, tokenizer, text, text);
    }
    void run() { trainer.run(interrupt); }
    History film() const { return read_history(folder.file(kHistoryFile), tokenizer.size()); }
};

struct StopAt : Listener {
    Index step;
    explicit StopAt(Index s) : step(s) {}
    const char* name() const override { return "stop"; }
    void step_done(const StepReport& report) override {
        if (report.step == step) std::raise(SIGINT);
    }
};

}  // namespace support
}  // namespace zhuyi
