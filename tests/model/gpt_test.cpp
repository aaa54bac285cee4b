#include "model/gpt.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/format.h"
#include "base/parallel.h"
#include "kernels/past.h"
#include "model/parameters.h"
#include "support/close.h"
#include "support/gradcheck.h"
#include "support/tiny_gpt.h"

using namespace zhuyi;

namespace {

std::vector<Real> logits_of(Gpt& model, const std::vector<Token>& ids, Index B = 1) {
    Tape tape(false);
    const In values = model.logits(tape, ids, B, {}).values();
    return {values.begin(), values.end()};
}

double loss_of(Gpt& model, const std::vector<Token>& ids, const std::vector<Token>& targets,
               Index B) {
    Tape tape(false);
    double sum = 0;
    for (double nats : model.loss(tape, ids, targets, B, {}).each_row) sum += nats;
    return sum / double(ids.size());
}

std::vector<GptConfig> variants() {
    GptConfig untied = tiny_config();
    untied.tied = false;
    std::vector<GptConfig> all{untied};
    for (const Position position : kPositions) all.emplace_back(tiny_config()).position = position;
    return all;
}

}  // namespace

// A model that knows nothing is as surprised by every token as by a fair die with V faces.
TEST_CASE("gpt: the loss of an untrained model is ln V") {
    GptConfig config = tiny_config();
    config.vocabulary = 300;
    Parameters parameters(parameter_table(config), false);
    parameters.initialise(1);
    Gpt model(config, parameters);
    const auto ids = some_tokens(64, 300, 1), targets = some_tokens(64, 300, 2);
    CHECK(close(loss_of(model, ids, targets, 8), std::log(300.0), 0, 0.02));
}

TEST_CASE("gpt: changing token t changes no bit of the scores before t, and some after it") {
    for (const GptConfig& config : variants()) {
        TinyGpt gpt(config);
        std::vector<Token> ids = some_tokens(8, 17);
        const std::vector<Real> before = logits_of(gpt.model, ids);
        for (std::size_t t = 0; t < ids.size(); ++t) {
            std::vector<Token> changed = ids;
            changed[t] = (changed[t] + 1) % 17;
            const std::vector<Real> after = logits_of(gpt.model, changed);
            const std::size_t border = t * 17;
            CHECK(
                std::equal(before.begin(), before.begin() + std::ptrdiff_t(border), after.begin()));
            for (std::size_t s = t; s < ids.size(); ++s)
                CHECK_FALSE(std::equal(before.begin() + std::ptrdiff_t(s * 17),
                                       before.begin() + std::ptrdiff_t(s * 17 + 17),
                                       after.begin() + std::ptrdiff_t(s * 17)));
        }
    }
}

TEST_CASE("gpt: without positions one block cannot tell the order of what came before") {
    for (const Position position : kPositions) {
        CAPTURE(encoding_of(position).name);
        GptConfig config = tiny_config();
        config.layers = 1, config.position = position;
        TinyGpt gpt(config);
        const std::vector<Real> one = logits_of(gpt.model, {3, 5, 7, 9});
        const std::vector<Real> other = logits_of(gpt.model, {5, 7, 3, 9});
        double moved = 0;  // of the scores after the last token
        for (std::size_t i = 3 * 17; i < 4 * 17; ++i)
            moved = std::max(moved, std::abs(double(one[i]) - double(other[i])));
        CHECK((moved < 1e-5) == (position == Position::none));
    }
}

TEST_CASE("gpt: texts of a batch do not see each other") {
    TinyGpt gpt;
    const auto first = some_tokens(8, 17, 1), second = some_tokens(8, 17, 2);
    std::vector<Token> both = first;
    both.insert(both.end(), second.begin(), second.end());
    const auto together = logits_of(gpt.model, both, 2);
    const auto alone = logits_of(gpt.model, second);
    CHECK(std::equal(alone.begin(), alone.end(), together.begin() + 8 * 17));
}

