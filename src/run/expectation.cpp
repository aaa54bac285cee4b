#include "run/expectation.h"

#include <algorithm>

#include "cost/plan.h"
#include "text/tokenized.h"

namespace zhuyi {
static Recipe recipe_of(const RunConfig& config) {
    const GptConfig& m = config.model;
    const TrainConfig& t = config.train;
    return {m.channels, m.layers, m.context, t.batch * t.accumulate, t.steps};
}

double work_of(const RunConfig& config) {
    return operations_of(recipe_of(config), config.model.vocabulary);
}

double work_within(double minutes, const RunConfig& config, const TokenizedText& text) {
    const Pace pace = pace_of(config, text, std::min(1.0, minutes));
    const double steps = double(pace.steps_within(60 * minutes, config.train));
    return work_of(config) / double(config.train.steps) * steps;
}

std::optional<Pace> plan_by_time(RunConfig& config, const TokenizedText& text, double minutes) {
    if (minutes <= 0) return {};
    const Pace pace = pace_of(config, text, std::min(1.0, minutes));
    config.train.steps = pace.steps_within(60 * minutes, config.train);
    config.train.plan = text_of({{0, config.train.steps}});
    return pace;
}

bool can_forecast(const RunConfig& config, const TrainingText& text) {
    constexpr std::size_t kLeastTokens = 1000;
    return text.tokens.train.size() >= kLeastTokens && config.model.position == Position::rotary &&
           config.train.freeze.empty() && config.train.optimizer == UpdateRule::muon &&
           config.train.schedule != Schedule::cosine;
}

Expectation expectation_of(const RunConfig& config, const TrainingText& text,
                           std::optional<double> floor) {
    const auto counting = counting_curve(text.corpus, *text.tokenizer);
    const TextSize size{std::ssize(text.tokens.train), config.model.vocabulary,
                        tokens_per_character(text.tokens).train};
    const double work = work_of(config);
    const auto end_of = [&](const Recipe& recipe) {
        Forecast end = forecast(recipe, size, counting);
        end.nats = std::max(end.nats, floor.value_or(0));
        return end;
    };
    const auto with = [&](double times) {
        return end_of(suggest(size.tokens, size.vocabulary, times * work)).nats;
    };
    Expectation expectation{work, end_of(recipe_of(config)), with(10), {}};
    for (const double times : {2, 3, 5, 10, 30, 100, 1000})
        expectation.longer.emplace_back(times, with(times));
    return expectation;
}

std::string text_of(const Expectation& e, double trigram) {
    std::string text =
        say({"work: %.2g operations\nexpected: %.2f ± %.2f nats a character (trigram %.2f)",
             "计算量：%.2g 次运算\n预计：%.2f ± %.2f 奈特/字符（三元模型 %.2f）"},
            e.work, e.end.nats, e.end.error, trigram);
    text +=
        e.tenfold < e.end.nats - 0.01
            ? say({"; in ten times the time %.2f", "；时间长到十倍可到 %.2f"}, e.tenfold)
            : say({"; more text would help, not more time", "；再久也不会更好，增加文本才有用"});
    if (e.end.nats < trigram) return text;
    for (const auto& [times, nats] : e.longer)
        if (nats < trigram)
            return text + say({"\nin this time counting is better; a model would pass it in about "
                               "%g times the time",
                               "\n这点时间里，模型还比不过只靠计数；大约要 %g 倍的时间"},
                              times);
    return text + say({"\nhowever long it trains, counting is expected to stay better",
                       "\n训练再久，恐怕也比不过只靠计数"});
}

}  // namespace zhuyi
