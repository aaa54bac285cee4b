#include "run/expectation.h"

#include <algorithm>

#include "autograd/tape.h"
#include "base/format.h"
#include "cost/plan.h"
#include "formats/json.h"
#include "formats/sheet.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "system/terminal.h"
#include "text/tokenized.h"
#include "train/evaluate.h"
#include "train/optimizer.h"
#include "train/update.h"

namespace zhuyi {
static Recipe recipe_of(const RunConfig& config) {
    const GptConfig& m = config.model;
    const TrainConfig& t = config.train;
    Recipe recipe{m.channels, m.layers, m.context, t.batch * t.accumulate, t.steps};
    recipe.tied = m.tied;
    recipe.shuffled = t.order == WindowOrder::shuffled;
    recipe.beta2 = t.beta2;
    return recipe;
}

double work_of(const RunConfig& config) {
    return operations_of(recipe_of(config), config.model.vocabulary);
}

double work_within(double minutes, const RunConfig& config, const TokenizedText& text) {
    const Pace pace = pace_of(config, text, std::min(1.0, minutes));
    const double steps = double(pace.steps_within(60 * minutes, config.train));
    return work_of(config) / double(config.train.steps) * steps;
}

void plan_within(RunConfig& config, const Pace& pace, double seconds,
                 std::chrono::steady_clock::time_point begun) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun;
    const double left = std::max(seconds - spent.count(), seconds / 2);
    config.train.steps = pace.steps_within(left, config.train);
    config.train.plan = text_of({{0, config.train.steps}});
}

std::optional<Pace> plan_by_time(RunConfig& config, const TokenizedText& text, double minutes) {
    if (minutes <= 0) return {};
    const Pace pace = pace_of(config, text, std::min(1.0, minutes));
    plan_within(config, pace, 60 * minutes, std::chrono::steady_clock::now());
    return pace;
}

bool can_forecast(const RunConfig& config, const TrainingText& text) {
    constexpr std::size_t kLeastTokens = 1000;
    return text.tokens.train.size() >= kLeastTokens && config.model.position == Position::rotary &&
           config.train.freeze.empty() && config.train.optimizer == UpdateRule::muon &&
           config.train.schedule != Schedule::cosine;
}

// A document that stands there twice is learnt by heart twice as soon, so it counts once.
static TextSize size_of(const Corpus& corpus, const TokenizedText& text, Index vocabulary) {
    return {Index(double(text.train.size()) * corpus.new_share()), vocabulary,
            tokens_per_character(text).train};
}

std::optional<Pilot> learnt_by_pilot(const TokenizedText& text, const Tokenizer& tokenizer) {
    if (!long_enough_for_pilot(std::ssize(text.train)) || text.validation.size() < 2) return {};
    RunConfig config;
    Options options;
    declare(options, config);
    for (const OptionValues& values : {model_options(kPilot), training_options(kPilot)})
        for (const auto& [name, value] : values) options.set(name, text_of(value), "the pilot");
    config.model.vocabulary = tokenizer.size();

    Parameters parameters(parameter_table(config.model), true);
    parameters.initialise(std::uint64_t(config.train.seed));
    const auto optimizer = make_optimizer(parameters.table(), config.train);
    Gpt model(config.model, parameters);
    Batches batches(text.train, config.train, config.model.context);
    Tape tape(true, config.train.precision);
    Tape reading(false, config.train.precision);
    // As much as the training's own last evaluation reads: a smaller part may be an easier one.
    const auto part = first_documents(text.validation, tokenizer.end_of_text(), kLastEvaluation);
    const auto loss = [&] {
        return evaluate(model, reading, part, config.train.batch).loss() *
               tokens_per_character(text).validation;
    };
    double halfway = 0;
    for (Index step = 0; step < config.train.steps; ++step) {
        if (2 * step == config.train.steps) halfway = loss();
        const StepReport report =
            compute_gradients(model, parameters, tape, config.train, step, batches.of_step(step));
        if (!finite(report)) return {};
        apply_gradients(parameters, *optimizer, tape, config.train, report);
    }
    return Pilot{halfway, loss()};
}