TEST_CASE("gpt: reading token by token with a past gives the bits of reading at once") {
    for (const GptConfig& config : variants()) {
        TinyGpt gpt(config);
        const auto ids = some_tokens(8, 17);
        const auto at_once = logits_of(gpt.model, ids);
        for (std::size_t piece : {1u, 3u}) {
            Past past = gpt.model.past(1);
            Pass pass;
            pass.past = &past;
            std::vector<Real> pieced;
            for (std::size_t t = 0; t < ids.size(); t += piece) {
                Tape tape(false);
                const std::size_t n = std::min(piece, ids.size() - t);
                const In scores =
                    gpt.model.logits(tape, std::span(ids).subspan(t, n), 1, pass).values();
                pieced.insert(pieced.end(), scores.begin(), scores.end());
            }
            CHECK(pieced == at_once);
        }
    }
}

TEST_CASE("gpt: the last positions alone have the scores they have among all") {
    for (const GptConfig& config : variants()) {
        TinyGpt gpt(config);
        const auto ids = some_tokens(12, 17);  // B = 2, T = 6
        Tape all(false), last(false);
        Pass pass;
        const Tensor scores = gpt.model.logits(all, ids, 2, pass);
        pass.last_only = true;
        const Tensor ends = gpt.model.logits(last, ids, 2, pass);
        REQUIRE(ends.shape == Shape{2, 1, 17});
        for (const std::size_t b : {0u, 1u})
            CHECK(std::ranges::equal(ends.values().subspan(b * 17, 17),
                                     scores.values().subspan((b * 6 + 5) * 17, 17)));
    }
}

TEST_CASE("gpt: every gradient of the whole model, against central differences") {
    if constexpr (!kDouble) return;
    for (const GptConfig& config : variants()) {
        TinyGpt gpt(config);
        const auto ids = some_tokens(12, 17, 3), targets = some_tokens(12, 17, 4);
        Tape tape(true);
        tape.backward(gpt.model.loss(tape, ids, targets, 2, {}).mean);
        for (const Parameter& p : gpt.parameters.table()) {
            const Out values = gpt.parameters.value(p);
            double worst = 0;
            std::string where;
            for (std::size_t i = 0; i < values.size(); ++i) {
                if (p.kind == Kind::position_embedding && i >= 6 * 12)
                    continue;  // positions never read
                const Real kept = values[i];
                values[i] = Real(kept + 1e-5);
                const double above = loss_of(gpt.model, ids, targets, 2);
                values[i] = Real(kept - 1e-5);
                const double below = loss_of(gpt.model, ids, targets, 2);
                values[i] = kept;
                const double numeric = (above - below) / 2e-5, analytic = gpt.parameters.grad(p)[i];
                if (std::abs(numeric - analytic) <= worst) continue;
                worst = std::abs(numeric - analytic);
                where = format("%s[%zu]: analytic %.9g, numeric %.9g", p.name.c_str(), i, analytic,
                               numeric);
            }
            INFO(where);
            CHECK(worst < 1e-8);
        }
    }
}

TEST_CASE("gpt: positions never read have no gradient") {
    TinyGpt gpt;
    const auto ids = some_tokens(6, 17, 3), targets = some_tokens(6, 17, 4);
    std::fill(gpt.parameters.grads().begin(), gpt.parameters.grads().end(), Real(1000));
    Tape tape(true);
    tape.backward(gpt.model.loss(tape, ids, targets, 2, {}).mean);  // T = 3 of 8
    const Parameter& p = gpt.parameters.table()[1];
    REQUIRE(p.name == "embedding.position");
    for (std::size_t i = 3 * 12; i < 8 * 12; ++i) CHECK(gpt.parameters.grad(p)[i] == 0);
}

TEST_CASE("gpt: dropout acts in training only, depends on the step, and not on threads") {
    GptConfig config = tiny_config();
    config.dropout = 0.5;
    TinyGpt gpt(config);
    const auto ids = some_tokens(16, 17);
    const auto run = [&](bool training, Index step, int threads) {
        set_thread_count(threads);
        Tape tape(false);
        tape.dropouts() = {7, Stream::dropout, std::uint64_t(step)};
        const In values = gpt.model.logits(tape, ids, 2, {.training = training}).values();
        set_thread_count(0);
        return std::vector<Real>(values.begin(), values.end());
    };
    CHECK(run(false, 1, 1) == run(false, 2, 1));
    CHECK(run(true, 1, 1) == run(true, 1, 4));
    CHECK(run(true, 1, 1) != run(true, 2, 1));
    CHECK(run(true, 1, 1) != run(false, 1, 1));
}
