// The first test to read. Every op, forward and backward, on numbers that one can check with a
// pencil; the arithmetic stands beside them. dy is d loss / d y: what arrives from the ops after.
#include <doctest/doctest.h>

#include <cmath>

#include "ops/add.h"
#include "ops/attention.h"
#include "ops/cross_entropy.h"
#include "ops/dropout.h"
#include "ops/embedding.h"
#include "ops/gelu.h"
#include "ops/last.h"
#include "ops/layer_norm.h"
#include "ops/linear.h"
#include "ops/rotary.h"
#include "support/gradcheck.h"

using namespace zhuyi;

namespace {

using Numbers = std::vector<Real>;

Numbers numbers(const Tensor& x) { return {x.value, x.value + x.size()}; }

// A loss whose gradient d loss / d y is the dy we want. (It would be Σ dy_i y_i; nobody reads its
// value, so it stays 0.)
Tensor loss_with(const Tensor& y, const Numbers& dy) {
    Tape& tape = *y.tape;
    const std::span<const Real> kept = tape.memory().copy(std::span<const Real>(dy));
    const Tensor loss = tape.tensor({1});
    loss.value[0] = 0;
    tape.record("loss_with", {loss}, [=](Tape& t) {
        const Destination to = t.into_zeroed(y);
        for (std::size_t i = 0; i < kept.size(); ++i) to.data[i] += kept[i];
    });
    return loss;
}

void check_close(const Numbers& found, const Numbers& expected, double within = 1e-5) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        CAPTURE(i);
        CHECK(std::abs(double(found[i]) - double(expected[i])) <= within);
    }
}

}  // namespace

TEST_CASE("pencil: add") {
    Leaf a({2}, Numbers{1, 2}), b({2}, Numbers{3, 5});
    Tape tape(true);
    const Tensor y = add(a.tensor(tape), b.tensor(tape));
    CHECK(numbers(y) == Numbers{4, 7});
    tape.backward(loss_with(y, {10, 20}));
    CHECK(a.grad == Numbers{10, 20});  // both sides get dy unchanged
    CHECK(b.grad == Numbers{10, 20});
}

TEST_CASE("pencil: linear") {
    Leaf x({2, 2}, Numbers{1, 2,  //
                           3, 4});
    Leaf W({2, 3}, Numbers{1, 0, 2,  //
                           0, 1, 1});
    Leaf b({3}, Numbers{1, 0, -1});
    Tape tape(true);
    const Tensor y = linear(x.tensor(tape), Affine{W.tensor(tape), b.tensor(tape)});
    // row 0: 1·[1 0 2] + 2·[0 1 1] + b = [1 2 4] + [1 0 -1]
    // row 1: 3·[1 0 2] + 4·[0 1 1] + b = [3 4 10] + [1 0 -1]
    CHECK(numbers(y) == Numbers{2, 2, 3,  //
                                4, 4, 9});
    tape.backward(loss_with(y, {1, 0, 1,  //
                                0, 2, 1}));
    // dx = dy · Wᵀ.  row 0: [1 0 1]·[1 0 2] = 3, [1 0 1]·[0 1 1] = 1
    //                row 1: [0 2 1]·[1 0 2] = 2, [0 2 1]·[0 1 1] = 3
    CHECK(x.grad == Numbers{3, 1,  //
                            2, 3});
    // dW = xᵀ · dy.  row 0: 1·[1 0 1] + 3·[0 2 1],  row 1: 2·[1 0 1] + 4·[0 2 1]
    CHECK(W.grad == Numbers{1, 6, 4,  //
                            2, 8, 6});
    CHECK(b.grad == Numbers{1, 2, 2});  // the columns of dy added up
}

