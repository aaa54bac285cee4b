// A watcher sees what the tape names; any number of them may watch one pass, and each may replace
// numbers.
#include "autograd/watching.h"
#include "model/parameters.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "autograd/tape.h"
#include "ops/add.h"
#include "ops/attention.h"
#include "ops/gelu.h"
#include "ops/linear.h"
#include "support/gradcheck.h"
#include "support/tiny_gpt.h"

using namespace zhuyi;

namespace {

using Lines = std::vector<std::string>;

struct Notes : Watcher {
    Lines lines;
    void value(std::string_view name, const Tensor& x) override {
        lines.push_back(std::string(name) + " = " + std::to_string(int(x.value[0])) + ", by " +
                        x.tape->op());
    }
    void gradient(std::string_view name, const Tensor&, In gradient) override {
        lines.push_back("d " + std::string(name) + " = " + std::to_string(int(gradient[0])));
    }
};

// Sets the tensor of one name to a number, or its gradient.
struct Intervention : Watcher {
    std::string name;
    Real number;
    bool of_gradient;
    Intervention(std::string n, Real x, bool gradient = false)
        : name(std::move(n)), number(x), of_gradient(gradient) {}
    bool wants(std::string_view seen) const override { return seen == name; }
    void replace(std::string_view, const Tensor& x) override {
        if (!of_gradient) std::fill_n(x.value, x.size(), number);
    }
    void replace_gradient(std::string_view, Out gradient) override {
        if (of_gradient) std::fill(gradient.begin(), gradient.end(), number);
    }
};

// a = x + x, b = a + a, within block 0; gives b.
Tensor doubled_twice(Tape& tape, Leaf& x) {
    const Scope scope(tape, "block", 0);
    const Tensor a = tape.name("a", add(x.tensor(tape), x.tensor(tape)));
    return tape.name("b", add(a, a));
}

std::vector<Real> logits_of(TinyGpt& gpt, const std::vector<Watcher*>& watchers) {
    Tape tape(false);
    const Watching watching(tape, watchers);
    const In scores = gpt.model.logits(tape, some_tokens(16, 17), 2, {}).values();
    return {scores.begin(), scores.end()};
}

}  // namespace

TEST_CASE("watching: values in order, complete gradients in reverse, and the op that made each") {
    Leaf x({1}, std::vector<Real>{3});  // {3} alone would be a seed
    Notes notes;
    Tape tape(true);
    const Watching watching(tape, notes);
    tape.backward(doubled_twice(tape, x));
    CHECK(notes.lines == Lines{"block.0.a = 6, by add", "block.0.b = 12, by add", "d block.0.b = 1",
                               "d block.0.a = 2"});
}

TEST_CASE("watching: several watchers see the same, whoever came first") {
    Leaf x({1}, std::vector<Real>{3});
    Notes first, second;
    Intervention intervention("block.0.a", 5);
    std::vector<Watcher*> watchers{&first, &intervention, &second};
    for (int turn = 0; turn < 3; ++turn) {
        CAPTURE(turn);
        first.lines.clear(), second.lines.clear();
        Tape tape(false);
        const Watching watching(tape, watchers);
        CHECK(doubled_twice(tape, x).value[0] == 10);  // the op after it uses the new number
        CHECK(first.lines == Lines{"block.0.a = 5, by add", "block.0.b = 10, by add"});
        CHECK(second.lines == first.lines);
        std::rotate(watchers.begin(), watchers.begin() + 1, watchers.end());
    }
}

TEST_CASE("watching: a replaced gradient flows on backwards, and into no other tensor") {
    Leaf x({2}, {1, 2}), y({2}, {3, 4});
    Intervention intervention("a", 7, true);
    Tape tape(true);
    const Watching watching(tape, intervention);
    // add hands one gradient to both sides without a copy; the replaced one must not reach y
    const Tensor a = tape.name("a", gelu(x.tensor(tape)));
    const Tensor b = tape.name("b", gelu(y.tensor(tape)));
    tape.backward(add(a, b));
    Leaf only_x({2}, {1, 2}), only_y({2}, {3, 4});
    Tape plain(true);
    plain.backward(add(gelu(only_x.tensor(plain)), gelu(only_y.tensor(plain))));
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(x.grad[i] == doctest::Approx(7 * double(only_x.grad[i])));
        CHECK(y.grad[i] == only_y.grad[i]);
    }
}