std::optional<Pilot> pilot_of(const RunConfig& config, const TrainingText& text) {
    const TextSize size = size_of(text.corpus, text.tokens, config.model.vocabulary);
    if (!can_forecast(config, text) || !worth_a_pilot(recipe_of(config), size)) return {};
    tell(say({"first a small model learns the text for %td steps, to say what this training will "
              "reach\n",
              "先让一个小模型学 %td 步，好预计这次训练的结果\n"},
             kPilot.steps));
    return learnt_by_pilot(text.tokens, *text.tokenizer);
}

Expectation expectation_of(const RunConfig& config, const TrainingText& text,
                           std::optional<double> floor, std::optional<Pilot> pilot) {
    const auto counting = counting_curve(text.tokens, *text.tokenizer);
    const TextSize size = size_of(text.corpus, text.tokens, config.model.vocabulary);
    const double work = work_of(config);
    const auto end_of = [&](const Recipe& recipe) {
        Forecast end = forecast(recipe, size, counting, pilot);
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

// What programs read of a text: what counting reaches, and the options of the usual recipe.
static void add_for_programs(Sheet& sheet, const std::vector<CountedTokens>& counting,
                             const Recipe& usual) {
    Sheet::Table& curve =
        sheet.records("counting", {{"tokens"}, {"unigram"}, {"bigram"}, {"trigram"}});
    curve.reader = Sheet::Reader::program;
    for (const auto& [counted, losses] : counting)
        curve.record({Cell::count(counted), losses.unigram, losses.bigram, losses.trigram});
    for (const OptionValues& values : {model_options(usual), training_options(usual)})
        for (const auto& [option, value] : values)
            sheet.set(std::string("suggested_model.") + option,
                      std::visit([](auto v) { return Json(v); }, value));
}

void add_recipes(Sheet& sheet, const Corpus& corpus, TextOptions options, bool tokens_given) {
    const auto tokenizer =
        tokens_given ? make_tokenizer(corpus, options) : suggest_tokens(corpus, options);
    const Index V = tokenizer->size();
    const TokenizedText text = tokenize(corpus, *tokenizer);
    const TextSize size = size_of(corpus, text, V);
    const auto pilot = learnt_by_pilot(text, *tokenizer);
    if (pilot) sheet.set("pilot", pilot->end), sheet.set("pilot_halfway", pilot->halfway);
    const auto counting = counting_curve(text, *tokenizer);

    Sheet::Table& table = sheet.records("recipes", {{"minutes", {"minutes", "分钟"}},
                                                    {"operations", {"operations", "运算次数"}},
                                                    {"tokenizer", "tokenizer"},
                                                    {"vocabulary", {"vocabulary", "词表大小"}},
                                                    {"min_count", "min_count"},
                                                    {"channels", "channels"},
                                                    {"layers", "layers"},
                                                    {"context", "context"},
                                                    {"batch", "batch"},
                                                    {"steps", "steps"},
                                                    {"learning_rate", "learning_rate"},
                                                    {"dropout", "dropout"},
                                                    {"expected", {"expected", "预计"}},
                                                    {"error", "±"}});
    for (const double minutes : {1, 10, 60}) {
        const double operations = 60 * minutes * kUsualPace;
        const Recipe r = suggest(size.tokens, V, operations);
        const Forecast end = forecast(r, size, counting, pilot);
        table.record({Cell::count(Index(minutes)),
                      {operations_of(r, V), format("%.1e", operations_of(r, V))},
                      {options.tokenizer == TokenizerKind::bpe ? "bpe" : "characters"},
                      Cell::count(V),
                      Cell::count(options.min_count),
                      Cell::count(r.channels),
                      Cell::count(r.layers),
                      Cell::count(r.context),
                      Cell::count(r.batch),
                      Cell::count(r.steps),
                      {r.learning_rate, format("%g", r.learning_rate)},
                      {r.dropout, format("%g", r.dropout)},
                      Cell::fixed(end.nats, 2),
                      Cell::fixed(end.error, 2)});
    }
    sheet.text(
        {"what `zhuyi train` would choose, and the loss it would reach, nats a character, at "
         "%.0e operations a second",
         "`zhuyi train` 会这样选；预计达到的损失，奈特/字符（按每秒 %.0e 次运算）"},
        kUsualPace);
    add_for_programs(sheet, counting, suggest(size.tokens, V, kUsualOperations));
}

}  // namespace zhuyi
