#include "train/post_mortem.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "autograd/tape.h"
#include "model/parameters.h"
#include "support/tiny_gpt.h"
#include "train/checkpoint.h"
#include "train/config.h"

using namespace zhuyi;

namespace {

constexpr Real kInfinite = std::numeric_limits<Real>::infinity();

// Makes the first number of a tensor, or of its gradient, infinite in the second pass.
struct Poison : Watcher {
    std::string tensor;
    bool of_gradient;
    int passes = 0;
    Poison(std::string name, bool gradient) : tensor(std::move(name)), of_gradient(gradient) {}
    bool wants(std::string_view name) const override { return name == tensor; }
    void replace(std::string_view, const Tensor& x) override {
        if (++passes == 2 && !of_gradient) x.value[x.size() - 1] = kInfinite;
    }
    void replace_gradient(std::string_view, Out gradient) override {
        if (passes == 2 && of_gradient) gradient[0] = kInfinite;
    }
};

struct Patient {
    TinyGpt gpt;
    Tape tape{true};
    TrainConfig config;
    std::vector<Token> ids = some_tokens(16, 17, 1), targets = some_tokens(16, 17, 2);
    Patient() { config.accumulate = 2; }
    DrawBatch batch() const {
        return [this](Index) -> Batch { return {ids, targets, 2}; };
    }
    PostMortem examine() {
        return post_mortem(gpt.model, gpt.parameters, tape, config, 6, batch());
    }
};

}  // namespace

TEST_CASE("post-mortem: names the tensor, its op and the token of the row") {
    Patient patient;
    Poison poison("block.1.ffn.gelu", false);
    const Watching watching(patient.tape, poison);
    const PostMortem found = patient.examine();
    REQUIRE(found.culprit);
    const Culprit& c = *found.culprit;
    CHECK(c.kind == Culprit::Kind::activation);
    CHECK(c.tensor == "block.1.ffn.gelu");
    CHECK(c.op == "gelu");
    CHECK(c.shape == Shape{2, 8, 20});
    CHECK(c.element == 2 * 8 * 20 - 1);
    CHECK(c.value == double(kInfinite));
    CHECK(c.token == patient.ids[15]);
    CHECK(c.text == 1);
    CHECK(c.position == 7);
    CHECK(c.before == "block.1.ffn.hidden");
    CHECK(c.largest > 0);
    CHECK(found.step.step == 7);
}

TEST_CASE("post-mortem: a gradient that overflows on the way back") {
    Patient patient;
    Poison poison("block.0.residual.1", true);
    const Watching watching(patient.tape, poison);
    const PostMortem found = patient.examine();
    REQUIRE(found.culprit);
    CHECK(found.culprit->kind == Culprit::Kind::gradient);
    CHECK(found.culprit->tensor == "block.0.residual.1");
    CHECK(found.culprit->token == patient.ids[0]);
    CHECK_FALSE(std::isfinite(found.step.gradient_norm));
    CHECK(std::isfinite(found.step.loss));
}

TEST_CASE("post-mortem: a weight that was no number before the step began") {
    Patient patient;
    const Tensor E = patient.gpt.parameters.tensor("embedding.token");
    E.value[5 * 12 + 4] = std::numeric_limits<Real>::quiet_NaN();
    const PostMortem found = patient.examine();
    REQUIRE(found.culprit);
    CHECK(found.culprit->kind == Culprit::Kind::weights);
    CHECK(found.culprit->tensor == "embedding.token");
    CHECK(found.culprit->token == 5);
    CHECK(found.culprit->op == "");
    CHECK_THROWS_WITH_AS(
        check_finite(patient.gpt.parameters, 6, 4),
        "step 6: the weights hold nan in embedding.token, so nothing more was done "
        "or saved. The checkpoint of step 4 is good.",
        NotFinite);
}

TEST_CASE("post-mortem: where all is well nothing is found, and no weight has moved") {
    Patient patient;
    const std::uint64_t before = patient.gpt.parameters.fingerprint();
    const PostMortem found = patient.examine();
    CHECK_FALSE(found.culprit);
    CHECK(finite(found.step));
    CHECK(patient.gpt.parameters.fingerprint() == before);
    CHECK_NOTHROW(check_finite(patient.gpt.parameters, 6, 4));
}
