// After the first step a training step asks the system for no memory: everything it needs lies
// where the step before left it. Counted over the trainer's own steps, with everything on that
// could want more: dropout, several passes a step, a head that is the embedding, and one that is
// not.
#include "model/parameters.h"
#include "support/allocations.h"
#include "system/machine.h"
#include "train/optimizer.h"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "base/parallel.h"
#include "support/scratch.h"
#include "support/tiny_gpt.h"
#include "train/trainer.h"

using namespace zhuyi;

namespace {

struct AllocationsAtStep : Listener {
    std::vector<long> counts = std::vector<long>(16);  // index: step
    const char* name() const override { return "allocations"; }
    void step_done(const StepReport& report) override {
        counts[std::size_t(report.step)] = allocations();
    }
};

std::vector<long> counts_of_training(bool tied, Precision precision) {
    GptConfig shape = tiny_config();
    shape.dropout = 0.2, shape.tied = tied;
    Parameters parameters(parameter_table(shape), true);
    Gpt model(shape, parameters);
    parameters.initialise(1);
    TrainConfig config;
    config.batch = 4, config.accumulate = 3, config.steps = 8, config.eval_every = 8;
    config.warmup = 2, config.precision = precision;
    const ScratchFolder folder;
    const auto text = some_tokens(260, 17);
    // Which thread of a team first takes a task is chance, and its own scratch memory comes with
    // that.
    set_thread_count(1);
    const auto optimizer = make_optimizer(parameters.table(), config);
    Trainer trainer(model, parameters, *optimizer, config,
                    {std::span(text).first(200), std::span(text).subspan(200), 1}, {folder.path()});
    AllocationsAtStep listener;
    trainer.listen(listener);
    trainer.run(Interrupt());
    set_thread_count(0);
    return listener.counts;
}

}  // namespace

TEST_CASE("allocations: the counter sees new and the arena's memory") {
    if (!counts_allocations()) return;  // the allocator is not ours
    long before = allocations();
    auto number = std::make_unique<int>(1);
    CHECK(allocations() == before + 1);
    before = allocations();
    Arena arena;
    arena.allocate(100);
    CHECK(allocations() > before);
    CHECK(*number == 1);
}

TEST_CASE("trainer: a step after the first allocates nothing") {
    if (!counts_allocations()) {
        MESSAGE("not counted: the allocator is the sanitizer's, or the system's");
        return;
    }
    for (const bool tied : {true, false}) {
        CAPTURE(tied);
        const std::vector<long> counts = counts_of_training(tied, Precision::fp32);
        for (std::size_t step = 5; step <= 8; ++step) {  // an evaluation comes after step 3
            CAPTURE(step);
            CHECK(counts[step] == counts[4]);
        }
        CHECK(counts[3] == counts[2]);
    }
}

TEST_CASE("trainer: nor does a step with rounded factors (bf16)") {
    if (!counts_allocations()) return;  // said above
    const std::vector<long> counts = counts_of_training(true, Precision::bf16);
    CHECK(counts[8] == counts[4]);
    CHECK(counts[4] > 0);
}