TEST_CASE("pencil: queries, keys and values, three linear maps of one x") {
    Leaf x({1, 2}, Numbers{1, 2});
    Leaf W_Q({2, 1}, Numbers{1, 1}), W_K({2, 1}, Numbers{2, 0}), W_V({2, 1}, Numbers{0, 3});
    Tape tape(true);
    const auto [Q, K, V] = linear(
        x.tensor(tape),
        {Affine{W_Q.tensor(tape), {}}, Affine{W_K.tensor(tape), {}}, Affine{W_V.tensor(tape), {}}});
    CHECK(numbers(Q) == Numbers{3});  // 1·1 + 2·1
    CHECK(numbers(K) == Numbers{2});  // 1·2 + 2·0
    CHECK(numbers(V) == Numbers{6});  // 1·0 + 2·3
    tape.backward(add(add(loss_with(Q, {1}), loss_with(K, {10})), loss_with(V, {100})));
    // Backward adds: dx = 1·[1 1] + 10·[2 0] + 100·[0 3]
    CHECK(x.grad == Numbers{21, 301});
    CHECK(W_Q.grad == Numbers{1, 2});
    CHECK(W_K.grad == Numbers{10, 20});
    CHECK(W_V.grad == Numbers{100, 200});
}

// gelu(x) = x Φ(x): Φ(0) = 1/2, Φ(1) = 0.8413 (in any table), and far out Φ is 0 or 1.
TEST_CASE("pencil: gelu") {
    for (const Activation form : {Activation::gelu_new, Activation::gelu}) {
        Leaf x({4}, Numbers{0, 1, 10, -10});
        Tape tape(true);
        const Tensor y = gelu(x.tensor(tape), form);
        check_close(numbers(y), {0, Real(0.8413), 10, 0}, 2e-4);
        tape.backward(loss_with(y, {6, 0, 6, 6}));
        check_close(x.grad,
                    {3, 0, 6, 0});  // the slope is 1/2 at 0, then 1 to the right, 0 to the left
    }
}

TEST_CASE("pencil: gelu of linear") {
    for (const Activation form : {Activation::gelu_new, Activation::gelu}) {
        Leaf x({1, 2}, Numbers{1, 2}), W({2, 1}, Numbers{2, -1}), b({1}, Numbers{0});
        x.grad = W.grad = {7, 7}, b.grad = {7};  // left over: the first part is stored over it
        Tape tape(true);
        const Tensor y =
            gelu_of_linear(x.tensor(tape), Affine{W.tensor(tape), b.tensor(tape)}, form);
        check_close(numbers(y), {0});  // h = 1·2 + 2·(-1) + 0 = 0, and gelu(0) = 0
        tape.backward(loss_with(y, {6}));
        // dh = 6 · 1/2 = 3;  dx = 3·[2 -1],  dW = [1 2]·3,  db = 3
        check_close(x.grad, {6, -3});
        check_close(W.grad, {3, 6});
        check_close(b.grad, {3});
    }
}

TEST_CASE("pencil: layer_norm") {
    Leaf x({1, 4}, Numbers{1, 1, 3, 3});
    Leaf gamma({4}, Numbers{2, 2, 2, 2}), beta({4}, Numbers{10, 10, 10, 10});
    Tape tape(true);
    const Tensor y = layer_norm(x.tensor(tape), gamma.tensor(tape), beta.tensor(tape));
    // mean 2, variance (1 + 1 + 1 + 1) / 4 = 1, so n = (x - 2) / 1 = [-1 -1 1 1] and y = 2 n + 10.
    // (To the variance 0.00001 is added: hence the tolerance.)
    check_close(numbers(y), {8, 8, 12, 12}, 1e-4);
    tape.backward(loss_with(y, {4, 0, 0, 0}));
    // dn = gamma dy = [8 0 0 0], its average is 2, the average of dn n is -2:
    // dx = dn - 2 - n (-2) = [8-2-2  0-2-2  0-2+2  0-2+2]
    check_close(x.grad, {4, -4, 0, 0}, 1e-4);
    check_close(gamma.grad, {-4, 0, 0, 0}, 1e-4);  // dy n
    check_close(beta.grad, {4, 0, 0, 0});          // dy
}

