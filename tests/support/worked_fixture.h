// A tiny model with a tokenizer of its own, as the worked sheets need it.
#pragma once
#include "explain/backward.h"
#include "support/tiny_gpt.h"
#include "text/tokenizer.h"
#include "train/config.h"
#include "train/optimizer.h"

namespace zhuyi {
inline namespace support {

struct WorkedFixture {
    WorkedFixture() = default;
    explicit WorkedFixture(Position p, UpdateRule rule = UpdateRule::adamw)
        : position(p), update_rule(rule) {}

    CharacterTokenizer tokenizer = characters();
    Position position = Position::learned;
    UpdateRule update_rule = UpdateRule::adamw;
    TinyGpt gpt{config(tokenizer.size(), position)};
    TrainConfig training = hyperparameters(update_rule);
    std::unique_ptr<Optimizer> optimizer = make_optimizer(gpt.parameters.table(), training);

    WorkedModel model() { return {gpt.model, gpt.parameters, tokenizer}; }
    std::vector<Token> ids(std::string_view text) const { return tokenizer.encode(text); }
    // A training in the middle of its way: moments that are not zero.
    WorkedTraining running(Index step = 20) {
        for (std::size_t row = 0; row < gpt.parameters.table().size(); ++row) {
            const Parameter& p = gpt.parameters.table()[row];
            const Random random(9, Stream::initialisation, row);
            const auto state = optimizer->state_of(p);  // m, and with AdamW v
            const Out m = state[0].values, v = state.size() > 1 ? state[1].values : Out();
            for (std::size_t i = 0; i < m.size(); ++i) m[i] = Real(0.01 * random.normal(Index(i)));
            for (std::size_t i = 0; i < v.size(); ++i)
                v[i] = Real(0.001 * random.uniform(Index(i)));
        }
        return {model(), *optimizer, training, step};
    }

  private:
    static CharacterTokenizer characters() {
        const std::vector<std::string_view> texts{"小沈阳江西演唱会", "吃了一个苹果，股票是"};
        return CharacterTokenizer::from_texts(texts, 1, 2);
    }
    static GptConfig config(Index vocabulary, Position position) {
        GptConfig config = tiny_config();
        config.vocabulary = vocabulary, config.position = position;
        return config;
    }
    static TrainConfig hyperparameters(UpdateRule rule) {
        TrainConfig config;
        config.optimizer = rule;
        config.batch = 2;
        config.warmup = 5;
        config.steps = 100;
        config.clip = 0.5;
        return config;
    }
};

}  // namespace support
}  // namespace zhuyi
