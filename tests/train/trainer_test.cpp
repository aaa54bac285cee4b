#include "train/trainer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <limits>
#include <new>

#include "autograd/tape.h"
#include "base/check.h"
#include "base/format.h"
#include "model/parameters.h"
#include "support/close.h"
#include "support/scratch.h"
#include "support/tiny_gpt.h"
#include "system/machine.h"
#include "train/evaluate.h"
#include "train/optimizer.h"
#include "train/post_mortem.h"

using namespace zhuyi;

namespace {

TrainConfig quick(Index steps) {
    TrainConfig config;
    config.batch = 4, config.steps = steps, config.warmup = 3;
    config.learning_rate = 1e-2, config.eval_every = 5, config.accumulate = 2;
    return config;
}

GptConfig dropping() {
    GptConfig config = tiny_config();
    config.dropout = 0.2;
    return config;
}

// A training from the beginning, or from the last checkpoint in its folder.
struct Training {
    Parameters parameters;
    Gpt model;
    std::unique_ptr<Optimizer> optimizer;
    Trainer trainer;
    MetricsLog metrics;
    Interrupt interrupt;

    Training(const ScratchFolder& folder, const TrainConfig& config, const std::vector<Token>& text,
             bool resume = false, std::uint64_t hash = 1)
        : parameters(parameter_table(dropping()), true),
          model(dropping(), parameters),
          optimizer(make_optimizer(parameters.table(), config)),
          trainer(model, parameters, *optimizer, config,
                  {std::span(text).first(200), std::span(text).subspan(200), hash},
                  {folder.path()}),
          metrics(folder.path("metrics.csv"), parameters) {
        trainer.listen(metrics);
        parameters.initialise(1);
        if (resume) trainer.resume();
    }
    void run() { trainer.run(interrupt); }
};

struct StopAt : Listener {
    Index step;
    explicit StopAt(Index s) : step(s) {}
    const char* name() const override { return "stop"; }
    void step_done(const StepReport& report) override {
        if (report.step == step) std::raise(SIGINT);  // as Ctrl-C would
    }
};

}  // namespace

TEST_CASE("trainer: interrupted and resumed gives the bytes of an uninterrupted run") {
    const auto text = some_tokens(260, 17);
    const ScratchFolder whole, parts;
    Training(whole, quick(20), text).run();
    for (Index stop : {7, 13}) {
        Training training(parts, quick(20), text, stop != 7);
        StopAt stopper(stop);
        training.trainer.listen(stopper);
        training.run();
        CHECK(training.trainer.progress().step == stop);
    }
    Training(parts, quick(20), text, true).run();
    for (const char* file :
         {"metrics.csv", "best.safetensors", "last.safetensors", "first.safetensors"}) {
        INFO(file);
        CHECK((whole.read(file).size() > 100));
        if (std::string(file) == "metrics.csv") CHECK(whole.read(file) == parts.read(file));
    }
    Training a(whole, quick(20), text, true), b(parts, quick(20), text, true);
    CHECK(a.parameters.fingerprint() == b.parameters.fingerprint());
}

// The save at step 19, which the interrupt asked for, once became the previous checkpoint.
TEST_CASE("trainer: interrupted just before the end, the previous checkpoint is the same too") {
    const auto text = some_tokens(260, 17);
    const ScratchFolder whole, parts;
    Training(whole, quick(20), text).run();
    Training training(parts, quick(20), text);
    StopAt stopper(19);
    training.trainer.listen(stopper);
    training.run();
    Training(parts, quick(20), text, true).run();
    for (const char* file : {"previous.safetensors", "last.safetensors"})
        CHECK((whole.read(file) == parts.read(file)));
}

TEST_CASE("trainer: rows written after the last checkpoint are cut off on resume") {
    const auto text = some_tokens(260, 17);
    const ScratchFolder folder;
    Training(folder, quick(10), text).run();
    const std::string rows = folder.read("metrics.csv");
    folder.write("metrics.csv", rows + "11,0.5,0.1,1,,,\n12,torn r");
    Training(folder, quick(10), text, true);
    CHECK(folder.read("metrics.csv") == rows);
}

TEST_CASE("metrics: the last row has the loss on whole documents, and only that one") {
    const auto text = some_tokens(260, 17);
    const ScratchFolder folder;
    Training training(folder, quick(10), text);
    training.run();
    Tape tape(false);
    const Evaluation documents =
        evaluate_documents(training.model, tape, std::span(text).subspan(200), 0, 4);
    const std::string rows = folder.read("metrics.csv");
    const std::size_t last = rows.rfind('\n', rows.size() - 2);
    CHECK(rows.ends_with("," + number_text(documents.loss()) + "\n"));
    CHECK(rows[last - 1] == ',');
    CHECK(std::count(rows.begin(), rows.end(), '\n') == 12);  // names, step 0, ten steps
}