// Two positions, one head, d_k = d_v = 1. Position 1 has the scores ln 3 and 0 for the keys 0 and
// 1: e^ of them is 3 and 1, and the weights are 3/4 and 1/4.
TEST_CASE("pencil: attention") {
    const Real ln_3 = Real(std::log(3.0));
    Leaf Q({1, 2, 1}, Numbers{5, 1}), K({1, 2, 1}, Numbers{ln_3, 0}), V({1, 2, 1}, Numbers{4, 8});
    Tape tape(true);
    const Tensor mix = attention(Q.tensor(tape), K.tensor(tape), V.tensor(tape), 1);
    // Position 0 sees itself alone: weight 1. Position 1: 3/4·4 + 1/4·8 = 5.
    check_close(numbers(mix), {4, 5});
    tape.backward(loss_with(mix, {2, 1}));
    // dV: from position 0 comes 1·2 for value 0, from position 1 come 3/4·1 and 1/4·1
    check_close(V.grad, {Real(2.75), Real(0.25)});
    // Position 1: the weights' gradients are dy·V = [4 8], on average (by the weights) 5; the
    // scores' are 3/4·(4 - 5) and 1/4·(8 - 5). Position 0 has one weight, always 1: its score means
    // nothing.
    check_close(K.grad, {Real(-0.75), Real(0.75)});  // the scores' gradients times q = 1
    check_close(Q.grad, {0, Real(-0.75) * ln_3});    // and times the keys
}

// q·k = 4 · ln 3 / 2 = 2 ln 3, divided by √d_k = 2: the score is ln 3 again.
TEST_CASE("pencil: attention divides by the root of d_k") {
    const Real k = Real(std::log(3.0) / 2);
    Leaf Q({1, 2, 4}, Numbers(8, 1)), K({1, 2, 4}, Numbers{k, k, k, k, 0, 0, 0, 0}),
        V({1, 2, 1}, Numbers{4, 8});
    Tape tape(true);
    const Tensor mix = attention(Q.tensor(tape), K.tensor(tape), V.tensor(tape), 1, Mask::none);
    check_close(numbers(mix), {5, 5});  // without a mask both positions see both
    tape.backward(loss_with(mix, {0, 1}));
    const Real d = Real(0.75) / 2;
    check_close(K.grad, {-d, -d, -d, -d, d, d, d, d});
}

// Two heads of two channels, so one pair each. Position 0 is not turned; position 1 by the angle
// with cosine 3/5 and sine 4/5.
TEST_CASE("pencil: rotary") {
    Leaf x({1, 2, 4}, Numbers{1, 2, 3, 4,  //
                              5, 0, 0, 10});
    Numbers table{1, 0,  // cosine, sine of position 0
                  Real(0.6), Real(0.8)};
    const Tensor angles{table.data(), nullptr, nullptr, {2, 2}};
    Tape tape(true);
    const Tensor y = rotary(x.tensor(tape), angles, 2);
    // (5, 0) turns to (5·3/5 - 0·4/5, 5·4/5 + 0·3/5), and (0, 10) to
    // (0·3/5 - 10·4/5, 0·4/5 + 10·3/5).
    check_close(numbers(y), {1, 2, 3, 4,  //
                             3, 4, -8, 6});
    tape.backward(loss_with(y, {1, 1, 1, 1,  //
                                3, 4, -8, 6}));
    // dy is turned back: what was turned comes home.
    check_close(x.grad, {1, 1, 1, 1,  //
                         5, 0, 0, 10});
    // A text that goes on after a position already read: its first row stands at position 1.
    Leaf next({1, 1, 4}, Numbers{5, 0, 0, 10});
    check_close(numbers(rotary(next.tensor(tape), angles, 2, 1)), {3, 4, -8, 6});
}

// With four channels channel 0 is paired with 2, and 1 with 3: halves, not neighbours.
TEST_CASE("pencil: rotary pairs the halves of a head") {
    Leaf x({1, 1, 4}, Numbers{1, 2, 3, 4});
    Numbers table{0, 1, 1, 0};  // pair 0 by a quarter turn (cosine 0, sine 1), pair 1 not at all
    Tape tape(true);
    const Tensor y = rotary(x.tensor(tape), {table.data(), nullptr, nullptr, {1, 4}}, 1);
    CHECK(numbers(y) == Numbers{-3, 2, 1, 4});  // (1, 3) -> (-3, 1)
}

