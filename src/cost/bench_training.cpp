#include "cost/bench.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "autograd/tape.h"
#include "base/check.h"
#include "base/parallel.h"
#include "base/random.h"
#include "cost/model_size.h"
#include "generate/generate.h"
#include "model/gpt.h"
#include "model/parameters.h"
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

// Bytes of this process in memory; if the system does not say, the largest number it ever had.
double resident_bytes() {
    std::ifstream statistics("/proc/self/statm");
    double all = 0, resident = 0;
    if (statistics >> all >> resident) return resident * double(sysconf(_SC_PAGESIZE));
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
#if defined(__APPLE__)
    return double(usage.ru_maxrss);
#else
    return double(usage.ru_maxrss) * 1024;
#endif
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

struct BenchModel {
    Parameters parameters;
    Gpt gpt;

    explicit BenchModel(const GptConfig& config)
        : parameters(parameter_table(config), true), gpt(config, parameters) {
        parameters.initialise(1337);
    }
};

// Adds up the laps of each step by phase and part, and gives the median of the steps.
class PartClock : public Stopwatch {
  public:
    void start() {
        for (Part& part : parts_) part.seconds.push_back(0);
        last_ = now();
    }
    void lap(Phase phase, const char* name) override {
        const double time = now();
        part(phase, name).seconds.back() += time - last_;
        last_ = time;
    }
    void forget() { parts_.clear(); }

    std::vector<TrainingSpeed::PartTime> medians() const {
        std::vector<TrainingSpeed::PartTime> times;
        for (const Part& p : parts_) times.push_back({p.phase, p.name, 1e3 * median(p.seconds)});
        return times;
    }

  private:
    struct Part {
        Phase phase;
        std::string name;
        std::vector<double> seconds;  // one a step
    };
    Part& part(Phase phase, const char* name) {
        for (Part& p : parts_)
            if (p.phase == phase && p.name == name) return p;
        return parts_.emplace_back(Part{phase, name, {0}});
    }
    std::vector<Part> parts_;
    double last_ = 0;
};

constexpr Index kWarmUp = 2;
constexpr double kSeconds = 4, kBetweenProbes = 0.5;
constexpr Index kFewestSteps = 5, kMostSteps = 200;

void draw_evenly(std::span<Token> tokens, Index vocabulary, Index step, std::uint64_t which) {
    const Random random(1337, Stream::batches, std::uint64_t(step), which);
    for (Index i = 0; i < std::ssize(tokens); ++i)
        tokens[std::size_t(i)] = Token(random.below(vocabulary, i));
}

TrainingSpeed training_speed(BenchModel& model, const BenchConfig& config, TrainConfig training,
                             Index steps) {
    training.batch = config.batch;
    const Index V = config.model.vocabulary;
    const auto optimizer = make_optimizer(model.parameters.table(), training);
    Tape tape(true, training.precision);
    PartClock clock;
    tape.time(&clock);
    std::vector<Token> ids(std::size_t(config.rows())), targets(ids.size());
    const Batch batch{ids, targets, config.batch};
    std::vector<double> times, peaks;
    TrainingSpeed speed{};
    double spent = 0, since_probe = kBetweenProbes;
    const auto enough = [&](Index done) {
        if (steps > 0) return done >= steps;
        return done >= kMostSteps || (done >= kFewestSteps && spent > kSeconds);
    };
    for (Index step = 0; !enough(std::ssize(times)); ++step) {
        draw_evenly(ids, V, step, 0), draw_evenly(targets, V, step, 1);
        const bool measured = step >= kWarmUp;
        if (step == kWarmUp) clock.forget();
        if (measured && since_probe >= kBetweenProbes) peaks.push_back(fma_peak()), since_probe = 0;
        clock.start();
        StepReport report{};
        const double seconds = seconds_of([&] {
            report = update(model.gpt, model.parameters, *optimizer, tape, training, step,
                            [&](Index) { return batch; });
        });
        if (step == 0) speed.first_loss = report.loss;
        speed.last_loss = report.loss;
        if (!measured) continue;
        times.push_back(seconds), spent += seconds, since_probe += seconds;
    }
    speed.steps = std::ssize(times);
    speed.step_ms = 1e3 * median(times);
    speed.least_ms = 1e3 * *std::min_element(times.begin(), times.end());
    speed.parts = clock.medians();
    speed.peak = median(peaks);
    speed.bytes = resident_bytes();
    speed.fingerprint = model.parameters.fingerprint();
    return speed;
}

// Lays out the weights for writing: they must not change afterwards.
GenerationSpeed generation_speed(BenchModel& model, Precision precision) {
    struct OneThread {
        int before = thread_count();
        OneThread() { set_thread_count(1); }
        ~OneThread() { set_thread_count(before); }
    } const one_thread;
    SamplerConfig greedy;
    greedy.temperature = 0;
    Continuation wish;
    wish.tokens = std::min<Index>(model.gpt.config().context - 1, 64);
    wish.end_of_text = -1;  // never drawn: every window is full
    wish.precision = precision;
    model.gpt.lay_out(precision);
    const Token start = 0;
    const auto tokens_a_second = [&](Index texts) {
        wish.texts = texts;
        std::vector<double> rates;
        double spent = 0;
        while (rates.size() < 3 || spent < 0.5) {
            const double seconds = seconds_of([&] {
                generate(model.gpt, {&start, 1}, greedy, wish, [](const Drawn&) { return true; });
            });
            rates.push_back(double(texts * wish.tokens) / seconds), spent += seconds;
        }
        return median(rates);
    };
    const double bytes = work_per_token(model.gpt.config()).matrices *
                         (precision == Precision::bf16 ? 2 : double(sizeof(Real)));
    const double alone = tokens_a_second(1);
    return {alone, tokens_a_second(4), bytes, reading_rate(Index(bytes))};
}

}  // namespace

double TrainingSpeed::ms(Phase phase, std::string_view part) const {
    double sum = 0;
    for (const TrainingSpeed::PartTime& time : parts)
        sum += time.phase == phase && (part.empty() || time.part == part) ? time.ms : 0;
    return sum;
}

double BenchResult::operations() const {
    return double(config.rows()) * work_per_token(config.model).training();
}

BenchResult bench(const BenchConfig& config, const TrainConfig& training, Index steps,
                  bool only_steps) {
    BenchModel model(config.model);
    const std::vector<Parameter>& table = model.parameters.table();
    Index adamw_weights = 0;
    const Rules rules = make_rules(training);
    for (const Parameter& row : table)
        if (rule_of(rules, row).name() == std::string("AdamW")) adamw_weights += row.shape.size();
    const TrainingSpeed speed = training_speed(model, config, training, steps);
    BenchResult result{config, count(table), adamw_weights, training.optimizer, {}, speed, {}};
    if (only_steps) return result;
    result.products = product_speeds(config.model, config.rows(), training.precision);
    result.generation = generation_speed(model, training.precision);
    return result;
}

}  // namespace zhuyi