TEST_CASE("metrics: rows are verified: none is missing, none stands twice, none is half") {
    const std::string earlier = "step,loss,learning_rate,gradient_norm,validation_loss,fingerprint";
    const std::string head = earlier + ",document_loss\n", zero = "0,,,,5.6,0123456789abcdef,\n",
                      one = "1,5.6,0.1,2,,,\n", two = "2,5,0.1,2,4.5,0123456789abcdef,4.2\n";
    CHECK(verify_metrics(head + zero + one + two, "m") == 2);
    CHECK(verify_metrics(head, "m") == -1);
    const auto refused = [](const std::string& csv, const char* words) {
        CHECK_THROWS_WITH_AS(verify_metrics(csv, "m"), doctest::Contains(words), Error);
    };
    refused(zero, "m:1: expected the names of the columns");
    refused(earlier + "\n0,,,,5.6,0123456789abcdef\n", "m:1: expected the names of the columns");
    refused(head + zero + two, "m:3: expected a whole row of step 1");
    refused(head + zero + one + one, "m:4: expected a whole row of step 2");
    refused(head + zero + one + "2,5,0.1", "m:4: expected a whole row of step 2");
    refused(head + zero + "1,5.6,nan,2,,,\n", "m:3: ");
    refused(head + zero + "1,5.6,0.1,2,4.5,,\n", "m:3: ");
    refused(head + zero + "1,5.6,0.1,2,,,4.2\n", "m:3: ");
    refused(head + zero + "1,5.6,0.1,2,,,,\n", "m:3: ");
    CHECK(verify_metrics(head + two, "m") == 2);  // a file that was lost began again at step 2
    refused(head + two + one, "m:3: expected a whole row of step 3");
}

TEST_CASE("trainer: another text is refused on resume") {
    const auto text = some_tokens(260, 17);
    const ScratchFolder folder;
    Training(folder, quick(5), text).run();
    CHECK_THROWS_WITH_AS(Training(folder, quick(5), text, true, 2), doctest::Contains("text"),
                         Error);
}

namespace {

// Counts what it hears; from step `overflow` on it makes a number of a tensor infinite.
struct Ear : Listener, Watcher {
    Index overflow = 1000;
    std::vector<Index> watched, passes, values;  // of each step
    const char* name() const override { return "ear"; }
    Watcher* watch(Index step) override {
        watched.push_back(step), passes.push_back(0), values.push_back(0);
        return this;
    }
    void drawn(const Batch& batch) override {
        CHECK(batch.ids.size() == 4 * 8);
        ++passes.back();
    }
    bool wants(std::string_view tensor) const override { return tensor == "final_norm"; }
    void replace(std::string_view, const Tensor& x) override {
        if (watched.back() >= overflow) x.value[0] = std::numeric_limits<Real>::infinity();
    }
    void value(std::string_view, const Tensor&) override { ++values.back(); }
};

}  // namespace

TEST_CASE(
    "trainer: listeners hear of every pass once, all may watch, and a step made again is not "
    "heard") {
    const auto text = some_tokens(260, 17);
    const ScratchFolder folder;
    Training training(folder, quick(5), text);
    Ear ear, other;
    other.overflow = 3;
    training.trainer.listen(ear), training.trainer.listen(other);
    CHECK_THROWS_WITH_AS(training.run(), doctest::Contains("step 3"), NotFinite);
    for (const Ear* each : {&ear, &other}) {
        CHECK(each->watched == std::vector<Index>{1, 2, 3});
        CHECK(each->passes == std::vector<Index>{2, 2, 2});  // of quick's two passes a step
        CHECK(each->values == std::vector<Index>{2, 2, 2});
    }
}

TEST_CASE("trainer: weights that are no numbers are never saved") {
    const auto text = some_tokens(260, 17);
    const ScratchFolder folder;
    Training training(folder, quick(5), text);
    const Tensor gamma = training.parameters.tensor("block.1.norm_2.gamma");
    gamma.value[3] = std::numeric_limits<Real>::quiet_NaN();
    CHECK_THROWS_WITH_AS(training.run(), doctest::Contains("nan in block.1.norm_2.gamma"),
                         NotFinite);
    CHECK(folder.read("first.safetensors") == "");
}

TEST_CASE("trainer: learns one batch by heart") {
    GptConfig config = tiny_config();
    Parameters parameters(parameter_table(config), true);
    Gpt model(config, parameters);
    parameters.initialise(1);
    const ScratchFolder folder;
    const auto text = some_tokens(9, 17);  // one window: every batch is the same
    TrainConfig train;
    train.batch = 1, train.steps = 150, train.warmup = 5, train.learning_rate = 2e-2;
    train.weight_decay = 0, train.eval_every = 1000;
    const auto optimizer = make_optimizer(parameters.table(), train);
    Trainer trainer(model, parameters, *optimizer, train, {text, text, 1}, {folder.path()});
    trainer.run(Interrupt());
    Tape tape(false);
    CHECK(evaluate(model, tape, text, 1).loss() < 0.05);
}

TEST_CASE("evaluate: every token but the first is predicted once, whatever the batch") {
    TinyGpt gpt;
    Tape tape(false);
    for (Index tokens : {2, 8, 9, 17, 40, 61}) {
        const auto text = some_tokens(tokens, 17);
        const Evaluation one = evaluate(gpt.model, tape, text, 1),
                         four = evaluate(gpt.model, tape, text, 4);
        CHECK(one.predictions == tokens - 1);
        CHECK(one.nats == four.nats);
        CHECK(one.nats > 0);
    }
}
