#include "cost/bench.h"

#include <algorithm>
#include <chrono>

#include "autograd/tape.h"
#include "base/check.h"
#include "base/parallel.h"
#include "base/random.h"
#include "cost/model_size.h"
#include "generate/generate.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "system/machine.h"
#include "system/printable.h"
#include "text/corpus.h"
#include "train/config.h"
#include "train/optimizer.h"
#include "train/update.h"

namespace zhuyi {
namespace {

double now() {
    using Clock = std::chrono::steady_clock;
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

GptConfig sizes(Index context, Index vocabulary, Index layers, Index heads, Index channels) {
    GptConfig config;
    config.context = context, config.vocabulary = vocabulary, config.layers = layers;
    config.heads = heads, config.channels = channels;
    return config;
}

}  // namespace

const BenchConfig& bench_config(const std::string& name) {
    static const BenchConfig configs[] = {
        {"A",
         {"nanoGPT's recipe for a laptop", "nanoGPT 的笔记本配方"},
         sizes(64, 65, 4, 4, 128),
         12},
        {"B", {"the course's shapes", "课程里的形状"}, sizes(16, 3000, 12, 4, 512), 4},
        {"C", {"GPT-2 124M, short texts", "GPT-2 124M，短文本"}, sizes(64, 50257, 12, 12, 768), 4},
        {"E",
         {"GPT-2 124M, its whole context", "GPT-2 124M，完整上下文"},
         sizes(1024, 50257, 12, 12, 768),
         1},
        {"V",
         {"the village: the demo's shape", "小村庄：演示所用的大小"},
         sizes(128, 700, 3, 4, 96),
         8},
        {"tiny", {"for tests", "供测试用"}, sizes(8, 17, 2, 2, 16), 2, true},
    };
    std::string names;
    for (const BenchConfig& config : configs) {
        if (name == config.name) return config;
        if (!config.hidden) names += std::string(names.empty() ? "" : ", ") + config.name;
    }
    fail_usage({"bench has no configuration %s; it has %s", "bench 没有配置 %s；它有 %s"},
               in_quotes(name), names);
}

namespace {

// Adds up the laps of each step by phase and part.
class PartClock : public Stopwatch {
  public:
    void start() {
        for (BenchResult::PartTime& time : parts) time.seconds.push_back(0);
        last_ = now();
    }
    void lap(Phase phase, const char* part) override {
        auto found = std::ranges::find_if(parts, [&](const BenchResult::PartTime& time) {
            return time.phase == phase && time.part == part;
        });
        if (found == parts.end()) found = parts.insert(found, {phase, part, {0}});
        const double before = std::exchange(last_, now());
        found->seconds.back() += last_ - before;
    }
    std::vector<BenchResult::PartTime> parts;

  private:
    double last_ = 0;
};

constexpr Index kWarmUp = 2;
constexpr double kSeconds = 4, kBetweenProbes = 0.5;
constexpr Index kFewestSteps = 5, kMostSteps = 200;

void draw_evenly(List<Token>& tokens, Index vocabulary, Index step, std::uint64_t which) {
    const Random random(1337, Stream::batches, std::uint64_t(step), which);
    for (Index i = 0; i < tokens.count(); ++i) tokens[i] = Token(random.below(vocabulary, i));
}

// Trains `steps` steps, and adds what they took to `result`.
void measure_training(Gpt& model, Parameters& parameters, BenchResult& result, Index steps) {
    TrainConfig training = result.training;
    training.batch = result.config.batch;
    const Index V = result.config.model.vocabulary;
    const auto optimizer = make_optimizer(parameters.table(), training);
    Tape tape(true, training.precision);
    PartClock clock;
    tape.time(&clock);
    List<Token> ids(std::size_t(result.config.rows())), targets(ids.size());
    const Batch batch{ids, targets, training.batch};
    std::vector<double> times, peaks;
    double spent = 0, since_probe = kBetweenProbes;
    const auto enough = [&](Index done) {
        if (steps > 0) return done >= steps;
        return done >= kMostSteps || (done >= kFewestSteps && spent > kSeconds);
    };
    for (Index step = 0; !enough(std::ssize(times)); ++step) {
        draw_evenly(ids, V, step, 0), draw_evenly(targets, V, step, 1);
        const bool measured = step >= kWarmUp;
        if (step == kWarmUp) clock.parts.clear();
        if (measured && since_probe >= kBetweenProbes) peaks.push_back(fma_peak()), since_probe = 0;
        clock.start();
        StepReport report{};
        const double seconds = seconds_of([&] {
            report = update(model, parameters, *optimizer, tape, training, step,
                            [&](Index) { return batch; });
        });
        if (step == 0) result.first_loss = report.loss;
        result.last_loss = report.loss;
        if (!measured) continue;
        times.push_back(seconds), spent += seconds, since_probe += seconds;
    }
    result.steps = std::ssize(times);
    result.step_ms = 1e3 * median(times);
    result.least_ms = 1e3 * *std::min_element(times.begin(), times.end());
    result.parts = clock.parts;
    result.peak = median(peaks);
    result.bytes = resident_bytes();
    result.fingerprint = parameters.fingerprint();
}

// Lays out the weights for writing: they must not change afterwards.
GenerationSpeed generation_speed(Gpt& model, Precision precision) {
    const int threads = thread_count();
    set_thread_count(1);
    SamplerConfig greedy;
    greedy.temperature = 0;
    Continuation wish;
    wish.tokens = std::min<Index>(model.config().context - 1, 64);
    wish.end_of_text = -1;  // never drawn: every window is full
    wish.precision = precision;
    model.lay_out(precision);
    const Token start = 0;
    const auto tokens_a_second = [&](Index texts) {
        wish.texts = texts;
        std::vector<double> rates;
        double spent = 0;
        while (rates.size() < 3 || spent < 0.5) {
            const double seconds = seconds_of([&] {
                generate(model, {&start, 1}, greedy, wish, [](Index, Token, In) { return true; });
            });
            rates.push_back(double(texts * wish.tokens) / seconds), spent += seconds;
        }
        return median(rates);
    };
    const double bytes = work_per_token(model.config()).matrices *
                         (precision == Precision::bf16 ? 2 : double(sizeof(Real)));
    const double alone = tokens_a_second(1), four = tokens_a_second(4);
    const double reading = reading_rate(Index(bytes));
    set_thread_count(threads);
    return {alone, four, bytes, reading};
}

}  // namespace

double BenchResult::ms(Phase phase, std::string_view part) const {
    double sum = 0;
    for (const PartTime& time : parts)
        sum += time.phase == phase && (part.empty() || time.part == part) ? time.ms() : 0;
    return sum;
}

double BenchResult::operations() const {
    return double(config.rows()) * work_per_token(config.model).training();
}

BenchResult bench(const BenchConfig& config, const TrainConfig& training, Index steps,
                  bool only_steps) {
    Parameters parameters(parameter_table(config.model), true);
    parameters.initialise(1337);
    Gpt model(config.model, parameters);
    BenchResult result{};
    result.config = config, result.training = training;
    result.weights = count(parameters.table());
    const Rules rules = make_rules(training);
    for (const Parameter& row : parameters.table())
        if (rule_of(rules, row).name() == std::string("AdamW"))
            result.adamw_weights += row.shape.size();
    measure_training(model, parameters, result, steps);
    if (!only_steps) result.generation = generation_speed(model, training.precision);
    return result;
}

}  // namespace zhuyi