TEST_CASE("pencil: embedding") {
    Leaf E({3, 2}, Numbers{1, 10,  //
                           2, 20,  //
                           3, 30});
    Leaf P({2, 2}, Numbers{100, 0,  //
                           200, 0});
    Tape tape(true);
    const std::vector<Token> ids{2, 0, 2, 1};  // two texts of two tokens
    const Tensor x = embedding(tape, ids, 2, E.tensor(tape), P.tensor(tape));
    CHECK(numbers(x) == Numbers{103, 30, 201, 10,  //
                                103, 30, 202, 20});
    tape.backward(loss_with(x, {1, 0, 0, 1,  //
                                2, 0, 0, 3}));
    // Token 2 was read twice and collects both gradients; each position collects from both texts.
    CHECK(E.grad == Numbers{0, 1,  //
                            0, 3,  //
                            3, 0});
    CHECK(P.grad == Numbers{3, 0,  //
                            0, 4});
}

TEST_CASE("pencil: last") {
    Leaf x({2, 2, 1}, Numbers{1, 2, 3, 4});
    Tape tape(true);
    const Tensor y = last(x.tensor(tape));
    CHECK(numbers(y) == Numbers{2, 4});
    tape.backward(loss_with(y, {10, 20}));
    CHECK(x.grad == Numbers{0, 10, 0, 20});
}

// Every element is dropped or doubled, and its gradient with it.
TEST_CASE("pencil: dropout of one half") {
    Leaf x({64}, Numbers(64, 3));
    Tape tape(true);
    const Tensor y = dropout(x.tensor(tape), 0.5), other = dropout(x.tensor(tape), 0.5);
    tape.backward(loss_with(y, Numbers(64, 1)));
    int dropped = 0;
    for (std::size_t i = 0; i < 64; ++i) {
        CHECK((y.value[i] == 0 || y.value[i] == 6));
        CHECK(x.grad[i] == (y.value[i] == 0 ? 0 : 2));
        dropped += y.value[i] == 0;
    }
    CHECK(dropped > 16);
    CHECK(dropped < 48);
    CHECK(numbers(y) != numbers(other));  // each dropout of a step draws anew
    tape.dropouts() = {0, Stream::dropout, 0};
    CHECK(numbers(dropout(x.tensor(tape), 0.5)) == numbers(y));  // and number 0 draws the same
}

TEST_CASE("pencil: the head that is tied to the embedding") {
    Leaf x({1, 2}, Numbers{1, 2});
    Leaf E({3, 2}, Numbers{1, 0,  //
                           0, 1,  //
                           1, 1});
    Tape tape(true);
    const Tensor y = unembedding(x.tensor(tape), E.tensor(tape));
    CHECK(numbers(y) == Numbers{1, 2, 3});  // x · each row of E
    tape.backward(loss_with(y, {1, 10, 100}));
    CHECK(x.grad == Numbers{101, 110});  // 1·[1 0] + 10·[0 1] + 100·[1 1]
    CHECK(E.grad == Numbers{1, 2,        //
                            10, 20,      //
                            100, 200});
}

// Row 0: e^ of the scores is 1 and 3, so p = [1/4 3/4], and the target 1 has 3/4.
// Row 1: equal scores, p = [1/2 1/2], target 0.
TEST_CASE("pencil: cross_entropy") {
    Leaf logits({2, 2}, Numbers{0, Real(std::log(3.0)),  //
                                0, 0});
    Tape tape(true);
    const std::vector<Token> targets{1, 0};
    const CrossEntropy loss = cross_entropy(logits.tensor(tape), targets);
    CHECK(loss.each_row[0] == doctest::Approx(std::log(4.0 / 3)));  // -ln 3/4
    CHECK(loss.each_row[1] == doctest::Approx(std::log(2.0)));      // -ln 1/2
    CHECK(double(loss.mean.value[0]) == doctest::Approx(std::log(8.0 / 3) / 2));
    tape.backward(loss.mean);
    // (p - 1 at the target) / 2 rows
    check_close(logits.grad, {Real(0.125), Real(-0.125),  //
                              Real(-0.25), Real(0.25)});
}
