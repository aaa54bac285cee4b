#include "autograd/tape.h"

#include <doctest/doctest.h>

#include "ops/add.h"
#include "ops/gelu.h"
#include "support/close.h"
#include "support/gradcheck.h"

using namespace zhuyi;

// d/dx of x + x is 2: the two uses of x meet in one gradient because backward adds.
TEST_CASE("tape: a tensor used twice collects both gradients") {
    Leaf x({3}, {1, 2, 3});
    Tape tape(true);
    const Tensor t = x.tensor(tape);
    const Tensor y = add(t, t);
    CHECK(y.value[2] == 6);
    tape.backward(y);
    for (Real g : x.grad) CHECK(g == 2);
}

// y = u + gelu(u) at u = 0, where gelu' = 1/2: add hands dy to both sides without copying it; the
// gelu reads its share while adding to u's, which therefore needs memory of its own.
TEST_CASE("tape: a gradient handed on is shared until somebody adds to it") {
    Leaf x({3}, {1, 2, -3}), minus_x({3}, {-1, -2, 3});
    Tape tape(true);
    const Tensor u =
        add(x.tensor(tape), minus_x.tensor(tape));  // an activation: gradients are lent to it
    tape.backward(add(u, gelu(u)));
    for (Real g : x.grad) CHECK(close(g, 1.5, 0, 1e-6));
    for (Real g : minus_x.grad) CHECK(close(g, 1.5, 0, 1e-6));
}

TEST_CASE("tape: backward twice without forgetting doubles a parameter's gradient") {
    Leaf x({4}, 1);
    const OpUnderTest op = [](Tape&, const std::vector<Tensor>& in) { return gelu(in[0]); };
    run_once(op, {&x});
    const std::vector<Real> once = x.grad;
    run_once(op, {&x});
    for (std::size_t i = 0; i < once.size(); ++i) CHECK(close(x.grad[i], 2 * once[i], 0, 1e-6));
}

TEST_CASE("tape: the first addition into an untouched gradient ignores what memory held") {
    Leaf x({2}, {1, 1});
    x.grad = {1000, 1000};  // garbage from an earlier step, declared forgotten
    x.forget();
    Tape tape(true);
    const Tensor t = x.tensor(tape);
    tape.backward(add(t, t));
    CHECK(x.grad[0] == 2);
}

TEST_CASE("tape: a gradient nobody wants is not computed") {
    Leaf x({2}, {1, 1}), frozen({2}, {5, 5});
    frozen.grad = {7, 7};
    Tape tape(true);
    Tensor f = frozen.tensor(tape);
    f.gradient = nullptr;
    tape.backward(add(x.tensor(tape), f));
    CHECK(x.grad[0] == 1);
    CHECK(frozen.grad[0] == 7);
}

TEST_CASE("tape: after the first step the memory stays the same") {
    Tape tape(true);
    Leaf x({64, 32}, 3);
    const auto step = [&] {
        tape.reset();
        Tensor t = x.tensor(tape);
        for (int i = 0; i < 10; ++i) t = gelu(add(t, t));
        tape.backward(weighted_sum(t, 1));
    };
    step();
    const std::size_t bytes = tape.bytes();
    for (int i = 0; i < 5; ++i) step();
    CHECK(tape.bytes() == bytes);
}

// The checker itself must be able to fail: the same op with one sign turned around.
TEST_CASE("gradcheck: catches a flipped sign") {
    Leaf x({5}, 1);
    const auto square = [](Real sign) -> OpUnderTest {
        return [sign](Tape& tape, const std::vector<Tensor>& in) {
            const Tensor a = in[0], y = tape.tensor(a.shape);
            for (Index i = 0; i < y.size(); ++i) y.value[i] = a.value[i] * a.value[i];
            tape.record("square", {y}, [=](Tape& t) {
                const Destination da = t.into_zeroed(a);
                for (Index i = 0; i < y.size(); ++i)
                    da.data[i] += sign * 2 * a.value[i] * t.gradient(y)[i];
            });
            return y;
        };
    };
    CHECK(gradcheck(square(1), {&x}).worst < kGradientLimit);
    CHECK(gradcheck(square(-1), {&x}).worst > 0.1);
}