TEST_CASE("watching: ends with its scope, and then costs no name") {
    Leaf x({1}, std::vector<Real>{3});
    Notes notes, outer;
    Tape tape(false);
    const Watching all(tape, outer);
    {
        const Watching watching(tape, notes);
        CHECK(tape.watched("a"));
        doubled_twice(tape, x);
    }
    doubled_twice(tape, x);
    CHECK(notes.lines.size() == 2);
    CHECK(outer.lines.size() == 4);
}

TEST_CASE("watching: in a pass made again the others replace, and are shown nothing") {
    Leaf x({1}, std::vector<Real>{3});
    Notes usual, alone;
    Intervention intervention("block.0.a", 5);
    Tape tape(true);
    const Watching watching(tape, {&usual, &intervention});
    {
        const Watching again(tape, alone, /*alone=*/true);
        CHECK(doubled_twice(tape, x).value[0] == 10);
    }
    CHECK(alone.lines.size() == 2);
    CHECK(usual.lines.empty());
    doubled_twice(tape, x);
    CHECK(usual.lines.size() == 2);
}

// Head 1 of 2 silenced: its columns of the mix are zero, so its rows of W_O mean nothing.
TEST_CASE("watching: an intervention in the mix silences a head") {
    struct Silence : Watcher {
        bool wants(std::string_view name) const override { return name == "block.0.attention.mix"; }
        void replace(std::string_view, const Tensor& mix) override {
            for (Index row = 0; row < mix.rows(); ++row)
                std::fill_n(mix.value + row * 12 + 6, 6, Real(0));
        }
    } silence;
    TinyGpt gpt;
    const std::vector<Real> as_it_is = logits_of(gpt, {}), silenced = logits_of(gpt, {&silence});
    CHECK(silenced != as_it_is);
    const Tensor W_O = gpt.parameters.tensor("block.0.attention.W_O");
    std::fill_n(W_O.value + 6 * 12, 6 * 12, Real(0));
    CHECK(logits_of(gpt, {}) == silenced);
}

// gelu(x W_1 + b_1) is one fused product. Whoever wants what is inside gets it, to the same bits,
// and may replace it.
TEST_CASE("watching: the fused feed-forward layer opens for whoever wants its inside") {
    struct Look : Watcher {
        bool wants(std::string_view name) const override { return name.ends_with("ffn.hidden"); }
    } look;
    Intervention off("block.1.ffn.hidden", 0);
    TinyGpt gpt;
    const std::vector<Real> as_it_is = logits_of(gpt, {});
    CHECK(logits_of(gpt, {&look}) == as_it_is);
    const std::vector<Real> without = logits_of(gpt, {&off});
    CHECK(without != as_it_is);
    const Tensor W_2 = gpt.parameters.tensor("block.1.ffn.W_2");
    std::fill_n(W_2.value, W_2.size(), Real(0));  // gelu(0) = 0, times anything
    CHECK(logits_of(gpt, {}) == without);
}

// The kernel mixes the values itself; the map is a copy for those who look.
TEST_CASE("watching: to replace attention's weights changes what is shown and not the mix") {
    Leaf Q({1, 3, 2}, 1), K({1, 3, 2}, 2), V({1, 3, 2}, 3);
    Intervention intervention("weights", 9);
    Notes notes;
    Tape tape(false);
    const auto mix = [&] {
        const Tensor y = attention(Q.tensor(tape), K.tensor(tape), V.tensor(tape), 1);
        return std::vector<Real>(y.value, y.value + y.size());
    };
    const std::vector<Real> as_it_is = mix();
    const Watching watching(tape, {&notes, &intervention});
    CHECK(mix() == as_it_is);
    CHECK(notes.lines == Lines{"weights = 9, by attention"});
}
